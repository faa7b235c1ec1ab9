/**
 * What was tried until a session could not be opened, as one error: that of the last attempt, which names the others.
 *
 * Its class, code and details stay those of the last attempt, because they say what the caller can do.
 */
import { ClosedError, HttpError, isMcpError, type McpError, PeerError } from "../../base/error.ts";
import { RpcError } from "../../jsonrpc/error.ts";
import { InvalidParamsError, MethodNotFoundError, UnsupportedRevisionError } from "../../protocol/errors.ts";
import type { Revision } from "../../revision/revision.ts";
import { isRpcError } from "../requests/rpc-error.ts";

/** One attempt that gave no session. */
export interface Attempt {
  readonly method: string;
  readonly revision: Revision;
  readonly error: unknown;
}

/**
 * The error to throw after several attempts.
 *
 * @param error - of the last attempt
 * @param earlier - those before it; `cause.errors` of what is returned holds their errors, then the last one
 */
export function describeAttempts(error: unknown, earlier: readonly Attempt[]): unknown {
  if (!isMcpError(error) || earlier.length === 0) {
    return error;
  }
  const before = earlier.map((attempt) => `${attempt.method} of ${attempt.revision.id}: ${toText(attempt.error)}`);
  const cause = new AggregateError([...earlier.map((attempt) => attempt.error), error], "no attempt gave a session");
  return withMessage(error, `${error.message} (tried before: ${before.join("; ")})`, cause);
}

/**
 * The same error with another message: a new one of its class, or, where the class is not known here, itself.
 *
 * @param cause - what its cause becomes; that of a closed connection stays, as it tells why
 */
export function withMessage(error: McpError, message: string, cause: unknown): McpError {
  if (error instanceof HttpError) {
    const { status, excerpt, retryAfterMs } = error;
    return new HttpError(message, { status, excerpt, retryAfterMs, cause });
  }
  if (isRpcError(error)) {
    return withRpcMessage(error, message, cause);
  }
  if (error instanceof PeerError) {
    return new PeerError(message, { cause });
  }
  if (error instanceof ClosedError) {
    return new ClosedError(message, { cause: error.cause ?? cause });
  }
  error.message = message;
  return error;
}

function withRpcMessage(error: RpcError, message: string, cause: unknown): RpcError {
  const { rpcCode, data, remote } = error;
  const options = { rpcCode, message, data, remote, cause };
  if (error instanceof UnsupportedRevisionError) {
    return new UnsupportedRevisionError(error.requested, error.supported, options);
  }
  if (error instanceof InvalidParamsError) {
    return new InvalidParamsError(message, options);
  }
  return error instanceof MethodNotFoundError
    ? new MethodNotFoundError("initialize", options)
    : new RpcError(rpcCode, message, options);
}

function toText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

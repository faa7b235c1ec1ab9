/**
 * What an answer other than a good one means, as the error that a call fails with.
 *
 * Specification: Basic > Transports > Sending messages; a 404 to a session is its end.
 */
import { HttpError, type McpError, PeerError } from "../../base/error.ts";
import { decodeText } from "../../jsonrpc/codec.ts";
import { RpcError } from "../../jsonrpc/error.ts";
import { classifyMessage, type JsonRpcErrorResponse, type RequestId } from "../../jsonrpc/message.ts";
import { discard, readBeginning } from "./body.ts";
import type { Endpoint } from "./endpoint.ts";
import type { HttpSession } from "./session.ts";

/** Characters of a body that an error message shows. */
const excerptLength = 300;

/**
 * Statuses up to 500 that say something themselves: too large, not now, not without a token; those above do so too. With
 * any other one, the answer to a request is what its caller is told [M-ERR-013].
 */
const statusesOfDelivery: ReadonlySet<number> = /* @__PURE__ */ new Set([401, 402, 403, 407, 408, 413, 425, 429, 431]);

/** What some of them mean for whoever sent the message [M-HDR-026]. */
const meanings: ReadonlyMap<number, string> = /* @__PURE__ */ new Map([
  [413, "the message is too large for the server: "],
  [431, "the headers are too large for the server, send less in them: "],
]);

/** What was sent when the refusal came. */
export interface Refused {
  readonly endpoint: Endpoint;
  /** The session it was sent in; `undefined` where it stood for itself. */
  readonly session: HttpSession | undefined;
  /** The HTTP method and what it was about, such as `POST tools/call`. */
  readonly what: string;
  /** The id of the request, where it was one. */
  readonly id?: RequestId | undefined;
  /** Whether the request carried the session id. */
  readonly inSession: boolean;
  readonly signal: AbortSignal;
}

/**
 * Reads a status outside 200 to 299 as an error. The body is read, a little of it shown, and let go.
 *
 * @returns an `RpcError` for the answer to the request; an `HttpError` for all else, with the status, the wait that was
 * asked for, and as its cause the JSON-RPC error that came along
 */
export async function readRefusal(response: Response, refused: Refused): Promise<McpError> {
  const { endpoint, session, signal } = refused;
  if (response.status === 404 && refused.inSession && session !== undefined) {
    discard(response);
    return session.expire();
  }
  const beginning = await readBeginning(response, signal);
  const text = endpoint.redact(session?.redact(beginning) ?? beginning);
  const error = readErrorResponse(text, refused.id);
  const { status } = response;
  const retryAfterMs = endpoint.retryAfterMs(response);
  if (error !== undefined && retryAfterMs === undefined && isAnswer(error, status)) {
    return toRpcError(error);
  }
  const said = shorten(error?.error.message ?? text).trim();
  const shown = said === "" ? "" : `: ${said}`;
  const wait = retryAfterMs === undefined ? "" : `, to be tried again after ${retryAfterMs} ms`;
  const meaning = meanings.get(status) ?? "";
  return new HttpError(
    `${refused.what} ${endpoint.label}: ${meaning}expected a status of 200 to 299, got ${status}${wait}${shown}`,
    { status, excerpt: shorten(text), retryAfterMs, cause: error === undefined ? undefined : toRpcError(error) },
  );
}

/** An answer whose body is of no type that the protocol knows. */
export function createTypeError(response: Response, expected: string, refused: Refused): PeerError {
  discard(response);
  const type = response.headers.get("content-type");
  const came = type === null ? `status ${response.status} without a content type` : JSON.stringify(type.slice(0, 100));
  return new PeerError(`${refused.what} ${refused.endpoint.label}: expected ${expected}, got ${came}`);
}

/** A JSON-RPC error object as the error that its peer sent. */
export function toRpcError({ error }: JsonRpcErrorResponse): RpcError {
  return new RpcError(error.code, error.message, { data: error.data, remote: true });
}

/**
 * Whether an error answers the request rather than refusing its delivery. One without an id may be about anything, such
 * as a path where nothing is; a 400 is different, as it says no more than its body does.
 */
function isAnswer({ id }: JsonRpcErrorResponse, status: number): boolean {
  const isAboutDelivery = status > 500 || statusesOfDelivery.has(status);
  return !isAboutDelivery && (status === 400 || (id ?? undefined) !== undefined);
}

/** The JSON-RPC error in a body, where it is about this request or about no request in particular. */
function readErrorResponse(text: string, id: RequestId | undefined): JsonRpcErrorResponse | undefined {
  if (!text.trimStart().startsWith("{")) {
    return undefined;
  }
  const decoded = decodeText(text);
  const classified = decoded.ok ? classifyMessage(decoded.value) : undefined;
  if (classified?.kind !== "response" || !("error" in classified.message)) {
    return undefined;
  }
  const theirs = classified.message.id ?? undefined;
  return theirs === undefined || theirs === id ? classified.message : undefined;
}

function shorten(text: string): string {
  return text.length > excerptLength ? `${text.slice(0, excerptLength)}...` : text;
}

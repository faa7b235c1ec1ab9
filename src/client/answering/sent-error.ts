/**
 * What a server is told when a handler fails: JSON-RPC errors as they are, and of anything else that it failed, with a
 * diagnostic for whoever runs this client.
 */
import { isAbortOf } from "../../base/abort.ts";
import { rpcCodes } from "../../jsonrpc/error.ts";
import type { JsonRpcErrorObject } from "../../jsonrpc/message.ts";
import type { Connection } from "../requests/connection.ts";
import { isRpcError } from "../requests/rpc-error.ts";

/** @param signal - of the request: whether it was given up */
export function toSentError(
  connection: Connection,
  error: unknown,
  method: string,
  signal: AbortSignal,
): JsonRpcErrorObject {
  if (isAbortOf(signal, error)) {
    return { code: rpcCodes.internalError, message: "the request was cancelled" };
  }
  if (isRpcError(error)) {
    const { rpcCode: code, message, data } = error;
    return data === undefined ? { code, message } : { code, message, data };
  }
  connection.report("MCP_D_HANDLER_FAULT", `the handler of ${method} failed; the server was told no more`, error);
  return { code: rpcCodes.internalError, message: "internal error" };
}

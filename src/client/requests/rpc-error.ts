/** Recognising JSON-RPC errors, also those made by another copy of this package. */
import { isMcpError } from "../../base/error.ts";
import type { RpcError } from "../../jsonrpc/error.ts";

/** Whether a caught value is an {@link RpcError}. */
export function isRpcError(value: unknown): value is RpcError {
  return isMcpError(value) && "rpcCode" in value && Number.isInteger(value.rpcCode);
}

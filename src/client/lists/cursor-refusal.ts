/** Recognising that a server no longer knows a cursor. Specification: Server > Utilities > Pagination. */
import { rpcCodes } from "../../jsonrpc/error.ts";
import { isRpcError } from "../requests/rpc-error.ts";

/** Whether an error is the answer to a cursor that the server does not accept; of use only where one was sent. */
export function isCursorRefusal(error: unknown): boolean {
  return isRpcError(error) && error.remote && error.rpcCode === rpcCodes.invalidParams;
}

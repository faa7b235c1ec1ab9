/**
 * The error of stores: what was asked of one could not be done. It never crosses the wire.
 *
 * A store that answers "absent" or "not that version" has done its work; this is for when it could not answer.
 */
import { McpError, type McpErrorOptions } from "../base/error.ts";

/**
 * Why a store failed: `full`, a bound was reached and nothing was written; `unavailable`, what is behind it could not be
 * read, written or locked; `lease-lost`, a lease ended before its work did.
 */
export type StoreFailure = "full" | "unavailable" | "lease-lost";

/**
 * A store could not do what was asked. The message names the bound, the file or the service, never a value or a key.
 *
 * @example
 * ```ts
 * import { StoreError } from "parley-mcp/store";
 *
 * export function adviseOnStore(error: unknown): string | undefined {
 *   if (error instanceof StoreError) {
 *     return error.failure === "full" ? "raise the bound, or log out of something" : error.message;
 *   }
 * }
 * ```
 */
export class StoreError extends McpError {
  readonly code = "MCP_STORE";
  readonly failure: StoreFailure;

  constructor(failure: StoreFailure, message: string, options?: McpErrorOptions) {
    super(message, options);
    this.failure = failure;
  }
}

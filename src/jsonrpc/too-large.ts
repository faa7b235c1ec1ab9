/** The error of a message that is over a link's size limit. */
import { McpError } from "../base/error.ts";

/**
 * A message is larger than the link takes. Nothing of it was sent; the link goes on.
 *
 * @example
 * ```ts
 * import type { KnownError } from "parley-mcp";
 *
 * export function explain(error: KnownError): string {
 *   return error.code === "MCP_TOO_LARGE" ? `send at most ${error.limitBytes} bytes at once` : error.message;
 * }
 * ```
 */
export class MessageTooLargeError extends McpError {
  readonly code = "MCP_TOO_LARGE";
  /** Size of the message, in bytes; a lower bound where it was not read to its end. */
  readonly sizeBytes: number;
  /** The limit, in bytes. */
  readonly limitBytes: number;

  constructor(sizeBytes: number, limitBytes: number) {
    super(`message too large: expected at most ${limitBytes} bytes, got ${sizeBytes}`);
    this.sizeBytes = sizeBytes;
    this.limitBytes = limitBytes;
  }
}

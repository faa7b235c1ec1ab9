/** Why a call could not go on that needed something of this client or its person. Nothing was sent after that. */
import { McpError, type McpErrorOptions } from "../../base/error.ts";

/** What kept a question from being answered. */
export type InputFailure =
  /** It asked for what this client did not say it can do, or in a way that the protocol does not know. */
  | "refused"
  /** What was to answer it failed; `cause` says how. */
  | "failed"
  /** There was always one more round of questions. */
  | "endless"
  /** The person gave the call up while it was waiting for a page. */
  | "cancelled";

/**
 * A call needed input that it did not get. Specification: Basic > Multi Round-Trip Requests.
 *
 * @example
 * ```ts
 * import { type ClientSession, InputError } from "parley-mcp/client";
 *
 * export async function book(session: ClientSession): Promise<boolean> {
 *   try {
 *     await session.callTool("book", { seats: 2 });
 *     return true;
 *   } catch (error) {
 *     if (error instanceof InputError && error.reason === "cancelled") {
 *       return false;
 *     }
 *     throw error;
 *   }
 * }
 * ```
 */
export class InputError extends McpError {
  readonly code = "MCP_INPUT";
  readonly reason: InputFailure;

  constructor(message: string, options: McpErrorOptions & { reason: InputFailure }) {
    super(message, options);
    this.reason = options.reason;
  }
}

/** What a host decides about tool calls: whether one may be made, and what is written down about it. */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { EffectiveToolHints } from "../../protocol/annotations.ts";
import type { Tool } from "../../protocol/types/tool.ts";
import type { ServerDetails } from "../sessions/server-details.ts";

/** A tool call before it is made. Show all of it to whoever decides [TOOL-029]. */
export interface ProposedCall {
  readonly name: string;
  readonly arguments: JsonObject;
  /**
   * What the tool may do. Of a server that is not trusted nothing is believed: these are then the defaults, the
   * most cautious reading [TOOL-023, TOOL-024].
   */
  readonly hints: EffectiveToolHints;
  /** The tool as it was last listed, where it was. Its text and annotations are the server's claims. */
  readonly tool: Tool | undefined;
  readonly server: ServerDetails;
  readonly signal: AbortSignal;
}

/**
 * Decides whether a call is made. Anything but `true` refuses it; what it throws reaches the caller.
 *
 * @example
 * ```ts
 * import { defineClient } from "parley-mcp/client";
 *
 * declare function confirm(question: string): Promise<boolean>;
 *
 * export const client = defineClient({
 *   name: "host",
 *   version: "1.0.0",
 *   approve: async (call) =>
 *     call.hints.readOnly || (await confirm(`${call.server.info.name}: run ${call.name}(${JSON.stringify(call.arguments)})?`)),
 * });
 * ```
 */
export type ApproveCall = (call: ProposedCall) => boolean | Promise<boolean>;

/** A tool call once it is over [TOOL-030]. */
export interface CallRecord {
  readonly server: ServerDetails;
  readonly name: string;
  readonly arguments: JsonObject;
  /** `tool-error` is a result with `isError`; `failed` is an error instead of a result. */
  readonly outcome: "ok" | "tool-error" | "failed" | "refused" | "cancelled";
  /** What the caller got instead of a result. */
  readonly error: unknown;
  /** From the decision to the end, in milliseconds. */
  readonly durationMs: number;
}

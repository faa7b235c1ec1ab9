/**
 * Calling tools: the host's approval before, the check of the result and the audit record after.
 *
 * Specification: Server > Tools > Calling Tools, Security Considerations.
 */
import { PeerError } from "../../base/error.ts";
import { RpcError, rpcCodes } from "../../jsonrpc/error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { toEffectiveHints } from "../../protocol/annotations.ts";
import { mcpCodes } from "../../protocol/errors.ts";
import type { RequestOptions } from "../../protocol/outgoing.ts";
import type { Tool } from "../../protocol/types/tool.ts";
import type { CallToolRequestParams, CallToolResult } from "../../protocol/types/tools.ts";
import type { Caller } from "../requests/caller.ts";
import type { Connection } from "../requests/connection.ts";
import { isRpcError } from "../requests/rpc-error.ts";
import type { CallRecord } from "./call-policy.ts";
import type { KnownTools } from "./known-tools.ts";

/** See the head of this file. */
export class ToolCalls {
  readonly #connection: Connection;
  readonly #caller: Caller;
  readonly #known: KnownTools;
  readonly #onUnknownTool: () => void;

  /** @param onUnknownTool - told when the server refuses a name, which is how an outdated list shows */
  constructor(connection: Connection, caller: Caller, known: KnownTools, onUnknownTool: () => void) {
    this.#connection = connection;
    this.#caller = caller;
    this.#known = known;
    this.#onUnknownTool = onUnknownTool;
  }

  /** Calls a tool. A result with `isError` is a result [TOOL-020]. */
  async call(name: string, args: JsonObject | undefined, options: RequestOptions): Promise<CallToolResult> {
    const { settings } = this.#connection;
    // What was listed when the call began is what it is judged by, whatever the list becomes meanwhile [PP-049].
    const tool = this.#known.get(name);
    const startedAt = settings.clock.now();
    const end = (outcome: CallRecord["outcome"], error?: unknown): void => {
      this.#record(name, args ?? {}, outcome, error, settings.clock.now() - startedAt);
    };
    if (!(await this.#isApproved(name, args ?? {}, tool, options.signal))) {
      end("refused");
      throw new RpcError(mcpCodes.userRejected, `the call of ${name} was not approved; nothing was sent`);
    }
    try {
      const params: CallToolRequestParams = { name, ...(args === undefined ? undefined : { arguments: args }) };
      const result = await this.#caller.request("tools/call", params, options);
      this.#judge(name, tool, result);
      end(result.isError === true ? "tool-error" : "ok");
      return result;
    } catch (error) {
      end(options.signal?.aborted ? "cancelled" : "failed", error);
      if (isRpcError(error) && error.remote && error.rpcCode === rpcCodes.invalidParams) {
        this.#onUnknownTool();
      }
      throw error;
    }
  }

  async #isApproved(
    name: string,
    args: JsonObject,
    tool: Tool | undefined,
    signal: AbortSignal = this.#connection.signal,
  ): Promise<boolean> {
    const { approve } = this.#connection.settings;
    const { server } = this.#connection;
    if (approve === undefined || server === undefined) {
      return true;
    }
    const hints = toEffectiveHints(server.trusted ? tool?.annotations : undefined);
    const approved = await approve({ name, arguments: args, hints, tool, server, signal });
    signal.throwIfAborted();
    return approved === true;
  }

  #judge(name: string, tool: Tool | undefined, result: CallToolResult): void {
    const { outputValidation } = this.#connection.settings;
    const fault =
      tool === undefined || outputValidation === "off" || isInterim(result)
        ? undefined
        : this.#known.findOutputFault(tool, result);
    if (fault === undefined) {
      return;
    }
    if (outputValidation === "throw") {
      throw new PeerError(`result of ${name}: ${fault}`);
    }
    this.#connection.report("MCP_D_OUTPUT_INVALID", `the result of ${name} was let through: ${fault}`);
  }

  #record(name: string, args: JsonObject, outcome: CallRecord["outcome"], error: unknown, durationMs: number): void {
    const { settings, server } = this.#connection;
    if (server !== undefined) {
      const record = { server, name, arguments: args, outcome, error, durationMs };
      this.#connection.tell("onCall", () => settings.onCall?.(record));
    }
  }
}

/** Whether the result proper is still to come, as that of a task. */
function isInterim({ resultType }: JsonObject): boolean {
  return resultType !== undefined && resultType !== "complete";
}

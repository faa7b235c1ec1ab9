/**
 * Calling tools: the host's approval before, the check of the result and the audit record after.
 *
 * Specification: Server > Tools > Calling Tools, Security Considerations.
 */
import { isMcpError, PeerError } from "../../base/error.ts";
import { RpcError, rpcCodes } from "../../jsonrpc/error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { toEffectiveHints } from "../../protocol/annotations.ts";
import { mcpCodes } from "../../protocol/errors.ts";
import type { Tool } from "../../protocol/types/tool.ts";
import type { CallToolRequestParams, CallToolResult } from "../../protocol/types/tools.ts";
import type { TaskError } from "../../tasks/follower-error.ts";
import type { Caller, CallerOptions } from "../requests/caller.ts";
import type { Connection } from "../requests/connection.ts";
import { isRpcError } from "../requests/rpc-error.ts";
import type { FollowedTask } from "../tasks/followed-task.ts";
import { isTask, type TaskFollowing, type TaskToFollow } from "../tasks/task-following.ts";
import { TaskHandle } from "../tasks/task-handle.ts";
import { createSettledSource, createTaskSource, readImmediateResponse } from "../tasks/task-source.ts";
import type { TaskSupport } from "../tasks/task-support.ts";
import type { CallRecord } from "./call-policy.ts";
import type { KnownTools } from "./known-tools.ts";
import type { ToolCallOptions } from "./typed-tools.ts";

/** What tool calls work with. */
export interface ToolCallsParts {
  readonly connection: Connection;
  readonly caller: Caller;
  readonly known: KnownTools;
  readonly tasks: TaskFollowing;
  readonly support: TaskSupport;
  /** Told when the server refuses a name, which is how an outdated list shows. */
  readonly onUnknownTool: () => void;
}

/** One call, from its approval to its end. */
interface ToolCall {
  readonly name: string;
  readonly args: JsonObject | undefined;
  readonly options: ToolCallOptions;
  /** As it was listed when the call was sent: by that it is judged, whatever the list becomes meanwhile [PP-049]. */
  tool: Tool | undefined;
  readonly startedAt: number;
  /** Aborts when the call is over and recorded. */
  readonly over: AbortController;
}

/** See the head of this file. */
export class ToolCalls {
  readonly #parts: ToolCallsParts;
  readonly #connection: Connection;

  constructor(parts: ToolCallsParts) {
    this.#parts = parts;
    this.#connection = parts.connection;
  }

  /** Calls a tool, as a task or not. A result with `isError` is a result [TOOL-020]. */
  async call(name: string, args: JsonObject | undefined, options: ToolCallOptions): Promise<CallToolResult> {
    const call = this.#open(name, args, options);
    const { tasks } = this.#parts;
    try {
      const result = await this.#send(call, (created, elapsedMs) =>
        tasks.finish(this.#follow(call, created), "tools/call", options, elapsedMs),
      );
      return this.#end(call, this.#judged(call, result));
    } catch (error) {
      throw this.#fail(call, error);
    }
  }

  /** Calls a tool as a task, to be followed by hand; where the server alone decides, it may come without one. */
  async start(name: string, args: JsonObject | undefined, options: ToolCallOptions): Promise<TaskHandle> {
    const call = this.#open(name, args, { ...options, task: options.task || true });
    try {
      const created = await this.#send(call, "manual");
      if (!isTask(created)) {
        const result = this.#end(call, this.#judged(call, created));
        return new TaskHandle(createSettledSource(name, result));
      }
      const task = this.#follow(call, created, {
        judge: (result) => this.#judged(call, result),
        onResult: (result) => this.#end(call, result as CallToolResult),
        onError: (error) => this.#fail(call, error),
      });
      return new TaskHandle(createTaskSource(this.#parts.tasks, task, readImmediateResponse(created, name)));
    } catch (error) {
      throw this.#fail(call, error);
    }
  }

  #open(name: string, args: JsonObject | undefined, options: ToolCallOptions): ToolCall {
    const startedAt = this.#connection.settings.clock.now();
    return { name, args, options, tool: this.#parts.known.get(name), startedAt, over: new AbortController() };
  }

  /** Sends a call that is approved of. */
  async #send(call: ToolCall, tasks: CallerOptions["tasks"]): Promise<JsonObject> {
    const { name, args, options, over } = call;
    if (!(await this.#isApproved(name, args ?? {}, call.tool, options.signal))) {
      this.#record(call, "refused", undefined);
      throw new RpcError(mcpCodes.userRejected, `the call of ${name} was not approved; nothing was sent`);
    }
    const { task: wish, ...rest } = options;
    const task = await this.#parts.support.decide(name, wish, options.signal);
    call.tool ??= this.#parts.known.get(name);
    const params: CallToolRequestParams = {
      name,
      ...(args === undefined ? undefined : { arguments: args }),
      ...(task === undefined ? undefined : { task }),
    };
    // The progress of a task goes on after it has been handed out [PROG-007].
    const progressUntil = task !== undefined && rest.onProgress !== undefined ? over.signal : undefined;
    const sent = { ...rest, tasks, ...(progressUntil && { progressUntil }) };
    return this.#parts.caller.request("tools/call", params, sent);
  }

  #follow(call: ToolCall, created: JsonObject, hooks?: Partial<TaskToFollow>): FollowedTask {
    const { idleTimeoutMs } = call.options;
    const params = { name: call.name };
    return this.#parts.tasks.begin(created, { call: { method: "tools/call", params }, idleTimeoutMs, ...hooks });
  }

  #judged(call: ToolCall, result: JsonObject): CallToolResult {
    this.#judge(call.name, call.tool, result as CallToolResult);
    return result as CallToolResult;
  }

  #end(call: ToolCall, result: CallToolResult): CallToolResult {
    this.#record(call, result.isError === true ? "tool-error" : "ok", undefined);
    return result;
  }

  #fail(call: ToolCall, error: unknown): unknown {
    this.#record(call, call.options.signal?.aborted || isCancelled(error) ? "cancelled" : "failed", error);
    if (isRpcError(error) && error.remote && error.rpcCode === rpcCodes.invalidParams) {
      this.#parts.onUnknownTool();
    }
    return error;
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
        : this.#parts.known.findOutputFault(tool, result);
    if (fault === undefined) {
      return;
    }
    if (outputValidation === "throw") {
      throw new PeerError(`result of ${name}: ${fault}`);
    }
    this.#connection.report("MCP_D_OUTPUT_INVALID", `the result of ${name} was let through: ${fault}`);
  }

  /** Once for each call, whatever becomes of it afterwards. */
  #record({ name, args = {}, startedAt, over }: ToolCall, outcome: CallRecord["outcome"], error: unknown): void {
    const { settings, server } = this.#connection;
    const isFirst = !over.signal.aborted;
    over.abort();
    if (isFirst && server !== undefined) {
      const durationMs = settings.clock.now() - startedAt;
      const record = { server, name, arguments: args, outcome, error, durationMs };
      this.#connection.tell("onCall", () => settings.onCall?.(record));
    }
  }
}

/** Whether the result proper is still to come, as that of a task. */
function isInterim({ resultType }: JsonObject): boolean {
  return resultType !== undefined && resultType !== "complete";
}

function isCancelled(error: unknown): boolean {
  return isMcpError(error) && error.code === "MCP_TASK" && (error as TaskError).reason === "cancelled";
}

/** Tasks of a server: made and joined once, out of what calls, requests and streams have to do with them. */
import type { JsonObject } from "../../jsonrpc/message.ts";
import { withMeta } from "../../protocol/meta.ts";
import type { McpContext } from "../../revision/exchange.ts";
import { TaskReceiver } from "../../tasks/receiver.ts";
import type { TaskOutcome } from "../../tasks/record.ts";
import type { TaskRun } from "../../tasks/run.ts";
import type { ServerOptions } from "../options.ts";
import type { RequestContext } from "../requests/request-context.ts";
import type { Settings } from "../settings.ts";
import { toTaskCaller } from "./task-caller.ts";
import { TaskRequests } from "./task-requests.ts";
import { TaskStreams } from "./task-streams.ts";
import { ToolTasks } from "./tool-tasks.ts";

/** What tasks need of their server. */
export interface ServerTasksHost {
  /** Whether any tool may be called as a task. */
  hasTaskTools(): boolean;
  /** Goes on with the work of a task that another process left. */
  revive(run: TaskRun): Promise<TaskOutcome>;
}

/** See the head of this file. */
export class ServerTasks {
  readonly calls: ToolTasks;
  readonly requests: TaskRequests;
  readonly streams: TaskStreams;
  readonly receiver: TaskReceiver;
  readonly #option: ServerOptions["tasks"];
  readonly #host: ServerTasksHost;
  readonly #settings: Settings;
  #isStarted = false;

  /** @throws UsageError for limits that are none */
  constructor(settings: Settings, options: ServerOptions, host: ServerTasksHost) {
    const { info, store, clock, onDiagnostic, limits, pageSize } = settings;
    const { afterMs = 1_000, leaseMs, ...taskLimits } = options.tasks === false ? {} : (options.tasks ?? {});
    const { onTask } = options;
    const receiver = new TaskReceiver({
      store,
      // Another server in the same store must not go on with these: its tools of the same names do something else.
      prefix: `tasks/${info.name}`,
      clock,
      leaseMs,
      limits: taskLimits,
      resume: (run) => host.revive(run),
      onEvent: onTask && ((event) => settings.reports.call("onTask", () => onTask(event))),
      onDiagnostic,
    });
    this.#option = options.tasks;
    this.#host = host;
    this.#settings = settings;
    this.receiver = receiver;
    const isOffered = (): boolean => this.isOffered;
    this.calls = new ToolTasks({
      receiver,
      clock,
      onDiagnostic,
      afterMs,
      get isOffered() {
        return isOffered();
      },
    });
    this.requests = new TaskRequests({
      receiver,
      limiter: limits.tasks,
      pageSize,
      encode: (result, ctx) => this.#encode(result, ctx),
    });
    this.streams = new TaskStreams({
      receiver,
      maxTasks: limits.maxSubscriptions,
      toState: (record, ctx) => this.requests.toState(record, ctx),
    });
  }

  /** Whether calls may be tasks: where a tool says so, or the author has said anything of tasks [TASK-001]. */
  get isOffered(): boolean {
    return this.#option === undefined ? this.#host.hasTaskTools() : this.#option !== false;
  }

  /** Whether a method about tasks is there for this caller: lists are for those who can be told apart [TASK-004, TASK-052]. */
  offers(method: string, context: McpContext): boolean {
    return this.isOffered && (method !== "tasks/list" || toTaskCaller(context).owner !== undefined);
  }

  /** From the first request on, tasks that other processes leave behind are looked after. */
  touch(): void {
    if (!this.#isStarted && this.isOffered) {
      this.#isStarted = true;
      this.receiver.start().catch((error: unknown) => {
        this.#isStarted = false;
        const message = "the store of tasks failed; it is asked again with the next request";
        this.#settings.onDiagnostic({ code: "MCP_D_TASK_STORE", message, detail: error });
      });
    }
  }

  /** Tasks are begun no more; those that can be resumed are left to other processes. */
  close(): Promise<void> {
    return this.receiver.close();
  }

  /** As a call without a task would have been answered [TASK-030, X-TASK-021]. */
  #encode(result: JsonObject, ctx: RequestContext): JsonObject {
    const { info, sendServerInfo } = this.#settings;
    const { revision, isStateless } = ctx.scope;
    const encoded = revision.encodeResult("tools/call", result);
    return isStateless && sendServerInfo ? withMeta(encoded, "io.modelcontextprotocol/serverInfo", info) : encoded;
  }
}

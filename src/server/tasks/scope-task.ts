/**
 * The task that a request goes on as: where its questions, notifications and single pieces of work go from then on.
 *
 * Made as soon as it is decided that there will be a task; what needs the task waits until it is kept.
 */
import { createDeferred } from "../../base/deferred.ts";
import type { OnDiagnostic } from "../../base/diagnostic.ts";
import type { Call } from "../../jsonrpc/link.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { metaKeys, withMeta } from "../../protocol/meta.ts";
import type { Session } from "../../revision/exchange.ts";
import type { TaskRun } from "../../tasks/run.ts";
import type { Memo } from "../requests/memo.ts";
import { createTaskHandle, type TaskHandle } from "./task-handle.ts";

/** What it needs of its request. */
export interface ScopeTaskHost {
  /** Whether messages belong to the task for as long as it lives; the extension has none. */
  readonly sendsMessages: boolean;
  /** The session they go to; nobody hears them without one. */
  readonly session: Pick<Session, "notify"> | undefined;
  readonly onDiagnostic: OnDiagnostic;
}

/** See the head of this file. */
export class ScopeTask {
  /** What is done once, kept with the task where somebody may have to go on with it. */
  readonly memo: Memo;
  readonly #host: ScopeTaskHost;
  readonly #run = createDeferred<TaskRun>();
  #handle: TaskHandle | undefined;
  /** Whether its work has come to an end. */
  isOver = false;

  constructor(memo: Memo, host: ScopeTaskHost) {
    this.memo = memo;
    this.#host = host;
    // Whoever needs the task hears of it; nobody may.
    this.#run.promise.catch(() => undefined);
  }

  /** As the handler sees it; `undefined` until the task is kept. */
  get handle(): TaskHandle | undefined {
    return this.#handle;
  }

  /** Whether messages on behalf of the task are sent. */
  get sendsMessages(): boolean {
    return this.#host.sendsMessages;
  }

  /** The task is kept, and worked on here. */
  begun(run: TaskRun): TaskHandle {
    const handle = createTaskHandle(run);
    this.#handle = handle;
    if (run.record.isResumable) {
      this.memo.keep = (memories) => run.remember(memories);
    }
    this.#run.resolve(run);
    return handle;
  }

  /** There is no task after all. */
  failed(error: unknown): void {
    this.#run.reject(error);
  }

  /** Asks the requestor, by way of the task. */
  async ask(call: Call, kind: string, signal: AbortSignal | undefined): Promise<JsonObject> {
    const run = await this.#run.promise;
    return run.ask(call, kind, signal);
  }

  /** Sends a notification that belongs to the task: it names it [TASK-036]. The extension has no such thing [X-TASK-041]. */
  async notify(method: string, params: JsonObject | undefined): Promise<void> {
    const { sendsMessages, session, onDiagnostic } = this.#host;
    if (!sendsMessages) {
      const message = `${method} was not sent: it belongs to a task, and the revision spoken has no way to tell of it`;
      onDiagnostic({ code: "MCP_D_TASK_MESSAGE", message });
      return;
    }
    const run = await this.#run.promise;
    const named = withMeta(params, metaKeys.relatedTask, { taskId: run.record.taskId });
    await session?.notify({ method, params: named });
  }
}

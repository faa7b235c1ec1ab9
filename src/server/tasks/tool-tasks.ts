/**
 * Calls of tools as tasks: whether a call becomes one, and when.
 *
 * In the core form the client asks for a task; in the extension the server decides, for clients that know tasks.
 * Specification: Basic > Utilities > Tasks > Tool-Level Negotiation; Extensions > Tasks > Capability Negotiation.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import { MethodNotFoundError } from "../../protocol/errors.ts";
import type { ToolItem } from "../features/item.ts";
import { type MaybePromise, whenDone } from "../maybe.ts";
import { declaresTasks, lacksTasks } from "./extension.ts";
import { LateTask, type LateTaskHost } from "./late-task.ts";
import { beginTask, type TaskableCall, type TaskCall, toCreated, toOutcome } from "./task-call.ts";
import { type ResolvedToolTask, resolveToolTask } from "./task-options.ts";

/** What deciding needs of its server. */
export interface ToolTasksHost extends LateTaskHost {
  /** Whether calls may be tasks at all. */
  readonly isOffered: boolean;
  /** How long a call may take before it becomes a task, in milliseconds. */
  readonly afterMs: number;
}

/** See the head of this file. */
export class ToolTasks {
  readonly #host: ToolTasksHost;

  constructor(host: ToolTasksHost) {
    this.#host = host;
  }

  /**
   * Answers a call: with its result, or with a task.
   *
   * @throws MethodNotFoundError where the tool's word on tasks is not kept [TASK-009, TASK-011]
   * @throws MissingCapabilityError where the tool needs a task and the client knows none [X-TASK-004]
   */
  answer(item: ToolItem, call: TaskCall): MaybePromise<JsonObject> {
    const { tasks } = call.ctx.scope.revision.traits;
    if (tasks === "none" || !this.#host.isOffered) {
      return plain(call);
    }
    const task = item.task ?? resolveToolTask(item.wire.execution?.taskSupport);
    return tasks === "core" ? this.#answerCore(call, task) : this.#answerExtended(call, task);
  }

  #answerCore(call: TaskCall, task: ResolvedToolTask | undefined): MaybePromise<JsonObject> {
    const { name, task: asked } = call.params;
    if (asked === undefined && task?.support === "required") {
      const message = `tool ${JSON.stringify(name)} is called as a task only: expected params.task, got none`;
      throw new MethodNotFoundError("tools/call", { message });
    }
    if (asked === undefined) {
      return plain(call);
    }
    if (task === undefined) {
      const message = `tool ${JSON.stringify(name)} is not called as a task: expected no params.task`;
      throw new MethodNotFoundError("tools/call", { message });
    }
    return this.#beginAtOnce({ ...call, task }, asked.ttl);
  }

  /** What the client declared in this very request counts, and nothing it said before or asks for [X-TASK-003, X-TASK-006]. */
  #answerExtended(call: TaskCall, task: ResolvedToolTask | undefined): MaybePromise<JsonObject> {
    if (task === undefined) {
      return plain(call);
    }
    if (!declaresTasks(call.ctx.client.capabilities)) {
      if (task.support === "required") {
        throw lacksTasks(`tool ${JSON.stringify(call.params.name)} answers with a task`);
      }
      return plain(call);
    }
    const afterMs = task.afterMs ?? this.#host.afterMs;
    if (task.begin === "handler") {
      return new LateTask(this.#host, { ...call, task }).answer(undefined);
    }
    return task.support === "required" || afterMs === 0
      ? this.#beginAtOnce({ ...call, task }, undefined)
      : new LateTask(this.#host, { ...call, task }).answer(afterMs);
  }

  /** The task first, then the handler. */
  async #beginAtOnce(call: TaskableCall, ttlMs: number | undefined): Promise<JsonObject> {
    const record = await beginTask(this.#host.receiver, call, ttlMs, async () => {
      await afterTheAnswer();
      return toOutcome(call, call.run);
    });
    return toCreated(record, call);
  }
}

function plain({ run }: TaskCall): MaybePromise<JsonObject> {
  return whenDone(run(), (result) => ({ ...result }));
}

/** What the handler says first is heard after the answer that there is a task. */
function afterTheAnswer(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0);
  });
}

/**
 * A call whose handler runs before there is a task: it becomes one when the handler says so, or when it takes long. The
 * run that has begun is the task's work; a call that ends before is answered plainly.
 *
 * Questions until then are asked in the call itself [X-TASK-016].
 */
import { createDeferred } from "../../base/deferred.ts";
import type { OnDiagnostic } from "../../base/diagnostic.ts";
import type { Clock } from "../../base/timer.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { CallToolResult } from "../../protocol/types/tools.ts";
import type { TaskReceiver } from "../../tasks/receiver.ts";
import type { TaskOutcome } from "../../tasks/record.ts";
import { isPromise, type MaybePromise } from "../maybe.ts";
import { beginTask, type TaskableCall, toCreated, toOutcome } from "./task-call.ts";
import type { TaskHandle } from "./task-handle.ts";

/** What it needs of its server. */
export interface LateTaskHost {
  readonly receiver: TaskReceiver;
  readonly clock: Clock;
  readonly onDiagnostic: OnDiagnostic;
}

/** See the head of this file. */
export class LateTask {
  readonly #host: LateTaskHost;
  readonly #call: TaskableCall;
  readonly #answered = createDeferred<JsonObject>();
  readonly #outcome = createDeferred<TaskOutcome>();
  #begun: Promise<TaskHandle> | undefined;
  #cancelTimer: () => void = () => undefined;

  constructor(host: LateTaskHost, call: TaskableCall) {
    this.#host = host;
    this.#call = call;
  }

  /**
   * Answers the call.
   *
   * @param afterMs - how long it may take; `undefined` where only the handler decides
   */
  answer(afterMs: number | undefined): MaybePromise<JsonObject> {
    const { scope } = this.#call.ctx;
    scope.work.detach();
    scope.work.begin = () => this.#begin();
    const result = this.#call.run();
    return isPromise(result) || this.#begun !== undefined
      ? this.#wait(Promise.resolve(result), afterMs)
      : toJson(result);
  }

  #wait(result: Promise<CallToolResult>, afterMs: number | undefined): Promise<JsonObject> {
    this.#follow(result);
    if (afterMs !== undefined && this.#begun === undefined) {
      this.#cancelTimer = this.#host.clock.after(afterMs, () => this.#takesLong());
    }
    return this.#answered.promise;
  }

  #follow(result: Promise<CallToolResult>): void {
    void toOutcome(this.#call, () => result).then(this.#outcome.resolve);
    const settle = (answer: () => void): void => {
      this.#cancelTimer();
      // Where a task is being begun, the call is answered with it; only if that fails, with what the handler gave.
      if (this.#begun === undefined) {
        answer();
      } else {
        this.#begun.catch(answer);
      }
    };
    result.then(
      (value) => settle(() => this.#answered.resolve(toJson(value))),
      (error: unknown) => settle(() => this.#answered.reject(error)),
    );
  }

  /** A call that waits for answers is about to end, with its questions. */
  #takesLong(): void {
    if (this.#call.ctx.scope.rounds?.suspended === undefined) {
      this.#begin().catch((error: unknown) => {
        const message = "a call that takes long could not become a task, and goes on as it is";
        this.#host.onDiagnostic({ code: "MCP_D_TASK_NOT_BEGUN", message, detail: error });
      });
    }
  }

  #begin(): Promise<TaskHandle> {
    this.#begun ??= this.#create();
    return this.#begun;
  }

  async #create(): Promise<TaskHandle> {
    this.#cancelTimer();
    const { scope } = this.#call.ctx;
    const begun = createDeferred<TaskHandle>();
    const record = await beginTask(this.#host.receiver, this.#call, undefined, () => {
      if (scope.work.task?.handle !== undefined) {
        begun.resolve(scope.work.task.handle);
      }
      return this.#outcome.promise;
    });
    this.#answered.resolve(toCreated(record, this.#call));
    return begun.promise;
  }
}

function toJson(result: CallToolResult): JsonObject {
  return { ...result };
}

/**
 * Follows a task at whoever holds it, to its end: looks at it at the pace that its holder names, answers what it asks, and
 * gives what the request would have given.
 *
 * Knows tasks by their ids, so that it outlives connections and sessions. Notifications only make it quicker [TASK-040].
 * Specification: Basic > Utilities > Tasks; Extensions > Tasks.
 */
import { raceAbort } from "../base/abort.ts";
import { createDeferred } from "../base/deferred.ts";
import { sleep } from "../base/timer.ts";
import { RpcError, rpcCodes } from "../jsonrpc/error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { InputRequest } from "../protocol/types/input.ts";
import type { Task } from "../protocol/types/tasks.ts";
import { isRpcError, isUnknownTask, TaskError, toTaskLoss } from "./follower-error.ts";
import type { FollowerHost } from "./follower-host.ts";
import { Pace, toInterval } from "./follower-pace.ts";
import { TaskQuestions } from "./follower-questions.ts";
import { TaskResult } from "./follower-result.ts";
import { isSettled, readTaskState, type TaskState } from "./follower-state.ts";

/** What came of a task. */
type Outcome = { readonly result: JsonObject } | { readonly error: unknown };

/** See the head of this file. */
export class Follower {
  readonly taskId: string;
  readonly #host: FollowerHost;
  readonly #pace = new Pace();
  readonly #questions: TaskQuestions;
  readonly #result: TaskResult;
  #state: TaskState | undefined;
  #outcome: Outcome | undefined;
  /** No sooner than that the task is looked at again. */
  #nextLookAt: number;
  /** Ends the pause between two looks. */
  #wake = createDeferred();

  /** @param task - as its holder handed it out; without it the first thing is a look */
  constructor(host: FollowerHost, taskId: string, task?: JsonObject) {
    this.#host = host;
    this.taskId = taskId;
    this.#nextLookAt = host.clock.now();
    this.#questions = new TaskQuestions({
      answer: (key, question, signal) => this.#answer(key, question, signal),
      update: (inputResponses, signal) => this.#update(inputResponses, signal),
      onFailure: () => this.#wake.resolve(),
    });
    this.#result = new TaskResult(host, taskId, (result) => {
      this.#outcome ??= { result };
      this.#wake.resolve();
    });
    if (task !== undefined) {
      this.#state = readTaskState(task, host.form);
      // What is handed out says no more than where the task stands: what it asks or gave shows when it is looked at.
      this.#nextLookAt += this.#state.task.status === "working" ? toInterval(this.#state.task) : 0;
    }
  }

  /** The task as it was last seen. */
  get task(): Task | undefined {
    return this.#state?.task;
  }

  /** Whether it is known what came of it. */
  get isOver(): boolean {
    return this.#outcome !== undefined;
  }

  /** Takes what a notification says of the task; nothing that is older than what is known already. */
  receive(value: JsonObject): void {
    const next = readTaskState(value, this.#host.form);
    const known = this.#state?.task;
    if (known === undefined || !(Date.parse(next.task.lastUpdatedAt) < Date.parse(known.lastUpdatedAt))) {
      this.#take(next);
      this.#wake.resolve();
    }
  }

  /**
   * Follows the task to its end; may be called again after it was given up, but not while it runs.
   *
   * @param signal - gives up following; the task goes on
   * @returns the result, as the request without a task would have given it
   * @throws RpcError with what the request failed with; {@link TaskError} for a task that was cancelled or is gone; what
   * keeps its holder from being reached; what kept a question from being answered; the signal's reason
   */
  async run(signal: AbortSignal): Promise<JsonObject> {
    try {
      while (this.#outcome === undefined) {
        signal.throwIfAborted();
        this.#wake = createDeferred();
        await this.#lookIfDue(signal);
        await this.#proceed(signal);
      }
    } finally {
      this.#questions.stop(signal.reason);
    }
    if ("error" in this.#outcome) {
      throw this.#outcome.error;
    }
    return this.#outcome.result;
  }

  /** Asks for the task to be cancelled; one that is over or gone needs no more. */
  async cancel(): Promise<void> {
    if (this.#outcome !== undefined) {
      return;
    }
    try {
      const answer = await this.#host.request("tasks/cancel", { taskId: this.taskId });
      if ("ttl" in answer) {
        this.receive(answer);
      }
    } catch (error) {
      if (!isUnknownTask(error)) {
        throw error;
      }
    }
  }

  async #lookIfDue(signal: AbortSignal): Promise<void> {
    const { clock } = this.#host;
    if (clock.now() < this.#nextLookAt) {
      return;
    }
    try {
      const state = await this.#look(signal);
      this.#pace.succeed();
      this.#take(state);
      this.#nextLookAt = clock.now() + toInterval(state.task);
    } catch (error) {
      if (signal.aborted) {
        throw error;
      }
      const loss = this.#toLoss(error);
      if (loss !== undefined) {
        this.#outcome = { error: loss };
        return;
      }
      this.#nextLookAt = clock.now() + Math.max(this.#pace.fail(error), toInterval(this.#state?.task));
    }
  }

  /** A look that is given up is not withdrawn: it is short, and nothing is to be taken for a cancellation [X-TASK-032]. */
  async #look(signal: AbortSignal): Promise<TaskState> {
    const answer = await raceAbort(this.#host.request("tasks/get", { taskId: this.taskId }), signal);
    return readTaskState(answer, this.#host.form);
  }

  #take(state: TaskState): void {
    const known = this.#state;
    if (known !== undefined && isSettled(known, this.#host.form)) {
      return;
    }
    this.#state = state;
    if (known === undefined || isChange(known.task, state.task)) {
      this.#host.onChange?.(state.task);
    }
  }

  /** What follows from what is known: the end, something to answer, or a pause. */
  async #proceed(signal: AbortSignal): Promise<void> {
    this.#questions.throwFailure();
    const state = this.#state;
    if (this.#outcome !== undefined) {
      return;
    }
    if (state !== undefined && isSettled(state, this.#host.form)) {
      this.#outcome = await this.#settle(state, signal);
      return;
    }
    if (state !== undefined && this.#host.form === "core") {
      if (state.task.status === "input_required") {
        this.#result.expect();
      }
    } else {
      this.#questions.take(state?.task.status === "input_required" ? state.inputRequests : undefined);
    }
    const delayMs = this.#nextLookAt - this.#host.clock.now();
    if (delayMs > 0) {
      await this.#pause(delayMs, signal);
    }
  }

  async #pause(delayMs: number, signal: AbortSignal): Promise<void> {
    const wake = this.#wake;
    const cancel = this.#host.clock.after(delayMs, () => wake.resolve());
    try {
      await raceAbort(wake.promise, signal);
    } finally {
      cancel();
    }
  }

  async #settle(state: TaskState, signal: AbortSignal): Promise<Outcome> {
    const { task, result, error } = state;
    if (task.status === "cancelled") {
      const { taskId, statusMessage } = task;
      const why = statusMessage === undefined ? "" : `: ${statusMessage}`;
      return { error: new TaskError(`${taskId}: the task was cancelled${why}`, { reason: "cancelled", taskId }) };
    }
    if (this.#host.form === "core") {
      return this.#fetchOutcome(task, signal);
    }
    if (error !== undefined) {
      const { code, message, data } = error;
      return { error: new RpcError(code, message, { data, remote: true }) };
    }
    return { result: result ?? {} };
  }

  /** Asks for what the request gave, once the task is over [TASK-030]. */
  async #fetchOutcome(task: Task, signal: AbortSignal): Promise<Outcome> {
    const { clock } = this.#host;
    for (;;) {
      try {
        return { result: await this.#result.fetch(toInterval(task), signal) };
      } catch (error) {
        if (signal.aborted) {
          throw error;
        }
        if (task.status === "failed" && isRpcError(error)) {
          return { error };
        }
        const loss = this.#toLoss(error);
        if (loss !== undefined) {
          return { error: loss };
        }
        await sleep(clock, this.#pace.fail(error), signal);
      }
    }
  }

  async #answer(key: string, question: InputRequest, signal: AbortSignal): Promise<JsonObject> {
    if (this.#host.answer === undefined) {
      throw new RpcError(rpcCodes.methodNotFound, `${question.method}: nobody answers what a task asks here`);
    }
    return this.#host.answer(key, question, signal);
  }

  async #update(inputResponses: { readonly [key: string]: JsonObject }, signal: AbortSignal): Promise<void> {
    const pace = new Pace();
    for (;;) {
      try {
        await this.#host.request("tasks/update", { taskId: this.taskId, inputResponses });
        return;
      } catch (error) {
        await sleep(this.#host.clock, pace.fail(error), signal);
      }
    }
  }

  /** What an error of a request about the task means for the task; `undefined` where it means nothing. */
  #toLoss(error: unknown): TaskError | undefined {
    return toTaskLoss(error, this.taskId, this.task, this.#host.clock.now());
  }
}

/** Whether there is something to tell. */
function isChange(known: Task, next: Task): boolean {
  return known.status !== next.status || known.statusMessage !== next.statusMessage;
}

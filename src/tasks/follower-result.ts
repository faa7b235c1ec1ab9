/**
 * `tasks/result`, by which the core form of tasks gives what a request gave, and by which its questions come while it waits.
 *
 * Specification: Basic > Utilities > Tasks > Result Retrieval, Input Required Status.
 */
import { raceAbort } from "../base/abort.ts";
import { createDeferred } from "../base/deferred.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { FollowerHost, TaskRequestOptions } from "./follower-host.ts";

/** The result of one task. */
export class TaskResult {
  readonly #host: Pick<FollowerHost, "clock" | "request">;
  readonly #taskId: string;
  readonly #onResult: (result: JsonObject) => void;
  /** A request that waits for the end of the task. */
  #waiting: Promise<JsonObject> | undefined;

  /** @param onResult - told of a result that came to who waited for it */
  constructor(host: Pick<FollowerHost, "clock" | "request">, taskId: string, onResult: (result: JsonObject) => void) {
    this.#host = host;
    this.#taskId = taskId;
    this.#onResult = onResult;
  }

  /** Waits for the result, however long it takes, unless that is done already [TASK-034]. */
  expect(): void {
    if (this.#waiting !== undefined) {
      return;
    }
    const unlimited = Number.POSITIVE_INFINITY;
    const waiting = this.#request({ idleTimeoutMs: unlimited, totalTimeoutMs: unlimited });
    this.#waiting = waiting;
    waiting.then(
      (result) => this.#onResult(result),
      () => {
        // What it means shows when the task is looked at again: it has failed, is gone, or is to be waited for anew.
        this.#waiting = undefined;
      },
    );
  }

  /**
   * The result of a task that is over: of the request that waits already, which is given a moment, or of another one.
   *
   * @param graceMs - that moment, in milliseconds
   */
  async fetch(graceMs: number, signal: AbortSignal): Promise<JsonObject> {
    const waiting = this.#waiting;
    if (waiting !== undefined) {
      const late = createDeferred<undefined>();
      const stop = this.#host.clock.after(graceMs, () => late.resolve(undefined));
      try {
        const result = await raceAbort(Promise.race([waiting, late.promise]), signal);
        if (result !== undefined) {
          return result;
        }
      } finally {
        stop();
      }
    }
    return raceAbort(this.#request({}), signal);
  }

  #request(limits: TaskRequestOptions): Promise<JsonObject> {
    return this.#host.request("tasks/result", { taskId: this.#taskId }, limits);
  }
}

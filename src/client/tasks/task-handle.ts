/**
 * A tool call that may take long, to be followed by hand: where it stands, its result, its end before time.
 *
 * Nothing is sent before somebody wants to know something of it.
 */
import { createDeferred } from "../../base/deferred.ts";
import type { Unsubscribe } from "../../base/emitter.ts";
import type { Task, TaskStatus } from "../../protocol/types/tasks.ts";
import type { TypedCallResult } from "../tools/typed-tools.ts";

/** What a handle shows. */
export interface TaskHandleSource {
  readonly id: string | undefined;
  readonly immediateResponse: string;
  task(): Task | undefined;
  wait(options: TaskResultOptions): Promise<TypedCallResult<unknown>>;
  watch(onChange: (task: Task) => void, onEnd: (error?: unknown) => void): Unsubscribe;
  cancel(): Promise<void>;
  /** Told why the task could not be followed, where nobody else is. */
  onUnfollowed(error: unknown): void;
}

/** Options of waiting for the result of a task. */
export interface TaskResultOptions {
  /** Gives up waiting; the task goes on. */
  signal?: AbortSignal | undefined;
}

/** Hears where a task stands. */
export type TaskListener = (task: Task) => void;

/**
 * A call in progress. Walk it for where it stands, each change once, until it is over; await `result` for what came of it.
 * While anybody does either, the task is looked at and its questions are answered by the client's handlers.
 *
 * @example
 * ```ts
 * import type { ClientSession } from "parley-mcp/client";
 *
 * export async function report(session: ClientSession, keep: (id: string | undefined) => void): Promise<unknown> {
 *   const handle = await session.tasks.call("report", { year: 2026 });
 *   keep(handle.id); // session.tasks.follow(id) goes on with it, in another process too
 *   for await (const { status, statusMessage } of handle) {
 *     if (status === "input_required" && statusMessage === "pay first") {
 *       await handle.cancel();
 *     }
 *   }
 *   return handle.result();
 * }
 * ```
 */
export class TaskHandle<Output = unknown> implements AsyncIterable<Task> {
  readonly #source: TaskHandleSource;

  constructor(source: TaskHandleSource) {
    this.#source = source;
  }

  /** Names the task at its server; `undefined` where the server gave the result at once. Keep it to resume. */
  get id(): string | undefined {
    return this.#source.id;
  }

  /** The task as it was last seen; `undefined` before that, and without one. */
  get task(): Task | undefined {
    return this.#source.task();
  }

  /** Where it stands, as it was last seen; `undefined` before that. */
  get status(): TaskStatus | undefined {
    return this.#source.id === undefined ? "completed" : this.task?.status;
  }

  /** What to tell the model meanwhile: the server's words, or a general sentence where it has none [TASK-015]. */
  get immediateResponse(): string {
    return this.#source.immediateResponse;
  }

  /**
   * The result, as the call without a task would have given it, also one with `isError`.
   *
   * @throws RpcError with what the call failed with; {@link TaskError} for a task that was cancelled, has expired or is
   * gone; {@link InputError} for a question that could not be answered; {@link PeerError}; the signal's reason
   */
  result(options: TaskResultOptions = {}): Promise<TypedCallResult<Output>> {
    return this.#source.wait(options) as Promise<TypedCallResult<Output>>;
  }

  /**
   * Asks the server to cancel it, which it may do, or not. One that is over needs no more.
   *
   * @throws {@link MissingCapabilityError} where the server cancels no tasks
   */
  cancel(): Promise<void> {
    return this.#source.cancel();
  }

  /**
   * Hears where it stands, whenever that has changed.
   *
   * @returns stops hearing
   */
  onStatus(listener: TaskListener): Unsubscribe {
    return this.#source.watch(listener, (error) => {
      if (error !== undefined) {
        this.#source.onUnfollowed(error);
      }
    });
  }

  /** Where it stands, then every change, until it is over. @throws what keeps it from being followed */
  async *[Symbol.asyncIterator](): AsyncIterator<Task> {
    const seen: Task[] = this.task === undefined ? [] : [this.task];
    let ending: { readonly error: unknown } | undefined;
    let next = createDeferred();
    const stop = this.#source.watch(
      (task) => {
        seen.push(task);
        next.resolve();
      },
      (error) => {
        ending = { error };
        next.resolve();
      },
    );
    try {
      for (;;) {
        yield* seen.splice(0);
        if (ending !== undefined && seen.length === 0) {
          break;
        }
        await next.promise;
        next = createDeferred();
      }
    } finally {
      stop();
    }
    if (ending.error !== undefined) {
      throw ending.error;
    }
  }
}

/**
 * The work of one request: its signal, what is done once in it, and the task that it may go on as, for longer than the
 * request.
 */
import { type LinkedSignal, linkSignals } from "../../base/abort.ts";
import type { InputRounds } from "../asking/input-rounds.ts";
import type { MaybePromise } from "../maybe.ts";
import { Memo } from "../requests/memo.ts";
import type { ScopeTask } from "./scope-task.ts";
import type { TaskHandle } from "./task-handle.ts";

/** The request, as far as its work depends on it. */
export interface WorkRequest {
  /** Where the client is asked by rounds: those of the request. */
  readonly rounds: InputRounds | undefined;
  readonly exchange: { readonly signal: AbortSignal };
}

/** See the head of this file. */
export class ScopeWork {
  /** The task that the request goes on as; `undefined` where there is none, and until it is decided that there is one. */
  task: ScopeTask | undefined;
  /** Has the request go on as a task, where its handler may decide that. */
  begin: (() => Promise<TaskHandle>) | undefined;
  readonly #request: WorkRequest;
  #memo: Memo | undefined;
  #link: LinkedSignal | undefined;

  constructor(request: WorkRequest) {
    this.#request = request;
  }

  /** Aborts with the request, or with the task. */
  get signal(): AbortSignal {
    const { rounds, exchange } = this.#request;
    return this.#link?.signal ?? rounds?.signal ?? exchange.signal;
  }

  /** Gives the work a signal of its own, which follows the request until it is released. */
  detach(): LinkedSignal {
    this.#link ??= linkSignals(this.signal);
    return this.#link;
  }

  /** Results of what is done once. */
  get memo(): Memo {
    this.#memo ??= this.task?.memo ?? this.#request.rounds?.memory ?? new Memo();
    return this.#memo;
  }

  /** Rounds of questions, as long as the request is what the client is asked by. */
  get rounds(): InputRounds | undefined {
    return this.task === undefined ? this.#request.rounds : undefined;
  }

  /** Does something once; nothing is begun when the request is about to end with questions. */
  once<T>(key: string, work: () => MaybePromise<T>): Promise<T> {
    return (this.rounds ?? this.memo).once(key, work);
  }
}

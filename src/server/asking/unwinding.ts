/**
 * How a run of a handler ends when its questions go to the client: their promises reject one after the other, the one
 * made last first, until the handler has ended; those that are left stay pending.
 *
 * A handler waits for what it made last, so its `finally` blocks run, and a branch that nobody waits for any more is
 * no unhandled rejection. Such a branch hears of the end by its signal.
 */
import { createDeferred } from "../../base/deferred.ts";
import { Suspension } from "./suspension.ts";

/** A promise that a handler was given. */
interface Held {
  reject(error: unknown): void;
  /** What it is to reject with, once it is its turn. */
  suspension: Suspension | undefined;
}

/** See the head of this file. One object per run. */
export class Unwinding {
  readonly #held = new Set<Held>();
  #isScheduled = false;
  #hasEnded = false;

  /** A promise for the handler: settles as the given one does, but is told of the end of the run in its turn. */
  hold<T>(promise: Promise<T>): Promise<T> {
    const outer = createDeferred<T>();
    const held: Held = { reject: outer.reject, suspension: undefined };
    // Whoever asked without waiting must not take the process down.
    outer.promise.catch(() => undefined);
    this.#held.add(held);
    promise.then(
      (value) => {
        this.#held.delete(held);
        outer.resolve(value);
      },
      (error: unknown) => {
        if (error instanceof Suspension) {
          held.suspension = error;
          this.#schedule();
        } else {
          this.#held.delete(held);
          outer.reject(error);
        }
      },
    );
    return outer.promise;
  }

  /** The handler has ended. */
  end(): void {
    this.#hasEnded = true;
    this.#held.clear();
  }

  /** Each gets a turn of its own, in which the handler may come to its end. */
  #schedule(): void {
    if (!this.#isScheduled && !this.#hasEnded) {
      this.#isScheduled = true;
      setTimeout(() => this.#rejectLast(), 0);
    }
  }

  #rejectLast(): void {
    this.#isScheduled = false;
    const last = [...this.#held].reverse().find(({ suspension }) => suspension !== undefined);
    if (last !== undefined) {
      this.#held.delete(last);
      last.reject(last.suspension);
      this.#schedule();
    }
  }
}

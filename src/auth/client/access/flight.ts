/**
 * One piece of work that several callers wait for. It belongs to none of them: one that gives up leaves the others
 * waiting, and only when all have given up is the work given up.
 *
 * While the work waits for a person, the clocks of all who wait stand still. What the work is, is not known here.
 */
import { type LinkedSignal, linkSignals, raceAbort } from "../../../base/abort.ts";
import { ClosedError } from "../../../base/error.ts";

/** One who waits. */
export interface Waiter {
  readonly signal?: AbortSignal | undefined;
  /** Stops the waiter's clocks; gives what lets them run again. */
  readonly hold?: (() => () => void) | undefined;
}

/** What the work gets. */
export interface Turn {
  /** Aborts when nobody waits any more. */
  readonly signal: AbortSignal;
  /** Stops the clocks of all who wait, also of those who come later. */
  readonly hold: () => () => void;
}

/** Options of a {@link Flight}. */
export interface FlightOptions<T> {
  /** What it is for: those who want the same may share the outcome, good or bad. */
  readonly key: string;
  readonly work: (turn: Turn) => Promise<T>;
  /** Whether it goes on when nobody waits. */
  readonly isBackground: boolean;
}

/** See the head of this file. */
export class Flight<T> {
  readonly key: string;
  /** Rejects as the work does; handled also where nobody waits. */
  readonly outcome: Promise<T>;
  readonly #isBackground: boolean;
  readonly #control: LinkedSignal = linkSignals();
  /** Who waits, and what lets their clocks run again where they stand still. */
  readonly #waiters = new Map<Waiter, (() => void) | undefined>();
  #holds = 0;

  constructor({ key, work, isBackground }: FlightOptions<T>) {
    this.key = key;
    this.#isBackground = isBackground;
    this.outcome = work({ signal: this.#control.signal, hold: () => this.#hold() });
    this.outcome.catch(() => {
      // Whoever waits is told; without anybody, the work has reported it.
    });
  }

  /** Whether it was given up, so that its outcome says nothing. */
  get isAbandoned(): boolean {
    return this.#control.signal.aborted;
  }

  /**
   * Waits for the outcome.
   *
   * @throws the reason of the waiter's own signal; what the work throws
   */
  async join(waiter: Waiter): Promise<T> {
    const seat = { ...waiter };
    this.#waiters.set(seat, this.#holds > 0 ? seat.hold?.() : undefined);
    try {
      return await raceAbort(this.outcome, seat.signal);
    } finally {
      this.#waiters.get(seat)?.();
      this.#waiters.delete(seat);
      if (this.#waiters.size === 0 && !this.#isBackground) {
        this.#control.abort(new ClosedError("nobody waits for the authorization any more"));
      }
    }
  }

  /** Gives the work up, whoever waits. */
  abort(reason: unknown): void {
    this.#control.abort(reason);
  }

  #hold(): () => void {
    this.#holds += 1;
    if (this.#holds === 1) {
      for (const waiter of this.#waiters.keys()) {
        this.#waiters.set(waiter, waiter.hold?.());
      }
    }
    let isHeld = true;
    return () => {
      if (!isHeld) {
        return;
      }
      isHeld = false;
      this.#holds -= 1;
      if (this.#holds === 0) {
        for (const [waiter, resume] of this.#waiters) {
          this.#waiters.set(waiter, undefined);
          resume?.();
        }
      }
    };
  }
}

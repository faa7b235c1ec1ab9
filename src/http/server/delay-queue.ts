/**
 * Many waits of the same length on one timer: for keep-alives, idle sessions, ageing events and slow answers.
 *
 * Since all wait equally long, entries stay in the order in which they were added, and only the first needs a timer.
 * Adding and removing cost one set operation. A timer that finds the queue empty is the last one.
 */
import type { Clock } from "../../base/timer.ts";

/** An entry remembers when it is due; the queue alone writes to it. */
export interface Delayed {
  /** Milliseconds since the epoch. */
  dueAt: number;
}

/** A queue with one fixed delay. */
export class DelayQueue<Entry extends Delayed> {
  readonly #entries = new Set<Entry>();
  readonly #clock: Clock;
  readonly #delayMs: number;
  readonly #onDue: (entry: Entry) => void;
  #cancelTimer: (() => void) | undefined;

  /**
   * @param delayMs - how long every entry waits; `Infinity` for ever
   * @param onDue - gets each entry once, when it is due and no longer in the queue; must not throw
   */
  constructor(clock: Clock, delayMs: number, onDue: (entry: Entry) => void) {
    this.#clock = clock;
    this.#delayMs = delayMs;
    this.#onDue = onDue;
  }

  /** How many entries wait. */
  get size(): number {
    return this.#entries.size;
  }

  /** The entry that has waited longest. */
  get oldest(): Entry | undefined {
    for (const entry of this.#entries) {
      return entry;
    }
    return undefined;
  }

  /** Starts an entry's wait, anew if it was waiting. */
  add(entry: Entry): void {
    this.#entries.delete(entry);
    entry.dueAt = this.#clock.now() + this.#delayMs;
    this.#entries.add(entry);
    if (this.#cancelTimer === undefined && this.#delayMs !== Number.POSITIVE_INFINITY) {
      this.#cancelTimer = this.#clock.after(this.#delayMs, () => this.#fire());
    }
  }

  /** Ends an entry's wait; false where it was not waiting. */
  delete(entry: Entry): boolean {
    return this.#entries.delete(entry);
  }

  /** Forgets every entry and drops the timer. */
  clear(): void {
    this.#entries.clear();
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }

  /** Gives out what is due, and sets the timer for the entry that is then first. */
  #fire(): void {
    // While entries are given out, those added again must not set a timer: an earlier one may still be waiting.
    this.#cancelTimer = nothing;
    const now = this.#clock.now();
    for (const entry of this.#entries) {
      // Longer than every entry waits: the clock was put back, and nothing may stand still for so long.
      const isDue = entry.dueAt <= now || entry.dueAt > now + this.#delayMs;
      if (!isDue) {
        break;
      }
      this.#entries.delete(entry);
      this.#onDue(entry);
    }
    const next = this.oldest;
    this.#cancelTimer =
      next === undefined ? undefined : this.#clock.after(Math.max(1, next.dueAt - now), () => this.#fire());
  }
}

const nothing = (): void => undefined;

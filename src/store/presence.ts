/**
 * Which processes live: each says so in the store from time to time, and whoever has not done so for the length of a lease
 * counts as dead, so that what it had begun can be ended or taken over.
 *
 * A process that was stopped for longer than its lease may be counted out while it still runs: what it must not overwrite
 * then is written with `ifVersion`.
 */
import { createId } from "../base/id.ts";
import { type Clock, systemClock } from "../base/timer.ts";
import type { KeyValue } from "./contracts.ts";

/** Options of a presence. */
export interface PresenceOptions {
  /** How long after its last sign of life a process counts as dead, in milliseconds. Default 10 000. */
  leaseMs?: number | undefined;
  /** Default: the system's, whose timers do not keep a process alive. */
  clock?: Clock | undefined;
}

/** This process, as others see it, and others as this one sees them. */
export class Presence {
  /** Names this process; letters, digits, `-` and `_`. */
  readonly id: string = createId(6);
  readonly leaseMs: number;
  readonly #store: KeyValue;
  readonly #clock: Clock;
  /** Whether this process is to be seen. */
  #isBegun = false;
  /** Until when the sign counts that the store took last; others may see it a little longer. */
  #seenUntilMs = 0;
  #signing: Promise<void> | undefined;
  /** What the store was asked for last: a sign and its deletion must not overtake each other. */
  #last: Promise<unknown> = Promise.resolve();
  #cancel: () => void = () => undefined;

  constructor(store: KeyValue, { leaseMs = 10_000, clock = systemClock }: PresenceOptions = {}) {
    this.#store = store;
    this.#clock = clock;
    this.leaseMs = leaseMs;
  }

  /**
   * Says that this process lives, and goes on saying so until `end`. Resolves once the store has it; calling it again
   * costs nothing, unless the last sign is out of date, because the store or this process stood still.
   *
   * @throws what the store rejects with; the next call tries anew
   */
  begin(): Promise<void> {
    this.#isBegun = true;
    return this.#clock.now() < this.#seenUntilMs ? Promise.resolve() : this.#sign();
  }

  /** Whether a process lives, as far as the store knows. */
  async isAlive(id: string): Promise<boolean> {
    return (await this.#store.get(toKey(id))) !== undefined;
  }

  /**
   * This process no longer does anything that others may depend on.
   *
   * @throws what the store rejects with; the sign is then out of date by itself after a lease
   */
  async end(): Promise<void> {
    if (this.#isBegun) {
      this.#isBegun = false;
      this.#seenUntilMs = 0;
      this.#signing = undefined;
      this.#cancel();
      await this.#inTurn(() => this.#store.delete(toKey(this.id)));
    }
  }

  #sign(): Promise<void> {
    if (this.#signing === undefined) {
      this.#cancel();
      const signing = this.#inTurn(() => this.#setSign()).finally(() => {
        if (this.#signing === signing) {
          this.#signing = undefined;
          this.#plan();
        }
      });
      this.#signing = signing;
    }
    return this.#signing;
  }

  async #setSign(): Promise<void> {
    // The store may count from any moment since it was asked; the earliest is the safe one.
    const askedAt = this.#clock.now();
    await this.#store.set(toKey(this.id), "1", { ttlMs: this.leaseMs });
    this.#seenUntilMs = this.#isBegun ? askedAt + this.leaseMs : 0;
  }

  /** A third of a lease after the last sign, which leaves time to try more often where one is not taken. */
  #plan(): void {
    const inTimeMs = this.#seenUntilMs - (this.leaseMs * 2) / 3 - this.#clock.now();
    // A clock that was put back makes it seem long; the store counts on.
    const delayMs = Math.min(Math.max(inTimeMs, this.leaseMs / 10), this.leaseMs / 3);
    this.#cancel = this.#clock.after(delayMs, () => {
      this.#sign().catch(() => {
        // The store is out of reach for now; the next sign is planned already, and others see none meanwhile.
      });
    });
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work);
    this.#last = turn;
    return turn;
  }
}

function toKey(id: string): string {
  return `node/${id}`;
}

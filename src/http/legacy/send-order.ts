/**
 * Keeps sends in order without letting one hold up the rest for ever: each begins when the one before it is done, or
 * has taken so long that its receiver is taken to hold its answer back on purpose.
 */
import { createDeferred } from "../../base/deferred.ts";
import type { Clock } from "../../base/timer.ts";

/** A queue of sends. */
export class SendOrder {
  readonly #clock: Clock;
  readonly #holdMs: number;
  #last: Promise<void> = Promise.resolve();

  /** @param holdMs - how long one send may keep the next one waiting, in milliseconds */
  constructor(clock: Clock, holdMs: number) {
    this.#clock = clock;
    this.#holdMs = holdMs;
  }

  /** Runs a send in its turn, and settles as it does. One that fails does not fail the next. */
  async run(send: () => Promise<void>): Promise<void> {
    const before = this.#last;
    const passed = createDeferred();
    this.#last = passed.promise;
    await before;
    const stop = this.#clock.after(this.#holdMs, () => passed.resolve());
    try {
      await send();
    } finally {
      stop();
      passed.resolve();
    }
  }
}

/** A clock that stands still until a test moves it. */
import type { Clock } from "../base/timer.ts";

/** A clock under a test's control. */
export interface FakeClock extends Clock {
  /** Moves time on and runs what falls due, in order of time. Promise callbacks run in between. */
  advance(ms: number): Promise<void>;
  /** Timers that wait. Zero after a clean close. */
  readonly pendingTimers: number;
}

interface Timer {
  readonly at: number;
  readonly callback: () => void;
}

/**
 * Makes a clock for tests.
 *
 * @param start - its first time, in milliseconds since the epoch
 * @example
 * ```ts
 * import { createFakeClock } from "parley-mcp/test";
 *
 * const clock = createFakeClock();
 * let rang = false;
 * clock.after(1_000, () => {
 *   rang = true;
 * });
 * await clock.advance(1_000);
 * if (!rang) {
 *   throw new Error("expected the timer to have run");
 * }
 * ```
 */
export function createFakeClock(start = 0): FakeClock {
  let now = start;
  const timers = new Set<Timer>();
  const nextDue = (until: number): Timer | undefined => {
    let due: Timer | undefined;
    for (const timer of timers) {
      if (timer.at <= until && (due === undefined || timer.at < due.at)) {
        due = timer;
      }
    }
    return due;
  };
  return {
    now: () => now,
    after: (delayMs, callback) => {
      const timer = { at: now + delayMs, callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance: async (ms) => {
      const until = now + ms;
      await settle();
      for (let due = nextDue(until); due !== undefined; due = nextDue(until)) {
        timers.delete(due);
        now = Math.max(now, due.at);
        due.callback();
        await settle();
      }
      now = until;
      await settle();
    },
    get pendingTimers() {
      return timers.size;
    },
  };
}

/** Lets promise callbacks that are ready run, also those they make ready. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) {
    await undefined;
  }
}

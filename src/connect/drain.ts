/** Waiting for calls in progress to end, within a limit. */
import { type Clock, sleep } from "../base/timer.ts";

/** How often is looked, in milliseconds: nobody is told when a call ends, and stopping is rare. */
const intervalMs = 20;

/**
 * Waits until nothing is in progress.
 *
 * @param open - how many calls are in progress
 * @param timeoutMs - how long at most, in milliseconds
 * @param clock - whose time; one that keeps the process alive where nothing else does
 * @returns how many still were when the time was over
 */
export async function drain(open: () => number, timeoutMs: number, clock: Clock): Promise<number> {
  const end = clock.now() + timeoutMs;
  while (open() > 0 && clock.now() < end) {
    await sleep(clock, Math.min(intervalMs, end - clock.now()));
  }
  return open();
}

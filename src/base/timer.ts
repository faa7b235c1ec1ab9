/**
 * Time as something that can be handed in: a clock with `now` and one-shot timers.
 *
 * Timers of the system clock never keep a process alive. Tests hand in a clock that they move themselves.
 */

/** A source of time. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /**
   * Runs `callback` once after `delayMs` milliseconds.
   *
   * @returns cancels it
   */
  after(delayMs: number, callback: () => void): () => void;
}

/** The system's clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, Math.min(delayMs, 0x7fffffff));
    letProcessEnd(timer);
    return () => clearTimeout(timer);
  },
};

/** The system's clock, with timers that do keep a process alive: for waits that somebody else's work depends on. */
export const holdingClock: Clock = {
  now: () => Date.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, Math.min(delayMs, 0x7fffffff));
    return () => clearTimeout(timer);
  },
};

/** Node's timers are objects that hold the event loop open unless told otherwise; elsewhere they are numbers. */
function letProcessEnd(timer: unknown): void {
  if (typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function") {
    timer.unref();
  }
}

/**
 * Resolves after a delay, or rejects with the signal's reason.
 *
 * @param clock - whose time
 * @param delayMs - how long, in milliseconds
 */
export function sleep(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = (): void => {
      cancel();
      reject(signal?.reason);
    };
    const cancel = clock.after(delayMs, () => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    });
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

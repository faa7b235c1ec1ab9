/** Delays between attempts: exponential, capped, with jitter so that many clients do not return at once. */

/** How delays grow. */
export interface BackoffOptions {
  /** Delay before the second attempt, in milliseconds. Default 500. */
  initialDelayMs?: number;
  /** Longest delay, in milliseconds. Default 30 000. */
  maxDelayMs?: number;
  /** Factor from one delay to the next. Default 2. */
  factor?: number;
  /** Source of randomness from 0 to 1. Default `Math.random`. */
  random?: () => number;
}

/**
 * The delay before an attempt, in milliseconds: between half of the exponential delay and all of it.
 *
 * @param attempt - how many attempts have failed, from 1
 */
export function backoffDelay(attempt: number, options: BackoffOptions = {}): number {
  const { initialDelayMs = 500, maxDelayMs = 30_000, factor = 2, random = Math.random } = options;
  const full = Math.min(maxDelayMs, initialDelayMs * factor ** (attempt - 1));
  return full / 2 + (full / 2) * random();
}

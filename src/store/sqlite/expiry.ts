/** Times to live as they are kept: whole milliseconds, or `null` for something that stays. */

/** No time span is longer, so that a point in time is always a safe integer. */
const longestMs = 2 ** 52;

/**
 * A time to live as it is kept.
 *
 * @param ttlMs - default: it stays. What is no number of milliseconds above zero is 0, and what has it is expired at once.
 */
export function toTtl(ttlMs: number = Number.POSITIVE_INFINITY): number | null {
  if (!(ttlMs > 0)) {
    return 0;
  }
  return ttlMs > longestMs ? null : Math.ceil(ttlMs);
}

/** The time in whole milliseconds, as positions and points in time are kept. */
export function toWhole(now: number): number {
  return Math.floor(now);
}

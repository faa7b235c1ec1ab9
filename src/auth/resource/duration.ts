/** Checks options that are durations, before one that is no number keeps something for ever or for no time at all. */
import { UsageError } from "../../base/error.ts";

/**
 * Fails for what is no duration in milliseconds; none is fine.
 *
 * @throws {@link UsageError}
 */
export function assertDuration(option: string, durationMs: number | undefined): void {
  if (durationMs !== undefined && !(Number.isFinite(durationMs) && durationMs >= 0)) {
    throw new UsageError(`${option}: expected a finite number of milliseconds from 0, got ${String(durationMs)}`);
  }
}

/**
 * Whether a refused message is sent again, and after how long. The header itself is read in ../headers.ts.
 *
 * Only refusals that say that nothing was done count: 429 always, 503 when it names a time.
 */
import { backoffDelay } from "../../base/backoff.ts";

/** When a refused message is sent again. */
export interface RetryOptions {
  /** How often one message is sent again at most. Default 3. */
  maxRetries?: number | undefined;
  /** Longest wait that is taken up, in milliseconds; where a longer one is asked for, the call fails at once. Default 30 000. */
  maxDelayMs?: number | undefined;
}

/** {@link RetryOptions} with its defaults. */
export interface RetryPolicy {
  readonly maxRetries: number;
  readonly maxDelayMs: number;
  readonly random: () => number;
}

/**
 * How long to wait before a refused message is sent again, in milliseconds.
 *
 * @param retryAfterMs - the wait that the server asked for, where it did
 * @param attempt - how often the message has been sent, from 1
 * @returns `undefined` where it must not or will not be sent again
 */
export function retryDelay(
  policy: RetryPolicy,
  status: number,
  retryAfterMs: number | undefined,
  attempt: number,
): number | undefined {
  const nothingDone = status === 429 || (status === 503 && retryAfterMs !== undefined);
  if (!nothingDone || attempt > policy.maxRetries) {
    return undefined;
  }
  const delayMs = retryAfterMs ?? backoffDelay(attempt, { random: policy.random });
  return delayMs > policy.maxDelayMs ? undefined : delayMs;
}

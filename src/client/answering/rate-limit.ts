/** How often something may happen: in bursts, and evenly over time after that. The counting is base/token-bucket.ts. */
import type { Clock } from "../../base/timer.ts";
import { TokenBucket } from "../../base/token-bucket.ts";

/** A limit on requests of one kind within one session. */
export interface RateLimitOptions {
  /** How many may come in one burst, at least 1. */
  maxRequests: number;
  /** In how long that many are allowed again, in milliseconds. */
  perMs: number;
}

/** Counts against a {@link RateLimitOptions}. */
export function createRateLimit({ maxRequests, perMs }: RateLimitOptions, clock: Clock): TokenBucket {
  return new TokenBucket(maxRequests, (maxRequests * 1_000) / perMs, () => clock.now());
}

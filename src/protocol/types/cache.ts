/**
 * How long a result may be reused and for whom. Types only; the cache itself belongs to the client.
 */
import type { FinalResult } from "./message.ts";

/** Whether a result may be shared between callers or is for one caller only. Specification: Basic > Utilities > Caching. */
export type CacheScope = "public" | "private";

/** A result with a freshness hint; without one it is stale at once. Specification: Basic > Utilities > Caching. */
export interface CacheableResult extends FinalResult {
  /** How long the result stays fresh after receipt, in milliseconds, at least 0. */
  ttlMs?: number;
  cacheScope?: CacheScope;
}

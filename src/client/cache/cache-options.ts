/** How results are kept, and the same with every default filled in. One per client, shared by its sessions. */
import type { OnDiagnostic } from "../../base/diagnostic.ts";
import { UsageError } from "../../base/error.ts";
import { Flights } from "./cache-flights.ts";
import { createMemoryCache } from "./memory-cache.ts";
import type { ResultCache } from "./result-cache.ts";

/** Options of the cache of a client. */
export interface CacheOptions {
  /** Where results are kept. Default: {@link createMemoryCache}, one per client. */
  store?: ResultCache | undefined;
  /**
   * For how long after its time a result may still be given when the server cannot be reached, in milliseconds.
   * What is known to have changed is never given. Default 0: the error is.
   */
  maxStaleMs?: number | undefined;
}

/** What the cache takes from its client. */
export interface CacheHost {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly onDiagnostic: OnDiagnostic | undefined;
}

/** The options with their defaults. */
export interface CacheSettings extends CacheHost {
  readonly store: ResultCache;
  readonly maxStaleMs: number;
  readonly flights: Flights;
}

/**
 * Fills in the defaults.
 *
 * @throws {@link UsageError} for a negative or endless `maxStaleMs`
 */
export function resolveCacheOptions(options: CacheOptions, { now, onDiagnostic }: CacheHost): CacheSettings {
  const { store = createMemoryCache({ now }), maxStaleMs = 0 } = options;
  if (!(maxStaleMs >= 0 && Number.isFinite(maxStaleMs))) {
    throw new UsageError(`cache.maxStaleMs: expected milliseconds of at least 0, got ${maxStaleMs}`);
  }
  return { store, maxStaleMs, flights: new Flights(), now, onDiagnostic };
}

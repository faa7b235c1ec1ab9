/**
 * The contract of a place where results are kept: memory, a file, Redis. Types only.
 *
 * It keeps and forgets what it is told to and decides nothing: what is fresh, whose it is and when it is outdated
 * is the business of `cache.ts`.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";

/** A result as it is kept. */
export interface CachedResult {
  readonly result: JsonObject;
  /** When it arrived, in milliseconds since the epoch. */
  readonly receivedAt: number;
  /** How long it is fresh from then on, in milliseconds. */
  readonly ttlMs: number;
}

/**
 * Keeps results by group and key, both any text. Implementations promise:
 *
 * - What `get` gives is the caller's own; changing it changes nothing that is kept.
 * - A `delete` takes effect before every `get` that is called after it has resolved.
 * - Anything may be dropped at any time, so that the cache stays within its bounds.
 *
 * Calls may reject: a result that cannot be had is fetched, one that cannot be kept is not. A session whose `delete`
 * was rejected no longer uses the cache. Groups and keys hold URIs and names of users; keep them as safe as the results.
 *
 * @example
 * ```ts
 * import type { CachedResult, ResultCache } from "parley-mcp/client";
 *
 * export class MapCache implements ResultCache {
 *   readonly #groups = new Map<string, Map<string, string>>();
 *
 *   async get(group: string, key: string): Promise<CachedResult | undefined> {
 *     const text = this.#groups.get(group)?.get(key);
 *     return text === undefined ? undefined : JSON.parse(text);
 *   }
 *
 *   async set(group: string, key: string, entry: CachedResult): Promise<void> {
 *     const entries = this.#groups.get(group) ?? new Map<string, string>();
 *     this.#groups.set(group, entries.set(key, JSON.stringify(entry)));
 *   }
 *
 *   async keys(group: string): Promise<readonly string[]> {
 *     return [...(this.#groups.get(group)?.keys() ?? [])];
 *   }
 *
 *   async delete(group: string, key?: string): Promise<void> {
 *     if (key === undefined) {
 *       this.#groups.delete(group);
 *     } else {
 *       this.#groups.get(group)?.delete(key);
 *     }
 *   }
 * }
 * ```
 */
export interface ResultCache {
  /** What is kept under a key, stale or not. */
  get(group: string, key: string): Promise<CachedResult | undefined>;
  /**
   * Keeps a result in place of the one before.
   *
   * @param keepUntil - from when on nobody will ask for it, in milliseconds since the epoch
   */
  set(group: string, key: string, entry: CachedResult, keepUntil: number): Promise<void>;
  /** The keys of a group. */
  keys(group: string): Promise<readonly string[]>;
  /** Forgets one result, or without a key the whole group. */
  delete(group: string, key?: string): Promise<void>;
}

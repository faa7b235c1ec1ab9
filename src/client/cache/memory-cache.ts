/**
 * Results kept in memory, bounded in number and size; past a bound, those used longest ago go.
 *
 * Results are held as text: what is given out is always a copy, and its size is known.
 */
import { UsageError } from "../../base/error.ts";
import type { CachedResult, ResultCache } from "./result-cache.ts";

/** Bounds of {@link createMemoryCache}. */
export interface MemoryCacheOptions {
  /** How many results are kept, at least 1. Default 1 000. */
  maxEntries?: number | undefined;
  /** How much room they may take with their names, in bytes, at two per character. Default 16 777 216, 16 MiB. */
  maxBytes?: number | undefined;
  /** Milliseconds since the epoch. Default: the system's clock. */
  now?: (() => number) | undefined;
}

interface Entry {
  readonly group: string;
  readonly key: string;
  readonly text: string;
  readonly receivedAt: number;
  readonly ttlMs: number;
  readonly keepUntil: number;
  readonly bytes: number;
}

/**
 * Makes a cache in memory. Give one to several clients to let them share what servers declare public.
 *
 * @throws {@link UsageError} for bounds that are not positive
 * @example
 * ```ts
 * import { createMemoryCache } from "parley-mcp/client";
 *
 * export const store = createMemoryCache({ maxEntries: 10_000, maxBytes: 64 * 1024 * 1024 });
 * ```
 */
export function createMemoryCache(options: MemoryCacheOptions = {}): ResultCache {
  const { maxEntries = 1_000, maxBytes = 16_777_216, now = Date.now } = options;
  assertPositive("maxEntries", maxEntries);
  assertPositive("maxBytes", maxBytes);
  return new MemoryCache(maxEntries, maxBytes, now);
}

class MemoryCache implements ResultCache {
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  readonly #now: () => number;
  /** In the order of their last use. */
  readonly #entries = new Map<string, Entry>();
  readonly #keys = new Map<string, Set<string>>();
  #bytes = 0;

  constructor(maxEntries: number, maxBytes: number, now: () => number) {
    this.#maxEntries = maxEntries;
    this.#maxBytes = maxBytes;
    this.#now = now;
  }

  async get(group: string, key: string): Promise<CachedResult | undefined> {
    const id = toId(group, key);
    const entry = this.#entries.get(id);
    if (entry === undefined) {
      return undefined;
    }
    if (entry.keepUntil <= this.#now()) {
      this.#remove(entry);
      return undefined;
    }
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    return { result: JSON.parse(entry.text), receivedAt: entry.receivedAt, ttlMs: entry.ttlMs };
  }

  async set(group: string, key: string, { result, receivedAt, ttlMs }: CachedResult, keepUntil: number): Promise<void> {
    this.#removeKey(group, key);
    const text = JSON.stringify(result);
    const bytes = 2 * (group.length + key.length + text.length);
    if (bytes > this.#maxBytes) {
      return;
    }
    this.#entries.set(toId(group, key), { group, key, text, receivedAt, ttlMs, keepUntil, bytes });
    this.#keys.set(group, (this.#keys.get(group) ?? new Set()).add(key));
    this.#bytes += bytes;
    for (const oldest of this.#entries.values()) {
      if (this.#entries.size <= this.#maxEntries && this.#bytes <= this.#maxBytes) {
        break;
      }
      this.#remove(oldest);
    }
  }

  async keys(group: string): Promise<readonly string[]> {
    return [...(this.#keys.get(group) ?? [])];
  }

  async delete(group: string, key?: string): Promise<void> {
    for (const each of key === undefined ? [...(this.#keys.get(group) ?? [])] : [key]) {
      this.#removeKey(group, each);
    }
  }

  #removeKey(group: string, key: string): void {
    const entry = this.#entries.get(toId(group, key));
    if (entry !== undefined) {
      this.#remove(entry);
    }
  }

  #remove({ group, key, bytes }: Entry): void {
    this.#entries.delete(toId(group, key));
    this.#bytes -= bytes;
    const keys = this.#keys.get(group);
    if (keys?.delete(key) && keys.size === 0) {
      this.#keys.delete(group);
    }
  }
}

/** Unambiguous, as the length says where the group ends. */
function toId(group: string, key: string): string {
  return `${group.length} ${group}${key}`;
}

function assertPositive(name: string, value: number): void {
  if (!(value >= 1)) {
    throw new UsageError(`${name}: expected a number of at least 1, got ${value}`);
  }
}

/**
 * A store in the memory of one process, bounded. What is in it ends with the process.
 *
 * It runs no timer: what has expired is removed by the operations that come after. A live value is never given up to make
 * room, because it may be somebody's session or login.
 */
import { type Clock, systemClock } from "../base/timer.ts";
import type { DeleteOptions, KeyValue, SetOptions, StoredValue } from "./contracts.ts";
import { dropExpired, type Entries, findLive, isExpected, listKeys, toEntry } from "./entry.ts";
import { StoreError } from "./error.ts";

/** Options of {@link createMemoryStore}. */
export interface MemoryStoreOptions {
  /** Most values at a time. Default 100 000. */
  maxEntries?: number | undefined;
  /** Most bytes of keys and values together, two for each UTF-16 unit. Default 256 MiB. */
  maxBytes?: number | undefined;
  /** What time it is. Default: the system's. */
  clock?: Clock | undefined;
}

/** At most this long after an expired value could have been removed, the next operation removes it. */
const sweepEveryMs = 60_000;

/**
 * Makes an empty store in memory.
 *
 * Writing beyond a bound removes expired values first, and is refused if that is not enough: `set` rejects with
 * {@link StoreError} and nothing is written.
 *
 * @example
 * ```ts
 * import { createMemoryStore } from "parley-mcp/store";
 *
 * const store = createMemoryStore({ maxEntries: 1_000 });
 * const version = await store.set("greeting", "hello", { ttlMs: 60_000 });
 * await store.set("greeting", "good day", { ifVersion: version });
 * ```
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): KeyValue {
  return new MemoryStore(options);
}

class MemoryStore implements KeyValue {
  readonly #entries: Entries = new Map();
  readonly #maxEntries: number;
  readonly #maxBytes: number;
  readonly #clock: Clock;
  #bytes = 0;
  #writes = 0;
  /** No entry expires before this. */
  #firstExpiryMs = Number.POSITIVE_INFINITY;
  #sweptAtMs: number;

  constructor({ maxEntries = 100_000, maxBytes = 268_435_456, clock = systemClock }: MemoryStoreOptions) {
    this.#maxEntries = maxEntries;
    this.#maxBytes = maxBytes;
    this.#clock = clock;
    this.#sweptAtMs = clock.now();
  }

  async get(key: string): Promise<StoredValue | undefined> {
    const found = findLive(this.#entries, key, this.#tick());
    return found === undefined ? undefined : { value: found.value, version: found.version };
  }

  async set(key: string, value: string, { ttlMs, ifVersion }: SetOptions = {}): Promise<string | undefined> {
    const now = this.#tick();
    if (!isExpected(findLive(this.#entries, key, now), ifVersion)) {
      return undefined;
    }
    this.#makeRoom(key, value, now);
    this.#writes += 1;
    const entry = toEntry(value, String(this.#writes), now, ttlMs);
    this.#bytes += sizeOf(key, value) - this.#sizeAt(key);
    this.#entries.set(key, entry);
    this.#firstExpiryMs = Math.min(this.#firstExpiryMs, Number.isNaN(entry.expiresAtMs) ? now : entry.expiresAtMs);
    return entry.version;
  }

  async delete(key: string, { ifVersion }: DeleteOptions = {}): Promise<boolean> {
    const found = findLive(this.#entries, key, this.#tick());
    if (found === undefined || !isExpected(found, ifVersion)) {
      return false;
    }
    this.#bytes -= this.#sizeAt(key);
    return this.#entries.delete(key);
  }

  async *keys(prefix: string): AsyncGenerator<string, void, undefined> {
    for (const key of listKeys(this.#entries, prefix, this.#tick())) {
      if (findLive(this.#entries, key, this.#clock.now()) !== undefined) {
        yield key;
      }
    }
  }

  /** The time; what has expired by then is removed where that has not been done for a while. */
  #tick(): number {
    const now = this.#clock.now();
    if (now - this.#sweptAtMs >= sweepEveryMs) {
      this.#sweep(now);
    }
    return now;
  }

  #makeRoom(key: string, value: string, now: number): void {
    if (this.#findBound(key, value) === undefined) {
      return;
    }
    this.#sweep(now);
    const bound = this.#findBound(key, value);
    if (bound !== undefined) {
      throw new StoreError(
        "full",
        `the memory store is full: expected at most ${bound}, and nothing in it has expired; raise the bound or delete what is no longer needed`,
      );
    }
  }

  /** The bound that a write would break. */
  #findBound(key: string, value: string): string | undefined {
    if (this.#entries.size + (this.#entries.has(key) ? 0 : 1) > this.#maxEntries) {
      return `${this.#maxEntries} values`;
    }
    const bytes = this.#bytes + sizeOf(key, value) - this.#sizeAt(key);
    return bytes > this.#maxBytes ? `${this.#maxBytes} bytes` : undefined;
  }

  /** Costs nothing while nothing can have expired, so that writes to a full store stay cheap. */
  #sweep(now: number): void {
    this.#sweptAtMs = now;
    if (now < this.#firstExpiryMs) {
      return;
    }
    dropExpired(this.#entries, now);
    this.#bytes = 0;
    this.#firstExpiryMs = Number.POSITIVE_INFINITY;
    for (const [key, { value, expiresAtMs }] of this.#entries) {
      this.#bytes += sizeOf(key, value);
      this.#firstExpiryMs = Math.min(this.#firstExpiryMs, expiresAtMs);
    }
  }

  #sizeAt(key: string): number {
    const entry = this.#entries.get(key);
    return entry === undefined ? 0 : sizeOf(key, entry.value);
  }
}

function sizeOf(key: string, value: string): number {
  return 2 * (key.length + value.length);
}

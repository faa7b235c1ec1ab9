/**
 * The values of a store in memory. A live one is never given up to make room, because it may be somebody's session or
 * login: beyond the bounds writes are refused.
 */
import type { Clock } from "../base/timer.ts";
import type { DeleteOptions, SetOptions, StoredValue } from "./contracts.ts";
import { type Due, DueQueue } from "./due-queue.ts";
import { type Entry, isExpected, toEntry } from "./entry.ts";
import { StoreError } from "./error.ts";

/** How much is kept. */
export interface MemoryValueBounds {
  /** Most values at a time. */
  readonly maxEntries: number;
  /** Most bytes of keys and values together. */
  readonly maxBytes: number;
}

interface Kept extends Entry {
  readonly due: Due<string> | undefined;
}

/** See the head of this file. */
export class MemoryValues {
  readonly #bounds: MemoryValueBounds;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Kept>();
  readonly #expiry: DueQueue<string>;
  #bytes = 0;
  #writes = 0;

  constructor(bounds: MemoryValueBounds, clock: Clock) {
    this.#bounds = bounds;
    this.#clock = clock;
    this.#expiry = new DueQueue(clock, (key) => this.#remove(key));
  }

  get size(): number {
    return this.#entries.size;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get(key: string): StoredValue | undefined {
    this.#expiry.run();
    const found = this.#entries.get(key);
    return found === undefined ? undefined : { value: found.value, version: found.version };
  }

  /** @throws StoreError where a bound would be broken */
  set(key: string, value: string, { ttlMs, ifVersion }: SetOptions = {}): string | undefined {
    this.#expiry.run();
    if (!isExpected(this.#entries.get(key), ifVersion)) {
      return undefined;
    }
    this.#assertRoom(key, value);
    this.#remove(key);
    this.#writes += 1;
    const now = this.#clock.now();
    const entry = toEntry(value, String(this.#writes), now, ttlMs);
    const due =
      entry.expiresAtMs === Number.POSITIVE_INFINITY
        ? undefined
        : this.#expiry.add(key, Number.isFinite(entry.expiresAtMs) ? entry.expiresAtMs : now);
    this.#entries.set(key, { ...entry, due });
    this.#bytes += sizeOf(key, value);
    return entry.version;
  }

  delete(key: string, { ifVersion }: DeleteOptions = {}): boolean {
    this.#expiry.run();
    const found = this.#entries.get(key);
    if (found === undefined || !isExpected(found, ifVersion)) {
      return false;
    }
    this.#remove(key);
    return true;
  }

  has(key: string): boolean {
    this.#expiry.run();
    return this.#entries.has(key);
  }

  /** Keys that begin with a prefix, as they are now. */
  list(prefix: string): string[] {
    this.#expiry.run();
    return [...this.#entries.keys()].filter((key) => key.startsWith(prefix));
  }

  clear(): void {
    this.#expiry.clear();
    this.#entries.clear();
    this.#bytes = 0;
  }

  #remove(key: string): void {
    const found = this.#entries.get(key);
    if (found === undefined) {
      return;
    }
    this.#entries.delete(key);
    this.#bytes -= sizeOf(key, found.value);
    if (found.due !== undefined) {
      this.#expiry.remove(found.due);
    }
  }

  #assertRoom(key: string, value: string): void {
    const { maxEntries, maxBytes } = this.#bounds;
    const found = this.#entries.get(key);
    const entries = this.#entries.size + (found === undefined ? 1 : 0);
    const bytes = this.#bytes + sizeOf(key, value) - (found === undefined ? 0 : sizeOf(key, found.value));
    if (entries > maxEntries || bytes > maxBytes) {
      const bound = entries > maxEntries ? `${maxEntries} values` : `${maxBytes} bytes`;
      throw new StoreError(
        "full",
        `the memory store is full: expected at most ${bound}, and nothing in it has expired; raise the bound or delete what is no longer needed`,
      );
    }
  }
}

function sizeOf(key: string, value: string): number {
  return 2 * (key.length + value.length);
}

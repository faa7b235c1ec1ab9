/** A map with a bound: past it, the entry used longest ago goes. Entries may expire. */

/** Bounded map from strings. */
export class Lru<V> {
  readonly #entries = new Map<string, { value: V; expiresAt: number }>();
  readonly #maxEntries: number;
  readonly #now: () => number;

  /**
   * @param maxEntries - how many entries are kept
   * @param now - milliseconds since the epoch
   */
  constructor(maxEntries: number, now: () => number = Date.now) {
    this.#maxEntries = maxEntries;
    this.#now = now;
  }

  /** How many entries are held, expired ones included until they are met. */
  get size(): number {
    return this.#entries.size;
  }

  /** The value, which then counts as just used. */
  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) {
      return undefined;
    }
    this.#entries.delete(key);
    if (entry.expiresAt <= this.#now()) {
      return undefined;
    }
    this.#entries.set(key, entry);
    return entry.value;
  }

  /**
   * Keeps a value.
   *
   * @param ttlMs - for how long, in milliseconds
   */
  set(key: string, value: V, ttlMs: number = Number.POSITIVE_INFINITY): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, expiresAt: this.#now() + ttlMs });
    if (this.#entries.size > this.#maxEntries) {
      for (const oldest of this.#entries.keys()) {
        this.#entries.delete(oldest);
        break;
      }
    }
  }

  /** Forgets a value. */
  delete(key: string): boolean {
    return this.#entries.delete(key);
  }
}

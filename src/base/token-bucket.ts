/** A token bucket: so many at once, so many per second after that. Holds no timer. */

/** See the head of this file. */
export class TokenBucket {
  readonly #capacity: number;
  readonly #perSecond: number;
  readonly #now: () => number;
  #tokens: number;
  #filledAt: number;

  /**
   * @param capacity - how many may be taken at once
   * @param perSecond - how many come back in a second
   * @param now - milliseconds since the epoch
   */
  constructor(capacity: number, perSecond: number, now: () => number) {
    this.#capacity = capacity;
    this.#perSecond = perSecond;
    this.#now = now;
    this.#tokens = capacity;
    this.#filledAt = now();
  }

  /** Takes one; false when none is left. */
  take(): boolean {
    if (this.#tokens < 1) {
      this.#fill();
    }
    if (this.#tokens < 1) {
      return false;
    }
    this.#tokens -= 1;
    return true;
  }

  /** How long until one can be taken, in milliseconds. */
  get waitMs(): number {
    this.#fill();
    return this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) / this.#perSecond) * 1_000);
  }

  #fill(): void {
    const now = this.#now();
    this.#tokens = Math.min(this.#capacity, this.#tokens + ((now - this.#filledAt) / 1_000) * this.#perSecond);
    this.#filledAt = now;
  }
}

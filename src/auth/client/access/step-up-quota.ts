/**
 * How often more may be asked for on behalf of one server, whatever the operation: a server that refuses every operation,
 * or lets one through now and then, would have a person grant without end [SEC-030].
 *
 * A sliding window; attempts under way count, so that parallel ones do not pass together.
 */

/** See the head of this file. */
export class StepUpQuota {
  readonly #max: number;
  readonly #windowMs: number;
  readonly #now: () => number;
  /** Those made lately, at most as many as fit, the oldest first. */
  #made: { readonly outcome: unknown; readonly atMs: number }[] = [];
  /** How many callers wait for each thing that is asked for now. */
  readonly #open = new Map<string, number>();

  constructor(max: number, windowMs: number, now: () => number) {
    this.#max = max;
    this.#windowMs = windowMs;
    this.#now = now;
  }

  /** Whether something may not be asked for. What is being asked for already may be shared. */
  isSpent(want: string): boolean {
    const sinceMs = this.#now() - this.#windowMs;
    this.#made = this.#made.filter(({ atMs }) => atMs > sinceMs);
    return !this.#open.has(want) && this.#made.length + this.#open.size >= this.#max;
  }

  /** Takes down that something is being asked for, until the result is called. */
  begin(want: string): () => void {
    this.#open.set(want, (this.#open.get(want) ?? 0) + 1);
    return () => {
      const others = (this.#open.get(want) ?? 1) - 1;
      if (others > 0) {
        this.#open.set(want, others);
      } else {
        this.#open.delete(want);
      }
    };
  }

  /** Counts an attempt; those who shared it count it once. */
  add(outcome: unknown): void {
    if (!this.#made.some((made) => made.outcome === outcome)) {
      this.#made = [...this.#made, { outcome, atMs: this.#now() }].slice(-this.#max);
    }
  }

  /** Forgets what was made. What is under way goes on counting. */
  clear(): void {
    this.#made = [];
  }
}

/**
 * How many of something are open: altogether, and of each caller that is identified, with a limit on both.
 *
 * What is counted, and what becomes of one too many, is said by whoever counts.
 */

/** The limits. */
export interface QuotaLimits {
  /** Altogether. */
  readonly total: number;
  /** Of one caller. */
  readonly perCaller: number;
}

/** Which limit leaves no room. */
export interface Exceeded {
  readonly whose: "server" | "caller";
  readonly limit: number;
}

/** See the head of this file. */
export class Quota {
  readonly #limits: QuotaLimits;
  readonly #byCaller = new Map<string, number>();
  #total = 0;

  constructor(limits: QuotaLimits) {
    this.#limits = limits;
  }

  /**
   * Whether so many more would be too many.
   *
   * @param caller - `undefined` for whoever is not identified, who counts for the total alone
   */
  findExceeded(caller: string | undefined, more = 1): Exceeded | undefined {
    const { total, perCaller } = this.#limits;
    if (this.#total + more > total) {
      return { whose: "server", limit: total };
    }
    const open = caller === undefined ? 0 : (this.#byCaller.get(caller) ?? 0) + more;
    return open > perCaller ? { whose: "caller", limit: perCaller } : undefined;
  }

  /**
   * Counts so many more.
   *
   * @returns takes them off again; call it once
   */
  take(caller: string | undefined, more = 1): () => void {
    this.#add(caller, more);
    return () => this.#add(caller, -more);
  }

  #add(caller: string | undefined, change: number): void {
    this.#total += change;
    if (caller === undefined) {
      return;
    }
    const count = (this.#byCaller.get(caller) ?? 0) + change;
    if (count === 0) {
      this.#byCaller.delete(caller);
    } else {
      this.#byCaller.set(caller, count);
    }
  }
}

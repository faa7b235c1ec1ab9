/** What the contract suite is given for one test: a store, and the ways around it. Registering tests is promised.node.ts. */

/** A store that is empty, and how a test reaches around it. */
export interface Opened<S> {
  readonly store: S;
  /** Another way to the same place, as another process has it; absent where there is none. */
  readonly other?: S | undefined;
  /** Moves the time of all of them on, in milliseconds; absent where time has to be waited for. */
  readonly advance?: ((ms: number) => Promise<void> | void) | undefined;
  /** Cuts the connections of `store`, as a network does, so that it has to connect again; absent where it has none. */
  readonly cut?: (() => Promise<void> | void) | undefined;
  /**
   * Counts what the place holds, be it rows, keys or entries, without a call of the store's methods; absent where nobody
   * can. Where nothing is kept it gives the same number as for the empty store.
   */
  readonly countKept?: (() => Promise<number> | number) | undefined;
  /** Gives up the stores and what they were made from. A store may have been closed by the test already. */
  close(): Promise<void> | void;
}

/** What differs from one backend to another. */
export interface SuiteLimits {
  /** Length of the longest key or name that is tried, in characters. Default 10 000. */
  readonly maxKeyLength?: number | undefined;
  /** Length of the largest value that is tried, in characters. Default 1 000 000. */
  readonly maxValueLength?: number | undefined;
  /** How many writers race for one value. Default 20. */
  readonly racers?: number | undefined;
  /** How long values and entries live that are to expire, in milliseconds, where time has to be waited for. Default 1000. */
  readonly waitMs?: number | undefined;
  /** How long is waited for what comes by itself, in milliseconds of real time. Default 10 000. */
  readonly patienceMs?: number | undefined;
}

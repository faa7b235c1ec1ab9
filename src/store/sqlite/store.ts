/** The three primitives over one SQLite database, and their end. Opening a file is open.node.ts. */
import { UsageError } from "../../base/error.ts";
import { type Clock, holdingClock, systemClock } from "../../base/timer.ts";
import { JoinedStore, type StoreParts } from "../joined-store.ts";
import { SqliteBus } from "./bus.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import { Logs } from "./logs.ts";
import { Sweeper } from "./sweep.ts";
import { Values } from "./values.ts";

/** See `SqliteOptions` in open.node.ts. */
export interface SqliteStoreOptions {
  /** How long an operation waits where another connection holds the lock, in milliseconds. Default 5 000. */
  timeoutMs?: number | undefined;
  /** How often is looked for messages of other processes, in milliseconds, while anybody listens. Default 25. */
  pollMs?: number | undefined;
  /** How often what has expired is freed, in milliseconds. Default 30 000. */
  sweepMs?: number | undefined;
  /**
   * What time it is. Default: the system's, where only an operation that waits for a lock keeps the process alive. All
   * processes that share a file should agree on the time.
   */
  clock?: Clock | undefined;
}

/** Where a store is, and how it is opened. */
export type SqlitePlace = Pick<ConnectionOptions, "name" | "open" | "isOwn">;

/** See the head of this file. */
export class SqliteStore extends JoinedStore {
  protected readonly parts: StoreParts;
  readonly #connection: Connection;
  readonly #bus: SqliteBus;
  readonly #sweeper: Sweeper;

  constructor(place: SqlitePlace, options: SqliteStoreOptions = {}) {
    super();
    const { timeoutMs = 5_000, pollMs = 25, sweepMs = 30_000, clock = systemClock } = options;
    for (const [name, value] of Object.entries({ timeoutMs, pollMs, sweepMs })) {
      if (!(value > 0)) {
        throw new UsageError(`${name}: expected milliseconds above 0, got ${value}`);
      }
    }
    this.#connection = new Connection({
      ...place,
      timeoutMs,
      clock: options.clock ?? holdingClock,
      onOpen: () => this.#sweeper.begin(),
    });
    const values = new Values(this.#connection, clock);
    const log = new Logs(this.#connection, clock);
    this.#bus = new SqliteBus(this.#connection, clock, pollMs);
    this.#sweeper = new Sweeper(this.#connection, clock, sweepMs, [values, log, this.#bus]);
    this.parts = { values, log, bus: this.#bus };
  }

  async close(): Promise<void> {
    this.#bus.close();
    this.#sweeper.end();
    await this.#connection.close();
  }
}

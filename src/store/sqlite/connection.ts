/**
 * The way to one database: opened at the first use, waited for while others hold its lock, closed once.
 *
 * SQLite itself waits for a lock only briefly, because it blocks the event loop; the rest of the waiting is done here.
 */
import { backoffDelay } from "../../base/backoff.ts";
import { type Clock, sleep } from "../../base/timer.ts";
import { StoreError } from "../error.ts";
import type { Database } from "./database.ts";
import { isBusy, toBusyError, toStoreError } from "./failure.ts";
import { prepareSchema } from "./schema.ts";
import { Statements } from "./statements.ts";

/** A connection, before it is opened. */
export interface ConnectionOptions {
  /** The database as messages name it. */
  readonly name: string;
  /** Opens it, or gives what was handed in. */
  readonly open: () => Database | Promise<Database>;
  /** Whether it is opened here, and so set up and closed here too. */
  readonly isOwn: boolean;
  /** How long a lock is waited for, in milliseconds. */
  readonly timeoutMs: number;
  /** Whose time the waiting is. */
  readonly clock: Clock;
  /** Called each time it has been opened. */
  readonly onOpen: () => void;
}

/** Vacuuming can be chosen only for a file without tables, and before its journal is. */
const ownSettings =
  "PRAGMA busy_timeout = 50; PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL";
const settings = "PRAGMA journal_mode = WAL";

const lockDelays = { initialDelayMs: 10, maxDelayMs: 100 };

/** See the head of this file. */
export class Connection {
  readonly #options: ConnectionOptions;
  readonly #closed = new AbortController();
  #database: Database | undefined;
  #statements: Statements | undefined;
  #opening: Promise<Statements> | undefined;
  /** Settles when every write that was asked for has been done or given up. */
  #writes: Promise<unknown> = Promise.resolve();
  /** The lock that was met last, until a write succeeds. */
  #lock: unknown;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  /** Runs work that only reads. It may run again where the database was locked. */
  read<T>(work: (statements: Statements) => T): Promise<T> {
    return this.#attempt(work, this.#options.clock.now());
  }

  /**
   * Runs work that writes, as a whole or not at all, behind all writes that were asked for before it.
   *
   * Always with the lock taken first, also for one statement: libsql leaves a statement that met a lock unfinished, and
   * no transaction can then be committed.
   */
  write<T>(work: (statements: Statements) => T): Promise<T> {
    const { name, timeoutMs, clock } = this.#options;
    const askedAt = clock.now();
    const done = this.#writes.then(() => {
      if (this.#lock !== undefined && clock.now() - askedAt >= timeoutMs) {
        // Many that waited behind one that gave up would each block the event loop once more.
        throw toBusyError(this.#lock, name, timeoutMs);
      }
      return this.#attempt((statements) => {
        const result = statements.transaction("immediate", () => work(statements));
        this.#lock = undefined;
        return result;
      }, askedAt);
    });
    this.#writes = done.catch(() => undefined);
    return done;
  }

  /** @throws StoreError where it is closed */
  assertOpen(): void {
    this.#closed.signal.throwIfAborted();
  }

  /** Gives the database up. What is being waited for is rejected. */
  async close(): Promise<void> {
    if (this.#closed.signal.aborted) {
      return;
    }
    this.#closed.abort(
      new StoreError("unavailable", `the store over ${this.#options.name} is closed; open another one`),
    );
    await this.#opening?.catch(() => undefined);
    this.#giveUp();
  }

  async #attempt<T>(work: (statements: Statements) => T, askedAt: number): Promise<T> {
    const { name, timeoutMs, clock } = this.#options;
    for (let failures = 1; ; failures += 1) {
      try {
        this.assertOpen();
        const statements = this.#statements ?? (await this.#open());
        this.assertOpen();
        return work(statements);
      } catch (error) {
        if (!isBusy(error)) {
          throw toStoreError(error, name);
        }
        this.#lock = error;
        const leftMs = askedAt + timeoutMs - clock.now();
        if (leftMs <= 0) {
          throw toBusyError(error, name, timeoutMs);
        }
        await sleep(clock, Math.min(backoffDelay(failures, lockDelays), leftMs), this.#closed.signal);
      }
    }
  }

  #open(): Promise<Statements> {
    this.#opening ??= this.#begin().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  async #begin(): Promise<Statements> {
    const { name, open, isOwn, onOpen } = this.#options;
    this.#database = await open();
    try {
      this.#database.exec(isOwn ? ownSettings : settings);
      const statements = new Statements(this.#database);
      prepareSchema(statements, name);
      this.#statements = statements;
    } catch (error) {
      this.#giveUp();
      throw error;
    }
    onOpen();
    return this.#statements;
  }

  #giveUp(): void {
    const database = this.#database;
    this.#database = undefined;
    this.#statements = undefined;
    if (database === undefined || !this.#options.isOwn) {
      return;
    }
    try {
      // What stands beside the file goes into it, so that the file alone is whole.
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } catch {
      // Others are using it, or it never was a database; nothing is lost.
    }
    try {
      database.close?.();
    } catch {
      // It was in no state to be closed, and there is nothing more to do with it.
    }
  }
}

/**
 * An open database with its prepared statements kept, and transactions on it.
 *
 * Everything here is synchronous, so that no two pieces of work on one connection ever mix.
 */
import type { Database, Parameter, Statement } from "./database.ts";

/** One row. Columns are picked by name: what else is in it differs from one driver to another. */
export type Row = Readonly<Record<string, unknown>>;

/** What a statement without rows has done. */
export interface Outcome {
  /** Rows written or deleted. */
  readonly changes: number;
  /** The id of the row that was inserted last. */
  readonly lastId: number;
}

/** How a transaction begins: `immediate` takes the lock for writing at once, `deferred` only looks at one state. */
export type TransactionMode = "immediate" | "deferred";

/** See the head of this file. */
export class Statements {
  readonly #database: Database;
  readonly #prepared = new Map<string, Statement>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Runs text that is not worth keeping. */
  exec(sql: string): void {
    this.#database.exec(sql);
  }

  /** Runs a statement without rows. */
  run(sql: string, ...parameters: Parameter[]): Outcome {
    const { changes, lastInsertRowid } = this.#prepare(sql).run(...parameters);
    return { changes: Number(changes), lastId: Number(lastInsertRowid) };
  }

  /** The row of a statement that has at most one: with libsql, one that is left unread keeps the database from being written. */
  get(sql: string, ...parameters: Parameter[]): Row | undefined {
    const row: unknown = this.#prepare(sql).get(...parameters);
    return typeof row === "object" && row !== null ? (row as Row) : undefined;
  }

  /** All rows of a statement. */
  all(sql: string, ...parameters: Parameter[]): Row[] {
    return this.#prepare(sql).all(...parameters) as Row[];
  }

  /** Runs work as a whole or not at all. */
  transaction<T>(mode: TransactionMode, work: () => T): T {
    this.#database.exec(mode === "immediate" ? "BEGIN IMMEDIATE" : "BEGIN");
    try {
      const result = work();
      this.#database.exec("COMMIT");
      return result;
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  #rollBack(): void {
    try {
      this.#database.exec("ROLLBACK");
    } catch {
      // SQLite has rolled back by itself, as it does when the disk is full; what failed before is what counts.
    }
  }

  #prepare(sql: string): Statement {
    let statement = this.#prepared.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#prepared.set(sql, statement);
    }
    return statement;
  }
}

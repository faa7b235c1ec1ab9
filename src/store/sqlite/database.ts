/**
 * What is asked of an open SQLite database: the little that `node:sqlite`, `libsql` and `better-sqlite3` share.
 *
 * Parameters are bound by position, and never a single one that is `null`, which libsql takes for named ones.
 */

/** A value as SQLite takes it. */
export type Parameter = string | number | null;

/** A prepared statement. */
export interface Statement {
  /** Runs it to its end; for statements without rows. */
  run(...parameters: Parameter[]): {
    readonly changes: number | bigint;
    readonly lastInsertRowid: number | bigint;
  };
  /** Its first row, or `undefined`. May have other properties than the columns. */
  get(...parameters: Parameter[]): unknown;
  /** All its rows. */
  all(...parameters: Parameter[]): unknown[];
}

/** An open database: `DatabaseSync` of `node:sqlite`, `Database` of `libsql` or of `better-sqlite3`, or what is like them. */
export interface Database {
  /** Runs statements that are given as text. */
  exec(sql: string): unknown;
  /** Prepares one statement. */
  prepare(sql: string): Statement;
  /** Closes it. Never called for a database that was handed in. */
  close?(): unknown;
}

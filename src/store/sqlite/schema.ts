/**
 * The tables, all named `parley_`, and the version of their form.
 *
 * The version stands in a table of ours and not in `user_version`, which belongs to whoever owns a database that is handed
 * in and has tables of its own there.
 */
import { StoreError } from "../error.ts";
import type { Statements } from "./statements.ts";

/** The form that is read and written here. */
const schemaVersion = 1;

const stateTable = "CREATE TABLE IF NOT EXISTS parley_state(name TEXT PRIMARY KEY, value INTEGER NOT NULL)";

/** Large columns stand last, so that the others are read without them. `oldest_at` may be too early, never too late. */
const tables = `
CREATE TABLE parley_values(
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, version TEXT NOT NULL, expires_at INTEGER, value TEXT NOT NULL);
CREATE INDEX parley_values_expiry ON parley_values(expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE parley_logs(
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, last INTEGER NOT NULL, last_at INTEGER NOT NULL,
  oldest_at INTEGER NOT NULL, count INTEGER NOT NULL, bytes INTEGER NOT NULL, ttl INTEGER);
CREATE INDEX parley_logs_expiry ON parley_logs(oldest_at + ttl) WHERE ttl IS NOT NULL;
CREATE TABLE parley_entries(
  log INTEGER NOT NULL, position INTEGER NOT NULL, previous INTEGER NOT NULL, at INTEGER NOT NULL,
  size INTEGER NOT NULL, value TEXT NOT NULL, PRIMARY KEY(log, position)) WITHOUT ROWID;
CREATE TABLE parley_messages(
  id INTEGER PRIMARY KEY AUTOINCREMENT, sender TEXT NOT NULL, sent_at INTEGER NOT NULL, topic TEXT NOT NULL,
  message TEXT NOT NULL);
INSERT INTO parley_state VALUES('schema', ${schemaVersion}), ('floor', 0);
`;

/**
 * Makes the tables where they are missing.
 *
 * @param name - of the database, as messages have it
 * @throws StoreError where the tables have a form that is not known here
 */
export function prepareSchema(statements: Statements, name: string): void {
  statements.transaction("immediate", () => {
    statements.exec(stateTable);
    const found = statements.get("SELECT value FROM parley_state WHERE name = 'schema'");
    if (found === undefined) {
      statements.exec(tables);
    } else if (Number(found.value) !== schemaVersion) {
      throw new StoreError(
        "unavailable",
        `${name} has tables of form ${Number(found.value)}, and this version of the library expects form ${schemaVersion}; use the version that wrote it, or another file`,
      );
    }
  });
}

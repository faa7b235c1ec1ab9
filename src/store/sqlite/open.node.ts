/** Entry "./store/sqlite": the store in one file, for one process or several on one machine. */
import { resolve } from "node:path";
import { UsageError } from "../../base/error.ts";
import type { Store } from "../contracts.ts";
import type { Database } from "./database.ts";
import { openFile } from "./load-driver.node.ts";
import { SqliteStore, type SqliteStoreOptions } from "./store.ts";

/** What {@link sqlite} takes in place of a path: an open database of `node:sqlite`, `libsql` or `better-sqlite3`. */
export type SqliteDatabase = Database;

/** Options of {@link sqlite}. */
export type SqliteOptions = SqliteStoreOptions;

/**
 * Opens a store in a SQLite file. All processes of one machine that open the file share it; it does not work over a
 * network drive. Its tables begin with `parley_`.
 *
 * Nothing is opened before the first operation. Files are made readable by their owner alone (mode 0600), in a folder that
 * has to exist. What has resolved survives the end of the process, however it comes; a loss of power may take the last
 * moments before it. What has expired is freed by itself, in small steps, and its place in the file is used again or, in
 * a file that was made here, given back. Other processes hear messages within `pollMs`. Within one
 * process a file must be opened by one driver only, since two do not see each other's locks.
 *
 * A database that is handed in is put into WAL mode, keeps its other settings (let its `busy_timeout` be short, because it
 * blocks the event loop), and must not be left inside a transaction between turns of the event loop. It stays open.
 *
 * @param target - path of the file, relative to the working directory of now, or `:memory:`, which needs Node with
 *   `node:sqlite` or the package `libsql`; or an open database of `node:sqlite`, `libsql` or `better-sqlite3`
 * @throws UsageError at once for an empty path, a URL, or an option that is no number above 0
 * @throws StoreError `unavailable` from operations: no driver, no folder, no database, a lock that was held for longer than
 *   `timeoutMs`, a full disk, tables of a newer version
 *
 * @example
 * ```ts
 * import { sqlite } from "parley-mcp/store/sqlite";
 *
 * const store = sqlite("parley.db");
 * try {
 *   await store.set("greeting", "hello", { ttlMs: 60_000 });
 * } finally {
 *   await store.close();
 * }
 * ```
 */
export function sqlite(target: string | SqliteDatabase, options: SqliteOptions = {}): Store {
  if (typeof target !== "string") {
    return new SqliteStore(
      { name: "the SQLite database that was handed in", open: () => target, isOwn: false },
      options,
    );
  }
  if (target === "" || /^[a-z][a-z\d+.-]+:/i.test(target)) {
    throw new UsageError(`target: expected the path of a file or ":memory:", got "${target}"`);
  }
  const path = target === ":memory:" ? target : resolve(target);
  return new SqliteStore({ name: `the SQLite file "${path}"`, open: () => openFile(path), isOwn: true }, options);
}

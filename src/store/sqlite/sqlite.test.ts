import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { countRows, NodeLikeDatabase } from "../../../test/fixtures/sqlite-place.ts";
import { createFakeClock } from "../../test/clock.ts";
import { describeStore, type OpenedStore } from "../../test/store.node.ts";
import type { Store } from "../contracts.ts";
import { openFile } from "./load-driver.node.ts";
import { type SqliteDatabase, sqlite } from "./open.node.ts";

const tables = ["parley_values", "parley_logs", "parley_entries", "parley_messages"];

/** What is kept, once a store has made the tables. */
async function countKept(database: SqliteDatabase, store: Store): Promise<number> {
  await store.get("k");
  return tables.reduce((sum, table) => sum + countRows(database, table), 0);
}

const openFiles = async (): Promise<OpenedStore> => {
  const folder = mkdtempSync(join(tmpdir(), "parley-sqlite-"));
  const path = join(folder, "store.db");
  const clock = createFakeClock(1_000);
  const options = { clock, sweepMs: 100 };
  const [store, other] = [sqlite(path, options), sqlite(path, options)];
  const watcher = await openFile(path);
  return {
    store,
    other,
    advance: (ms) => clock.advance(ms),
    countKept: () => countKept(watcher, store),
    close: async () => {
      await Promise.all([store.close(), other.close()]);
      watcher.close?.();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

describeStore("sqlite, two over one file", openFiles, {
  openUnreachable: () => sqlite(join(tmpdir(), "no such folder", "store.db")),
});

describeStore("sqlite, on the system's time", () => {
  const store = sqlite(":memory:", { sweepMs: 50 });
  return { store, close: () => store.close() };
});

describeStore("sqlite, two over one handle like that of node:sqlite", () => {
  const database = new NodeLikeDatabase(new Database(":memory:"));
  const clock = createFakeClock(1_000);
  const options = { clock, sweepMs: 100 };
  const [store, other] = [sqlite(database, options), sqlite(database, options)];
  return {
    store,
    other,
    advance: (ms) => clock.advance(ms),
    countKept: () => countKept(database, store),
    close: async () => {
      await Promise.all([store.close(), other.close()]);
      assert.equal(database.prepare("SELECT 1 AS one").all().length, 1);
      database.close();
    },
  };
});

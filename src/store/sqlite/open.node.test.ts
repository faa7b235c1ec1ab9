import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { countRows, SqlitePlace } from "../../../test/fixtures/sqlite-place.ts";
import { UsageError } from "../../base/error.ts";
import { StoreError } from "../error.ts";
import { sqlite } from "./open.node.ts";

const isUnavailable = (pattern: RegExp) => (error: unknown) =>
  error instanceof StoreError && error.failure === "unavailable" && pattern.test(error.message);

describe("sqlite", () => {
  it("makes its files at the first use, for their owner alone", async (context) => {
    const place = new SqlitePlace(context);
    const store = place.open();
    assert.equal(existsSync(place.path), false);
    await store.set("k", "v");
    for (const path of [place.path, `${place.path}-wal`, `${place.path}-shm`]) {
      assert.equal(statSync(path).mode & 0o777, process.platform === "win32" ? 0o666 : 0o600, path);
    }
  });

  it("leaves the mode of a file that is there", { skip: process.platform === "win32" }, async (context) => {
    const place = new SqlitePlace(context);
    writeFileSync(place.path, "");
    chmodSync(place.path, 0o640);
    await place.open().set("k", "v");
    assert.equal(statSync(place.path).mode & 0o777, 0o640);
  });

  it("keeps everything for who opens the file again, in the file alone once it is closed", async (context) => {
    const place = new SqlitePlace(context);
    const store = place.open();
    const version = await store.set("k", "v");
    const first = await store.append("l", "a");
    await store.close();
    await store.close();
    const copy = join(place.folder, "copy.db");
    writeFileSync(copy, readFileSync(place.path));
    const again = sqlite(copy, { clock: place.clock });
    context.after(() => again.close());
    assert.deepEqual(await again.get("k"), { value: "v", version });
    assert.deepEqual(await again.read("l"), { entries: [first], complete: true });
    const second = await again.append("l", "b");
    assert.equal(second.previous, first.position);
  });

  it("says which folder is missing, and works once it is there", async (context) => {
    const place = new SqlitePlace(context);
    const path = join(place.folder, "missing", "store.db");
    const store = sqlite(path);
    context.after(() => store.close());
    await assert.rejects(store.get("k"), isUnavailable(/its folder does not exist; make ".*missing" first/));
    mkdirSync(join(place.folder, "missing"));
    assert.equal(await store.get("k"), undefined);
  });

  it("rejects, with the cause, what is no database, and leaves it as it is", async (context) => {
    const place = new SqlitePlace(context);
    const text = "no database at all ".repeat(100);
    writeFileSync(place.path, text);
    const store = place.open();
    const error = await store.set("k", "v").catch((caught: unknown) => caught);
    assert.ok(isUnavailable(/store\.db" could not be used: file is not a database/)(error));
    assert.match(String((error as StoreError).cause), /not a database/);
    assert.equal(readFileSync(place.path, "utf8"), text);
  });

  it("rejects a folder in place of a file", async (context) => {
    const place = new SqlitePlace(context);
    const store = sqlite(place.folder);
    await assert.rejects(store.get("k"), isUnavailable(/could not be used/));
    await store.close();
  });

  it("refuses tables of a newer form, and leaves them as they are", async (context) => {
    const place = new SqlitePlace(context);
    const store = place.open();
    await store.set("k", "v");
    await store.close();
    const raw = await place.openRaw();
    raw.exec("UPDATE parley_state SET value = 99 WHERE name = 'schema'");
    const newer = place.open();
    await assert.rejects(newer.get("k"), isUnavailable(/has tables of form 99.* expects form 1; use the version that/));
    await assert.rejects(newer.set("k", "w"), isUnavailable(/form 99/));
    raw.exec("UPDATE parley_state SET value = 1 WHERE name = 'schema'");
    assert.equal((await newer.get("k"))?.value, "v");
  });

  it("stands beside the tables of an application, in a database that is handed in and stays open", async (context) => {
    const raw = await new SqlitePlace(context).openRaw();
    raw.exec("CREATE TABLE own(a); INSERT INTO own VALUES(1); PRAGMA user_version = 7");
    const store = sqlite(raw);
    await store.set("k", "v");
    await store.append("l", "v");
    await store.close();
    await assert.rejects(store.get("k"), isUnavailable(/closed/));
    assert.equal(countRows(raw, "own"), 1);
    assert.equal((raw.prepare("PRAGMA user_version").get() as { user_version: number }).user_version, 7);
    const names = raw.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as { name: string }[];
    assert.deepEqual(
      names.map(({ name }) => name).filter((name) => !/^(parley|sqlite)_/.test(name)),
      ["own"],
    );
  });

  it("rejects when the database that was handed in has been closed by its owner", async (context) => {
    const raw = await new SqlitePlace(context).openRaw();
    const store = sqlite(raw);
    await store.set("k", "v");
    raw.close?.();
    await assert.rejects(store.get("k"), isUnavailable(/database that was handed in could not be used/));
    await store.close();
  });

  it("refuses at once what is no path, and options that are no milliseconds", () => {
    for (const target of ["", "file:store.db?mode=ro", "libsql://host/db", "http://host/db"]) {
      assert.throws(() => sqlite(target), UsageError, target);
    }
    for (const options of [{ timeoutMs: 0 }, { pollMs: Number.NaN }, { sweepMs: -1 }]) {
      assert.throws(() => sqlite("store.db", options), UsageError);
    }
  });
});

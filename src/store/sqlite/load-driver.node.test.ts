import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { describe, it } from "node:test";
import Database from "libsql";
import { NodeLikeDatabase, SqlitePlace } from "../../../test/fixtures/sqlite-place.ts";
import { StoreError } from "../error.ts";
import { openFile } from "./load-driver.node.ts";

const absent = (): Promise<never> => Promise.reject(new Error("no such module"));

describe("openFile", () => {
  it("takes the SQLite of Node where there is one", async (context) => {
    const { path } = new SqlitePlace(context);
    class DatabaseSync extends NodeLikeDatabase {
      constructor(file: string) {
        super(new Database(file));
      }
    }
    const database = await openFile(path, { node: async () => ({ DatabaseSync }), libsql: absent });
    context.after(() => database.close?.());
    assert.ok(database instanceof DatabaseSync);
  });

  it("takes libsql elsewhere", async (context) => {
    const { path } = new SqlitePlace(context);
    const database = await openFile(path, { node: absent, libsql: () => import("libsql") });
    context.after(() => database.close?.());
    assert.ok(database instanceof Database);
  });

  it("says what to install where there is neither, makes no file, and keeps the cause", async (context) => {
    const place = new SqlitePlace(context);
    const error = await openFile(place.path, { node: absent, libsql: absent }).catch((caught: unknown) => caught);
    assert.ok(error instanceof StoreError && error.failure === "unavailable");
    assert.match(error.message, /npm install libsql@0\.5\.29/);
    assert.match(error.message, new RegExp(process.versions.node));
    assert.match(String(error.cause), /no such module/);
    assert.equal(existsSync(place.path), false);
  });
});

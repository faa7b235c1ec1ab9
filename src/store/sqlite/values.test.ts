import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SqlitePlace } from "../../../test/fixtures/sqlite-place.ts";
import type { Store } from "../contracts.ts";

async function listKeys(store: Store, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of store.keys(prefix)) {
    keys.push(key);
  }
  return keys;
}

describe("sqlite, as values by key", () => {
  it("lists all keys of a prefix, however many, and none of its neighbours", async (context) => {
    const store = new SqlitePlace(context).open();
    const expected: string[] = [];
    for (let index = 0; index < 1_250; index += 1) {
      expected.push(`k%/${index}`);
      await store.set(`k%/${index}`, "v");
      await store.set(`k_/${index}`, "v");
    }
    assert.deepEqual(new Set(await listKeys(store, "k%/")), new Set(expected));
    assert.equal((await listKeys(store, "k%/")).length, 1_250);
    assert.deepEqual(await listKeys(store, "K"), []);
  });

  it("lists prefixes that end at the edge of what text can hold", async (context) => {
    const store = new SqlitePlace(context).open();
    for (const prefix of ["\u{10ffff}", "\uffff", "\u0000", "\u0001", "\u00010", "z\u007f"]) {
      await store.set(`${prefix}1`, "v");
      assert.deepEqual(await listKeys(store, prefix), prefix === "\u0001" ? ["\u00011"] : [`${prefix}1`], prefix);
      await store.delete(`${prefix}1`);
    }
  });

  it("goes on with a listing behind keys that were deleted or have expired", async (context) => {
    const place = new SqlitePlace(context);
    const store = place.open();
    for (let index = 0; index < 600; index += 1) {
      await store.set(`k${String(index).padStart(4, "0")}`, "v", { ttlMs: index < 550 ? 100 : 10_000 });
    }
    const listed: string[] = [];
    for await (const key of store.keys("k")) {
      listed.push(key);
      if (listed.length === 500) {
        await store.delete(key);
        await place.clock.advance(100);
      }
    }
    assert.deepEqual([listed.length, listed.at(-1)], [550, "k0599"]);
  });

  it("writes over what has expired as over nothing, before it is freed", async (context) => {
    const place = new SqlitePlace(context);
    const store = place.open();
    await store.set("k", "v", { ttlMs: 100 });
    await place.clock.advance(100);
    assert.equal(await place.count("parley_values"), 1);
    assert.equal(typeof (await store.set("k", "w", { ifVersion: null })), "string");
    assert.equal((await store.get("k"))?.value, "w");
    for (const ttlMs of [0, -1, Number.NaN]) {
      assert.equal(typeof (await store.set("k", "x", { ttlMs })), "string");
      assert.equal(await store.get("k"), undefined);
    }
  });
});

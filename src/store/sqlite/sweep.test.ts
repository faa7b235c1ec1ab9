import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { describe, it } from "node:test";
import { SqlitePlace } from "../../../test/fixtures/sqlite-place.ts";

describe("sqlite, freeing what has expired", () => {
  it("does so by itself, so much in one step that the event loop is not held up [PP-010]", async (context) => {
    const place = new SqlitePlace(context);
    const store = place.open({ sweepMs: 1_000 });
    await store.set("stays", "v");
    for (let index = 0; index < 500; index += 1) {
      await store.set(`k${index}`, "v", { ttlMs: 500 });
    }
    await place.clock.advance(999);
    assert.equal(await place.count("parley_values"), 501);
    await place.clock.advance(1);
    assert.equal(await place.count("parley_values"), 301);
    await place.clock.advance(20);
    assert.equal(await place.count("parley_values"), 1);
    assert.equal((await store.get("stays"))?.value, "v");
  });

  it("frees entries of logs, long logs in steps, and the logs themselves [PP-010]", async (context) => {
    const place = new SqlitePlace(context);
    const store = place.open({ sweepMs: 1_000 });
    for (let index = 0; index < 450; index += 1) {
      await store.append("long", "v", { ttlMs: 500 });
    }
    for (let index = 0; index < 120; index += 1) {
      await store.append(`l${index}`, "v", { ttlMs: 500 });
    }
    const kept = await store.append("young", "v", { ttlMs: 5_000 });
    await store.append("eternal", "v");
    await place.clock.advance(1_000);
    assert.equal(await place.count("parley_entries"), 450 + 120 + 2 - 200);
    await place.clock.advance(50);
    assert.deepEqual([await place.count("parley_entries"), await place.count("parley_logs")], [2, 2]);
    assert.deepEqual(await store.read("young"), { entries: [kept], complete: true });
  });

  it("frees old entries of a log that goes on, and only those", async (context) => {
    const place = new SqlitePlace(context);
    const store = place.open({ sweepMs: 100 });
    for (let index = 0; index < 10; index += 1) {
      await store.append("l", String(index), { ttlMs: 1_000 });
      await place.clock.advance(200);
    }
    const slice = await store.read("l");
    assert.deepEqual([slice?.entries.map(({ value }) => value), slice?.complete], [["6", "7", "8", "9"], false]);
    assert.ok((await place.count("parley_entries")) <= 5);
    await place.clock.advance(2_000);
    assert.deepEqual([await place.count("parley_entries"), await place.count("parley_logs")], [0, 0]);
  });

  it("gives room in the file back", async (context) => {
    const place = new SqlitePlace(context);
    const store = place.open({ sweepMs: 1_000 });
    for (let index = 0; index < 50; index += 1) {
      await store.set(`k${index}`, "v".repeat(200_000), { ttlMs: 500 });
    }
    await place.clock.advance(2_000);
    await store.close();
    assert.ok(statSync(place.path).size < 3_000_000, `${statSync(place.path).size} bytes are left`);
  });

  it("goes on after a time in which it could not, and ends with the store", async (context) => {
    const place = new SqlitePlace(context);
    const store = place.open({ sweepMs: 1_000, timeoutMs: 100 });
    await store.set("k", "v", { ttlMs: 500 });
    const raw = await place.openRaw();
    raw.exec("BEGIN IMMEDIATE");
    await place.clock.advance(1_200);
    assert.equal(await place.count("parley_values"), 1);
    raw.exec("COMMIT");
    await place.clock.advance(1_200);
    assert.equal(await place.count("parley_values"), 0);
    await store.close();
    assert.equal(place.clock.pendingTimers, 0);
  });
});

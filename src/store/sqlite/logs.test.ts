import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { SqlitePlace } from "../../../test/fixtures/sqlite-place.ts";
import { createFakeClock } from "../../test/clock.ts";

describe("sqlite, as a log", () => {
  it("takes the time for a position, and one more than the last where that is later [PP-010]", async (context) => {
    const place = new SqlitePlace(context);
    const store = place.open();
    const now = place.clock.now();
    const positions: number[] = [];
    for (let index = 0; index < 3; index += 1) {
      positions.push((await store.append("l", "v")).position);
    }
    await place.clock.advance(1_000);
    positions.push((await store.append("l", "v")).position);
    assert.deepEqual(positions, [now, now + 1, now + 2, now + 1_000]);
  });

  it("goes on behind what it had, and keeps it, when the clock is put back", async (context) => {
    const place = new SqlitePlace(context);
    const store = place.open();
    const first = await store.append("l", "a", { ttlMs: 60_000 });
    const late = place.open({ clock: createFakeClock(place.clock.now() - 50_000) });
    const second = await late.append("l", "b", { ttlMs: 60_000 });
    assert.deepEqual([second.position, second.previous], [first.position + 1, first.position]);
    await place.clock.advance(59_999);
    assert.deepEqual(await store.read("l"), { entries: [first, second], complete: true });
    await late.drop("l");
    const third = await late.append("l", "c");
    assert.deepEqual([third.position, third.previous], [second.position + 1, 0]);
  });

  it("counts two bytes for each UTF-16 unit", async (context) => {
    const store = new SqlitePlace(context).open();
    for (const value of ["ab", "cd", "🙂", "gh"]) {
      await store.append("l", value, { maxBytes: 11 });
    }
    assert.deepEqual(
      (await store.read("l"))?.entries.map(({ value }) => value),
      ["🙂", "gh"],
    );
    await store.append("l", "ij", { maxBytes: 12 });
    assert.deepEqual(
      (await store.read("l"))?.entries.map(({ value }) => value),
      ["🙂", "gh", "ij"],
    );
  });

  it("drops very many at once where a new limit asks for it", async (context) => {
    const place = new SqlitePlace(context);
    const store = place.open();
    for (let index = 0; index < 700; index += 1) {
      await store.append("l", String(index));
    }
    await store.append("l", "last", { maxEntries: 3 });
    const slice = await store.read("l");
    assert.deepEqual([slice?.entries.map(({ value }) => value), slice?.complete], [["698", "699", "last"], false]);
    assert.equal(await place.count("parley_entries"), 3);
  });

  it("keeps an entry that expires at once from everybody, and frees it", async (context) => {
    const place = new SqlitePlace(context);
    const store = place.open({ sweepMs: 10 });
    for (const ttlMs of [0, -1, Number.NaN]) {
      await store.append("l", "v", { ttlMs });
      assert.equal(await store.read("l"), undefined);
    }
    await place.clock.advance(20);
    assert.deepEqual([await place.count("parley_entries"), await place.count("parley_logs")], [0, 0]);
  });

  it("keeps for ever what is given a time without end", async (context) => {
    const place = new SqlitePlace(context);
    const store = place.open();
    await store.append("l", "v", { ttlMs: Number.POSITIVE_INFINITY });
    await store.set("k", "v", { ttlMs: Number.MAX_VALUE });
    await place.clock.advance(10_000_000);
    assert.equal((await store.read("l"))?.entries.length, 1);
    assert.equal((await store.get("k"))?.value, "v");
  });
});

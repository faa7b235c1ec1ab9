import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createFakeClock } from "../test/clock.ts";
import { StoreError } from "./error.ts";
import { createMemoryStore } from "./memory.ts";

const prepare = (maxLogBytes?: number) => {
  const clock = createFakeClock(1_000);
  return { clock, store: createMemoryStore({ clock, maxLogBytes }) };
};

const valuesOf = (slice: { entries: readonly { value: string }[] } | undefined) =>
  slice?.entries.map(({ value }) => value);

describe("logs of createMemoryStore", () => {
  it("take the time as position, or one more than the last [PP-010]", async () => {
    const { clock, store } = prepare();
    const positions: number[] = [];
    for (const pause of [0, 0, 0, 10, 0]) {
      await clock.advance(pause);
      positions.push((await store.append("l", "v")).position);
    }
    assert.deepEqual(positions, [1_000, 1_001, 1_002, 1_010, 1_011]);
  });

  it("give up the oldest entries of any log beyond the bound of all of them [PP-010]", async () => {
    const { store } = prepare(1_000);
    // 200 + 2 * (1 + 49) = 300 bytes each.
    const text = (name: string): string => name.padEnd(49);
    const first = await store.append("a", text("a1"));
    await store.append("b", text("b1"));
    await store.append("a", text("a2"));
    assert.equal(store.usage().bytes, 900);
    await store.append("b", text("b2"));
    assert.deepEqual(valuesOf(await store.read("a")), [text("a2")]);
    assert.equal((await store.read("a"))?.complete, false);
    assert.equal((await store.read("a", first.position - 1))?.complete, false);
    assert.equal((await store.read("a", first.position))?.complete, true);
    assert.deepEqual(valuesOf(await store.read("b")), [text("b1"), text("b2")]);
    await store.append("c", "c".repeat(300));
    assert.deepEqual([await store.read("a"), valuesOf(await store.read("b"))], [undefined, undefined]);
    assert.deepEqual(store.usage(), { values: 0, logs: 1, entries: 1, listeners: 0, bytes: 802 });
  });

  it("refuse an entry that is larger than their bound, and lose nothing for it", async () => {
    const { store } = prepare(1_000);
    await store.append("l", "kept");
    await assert.rejects(store.append("l", "x".repeat(400)), (error) => {
      assert.ok(error instanceof StoreError && error.failure === "full");
      return /at most 1000 bytes.*got one of 1002.*maxLogBytes/.test(error.message);
    });
    assert.deepEqual(valuesOf(await store.read("l")), ["kept"]);
  });

  it("count what their entries take, and nothing once it is gone by whatever limit [PP-010]", async () => {
    const { clock, store } = prepare();
    for (let index = 0; index < 500; index += 1) {
      await store.append("entries", "x", { maxEntries: 7 });
      await store.append("bytes", "xxxxx", { maxBytes: 35 });
      await store.append("age", "x", { ttlMs: 5 });
      await clock.advance(1);
    }
    await store.append("dropped", "x");
    await store.drop("dropped");
    await store.read("age");
    assert.deepEqual([store.usage().entries, store.usage().logs], [7 + 3 + 4, 3]);
    await clock.advance(10_000);
    await store.drop("entries");
    await store.drop("bytes");
    assert.deepEqual(store.usage(), { values: 0, logs: 0, entries: 0, listeners: 0, bytes: 0 });
  });

  it("expire one by one without anybody asking, with no timer once nothing can expire [PP-002]", async () => {
    const { clock, store } = prepare();
    for (let index = 0; index < 10; index += 1) {
      await store.append("l", "v", { ttlMs: 5_000 });
      await clock.advance(1_000);
    }
    assert.ok(store.usage().entries <= 6, `${store.usage().entries} entries`);
    assert.equal(clock.pendingTimers, 1);
    await clock.advance(6_000);
    assert.deepEqual([store.usage().logs, store.usage().bytes, clock.pendingTimers], [0, 0, 0]);
    await store.append("l", "v", { ttlMs: 5_000 });
    await store.append("l", "v");
    assert.equal(clock.pendingTimers, 0);
    await store.append("l", "v", { ttlMs: 5_000 });
    await store.drop("l");
    assert.equal(clock.pendingTimers, 0);
  });

  it("grow and read quickly, also where most of a long log is gone", async () => {
    const { store } = prepare(Number.POSITIVE_INFINITY);
    const begun = process.cpuUsage();
    let last = 0;
    for (let index = 0; index < 100_000; index += 1) {
      last = (await store.append("l", "v", { maxEntries: 1_000 })).position;
      if (index % 1_000 === 0) {
        assert.equal((await store.read("l", last - 5))?.entries.length, Math.min(5, index + 1));
      }
    }
    assert.equal(store.usage().entries, 1_000);
    const tookMs = process.cpuUsage(begun).user / 1_000;
    assert.ok(tookMs < 5_000, `100 000 entries took ${tookMs} ms of a processor`);
  });
});

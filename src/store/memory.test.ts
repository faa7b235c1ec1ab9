import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createFakeClock } from "../test/clock.ts";
import { describeStore } from "../test/store.node.ts";
import { StoreError } from "./error.ts";
import { createMemoryStore } from "./memory.ts";

describeStore("createMemoryStore", () => {
  const clock = createFakeClock(1_000);
  const store = createMemoryStore({ clock });
  const countKept = (): number => store.usage().values + store.usage().entries;
  return { store, advance: (ms) => clock.advance(ms), countKept, close: () => store.close() };
});

const isFull = (error: unknown): boolean =>
  error instanceof StoreError && error.code === "MCP_STORE" && error.failure === "full";

describe("createMemoryStore", () => {
  it("refuses a new value beyond its bound and keeps every live one", async () => {
    const store = createMemoryStore({ maxEntries: 2 });
    await store.set("a", "1");
    await store.set("b", "2");
    await assert.rejects(store.set("c", "secret"), isFull);
    await assert.rejects(store.set("c", "secret", { ifVersion: null }), /at most 2 values/);
    assert.equal((await store.get("a"))?.value, "1");
    assert.equal((await store.get("b"))?.value, "2");
    assert.equal(await store.get("c"), undefined);
  });

  it("replaces and deletes while it is full, and answers a version that does not hold as ever", async () => {
    const store = createMemoryStore({ maxEntries: 1 });
    await store.set("a", "1");
    assert.equal(typeof (await store.set("a", "2")), "string");
    assert.equal(await store.set("b", "1", { ifVersion: "none" }), undefined);
    await store.delete("a");
    assert.equal(typeof (await store.set("b", "1")), "string");
  });

  it("makes room by removing what has expired, and by nothing else", async () => {
    const clock = createFakeClock();
    const store = createMemoryStore({ maxEntries: 3, clock });
    await store.set("a", "1", { ttlMs: 10 });
    await store.set("b", "2", { ttlMs: 1_000 });
    await store.set("c", "3");
    await clock.advance(10);
    await store.set("d", "4");
    await assert.rejects(store.set("e", "5"), isFull);
    await clock.advance(990);
    await store.set("e", "5");
    assert.equal((await store.get("c"))?.value, "3");
    assert.equal((await store.get("d"))?.value, "4");
  });

  it("counts the bytes of keys and values, of replaced and expired ones no longer", async () => {
    const clock = createFakeClock();
    const store = createMemoryStore({ maxBytes: 20, clock });
    await store.set("a", "xxxx");
    await store.set("a", "yyyy");
    await store.set("b", "xxxx", { ttlMs: 10 });
    await assert.rejects(store.set("c", ""), isFull);
    await assert.rejects(store.set("a", "yyyyy"), /at most 20 bytes/);
    await clock.advance(10);
    await store.set("a", "yyyyyyyyy");
    await store.delete("a");
    await store.set("c", "zzzzzzzzz");
    assert.equal((await store.get("c"))?.value, "zzzzzzzzz");
  });

  it("names neither key nor value in its refusal", async () => {
    const store = createMemoryStore({ maxEntries: 0 });
    await assert.rejects(store.set("key-7", "value-7"), (error: Error) => !/key-7|value-7/.test(error.message));
  });

  it("takes a time to live that is no number as one that is over", async () => {
    const store = createMemoryStore({ maxEntries: 1 });
    await store.set("a", "1", { ttlMs: Number.NaN });
    assert.equal(await store.get("a"), undefined);
    await store.set("b", "1");
    await assert.rejects(store.set("c", "1"), isFull);
  });

  it("frees what has expired, whether or not anybody asks, and then has no timer [PP-002] [PP-010]", async () => {
    const clock = createFakeClock();
    const store = createMemoryStore({ clock });
    for (let session = 0; session < 10_000; session += 1) {
      await store.set(`session/${session}`, "state", { ttlMs: 60_000 + session });
      await store.append(`events/${session}`, "event", { ttlMs: 60_000 });
    }
    assert.equal(clock.pendingTimers, 2);
    await clock.advance(75_000);
    assert.deepEqual(store.usage(), { values: 0, logs: 0, entries: 0, listeners: 0, bytes: 0 });
    assert.equal(clock.pendingTimers, 0);
  });

  it("has no timer while nothing can expire", async () => {
    const clock = createFakeClock();
    const store = createMemoryStore({ clock });
    await store.set("kept", "1");
    await store.append("kept", "1");
    assert.equal(clock.pendingTimers, 0);
    await store.set("a", "1", { ttlMs: 10 });
    assert.equal(clock.pendingTimers, 1);
    await store.set("a", "2");
    assert.equal(clock.pendingTimers, 0);
    await store.set("a", "1", { ttlMs: 10 });
    await store.delete("a");
    assert.equal(clock.pendingTimers, 0);
    await store.set("a", "1", { ttlMs: 10 });
    await store.append("a", "1", { ttlMs: 10 });
    await store.close();
    assert.equal(clock.pendingTimers, 0);
  });

  it("renews 50 000 values that expire without looking through all of them", async () => {
    const clock = createFakeClock();
    const store = createMemoryStore({ clock });
    const begun = process.cpuUsage();
    for (let round = 0; round < 2; round += 1) {
      for (let index = 0; index < 50_000; index += 1) {
        await store.set(`session/${index}`, "state", { ttlMs: 60_000 });
      }
      await clock.advance(50_000);
    }
    assert.equal(store.usage().values, 50_000);
    await clock.advance(11_000);
    assert.equal(store.usage().values, 0);
    const tookMs = process.cpuUsage(begun).user / 1_000;
    assert.ok(tookMs < 10_000, `it took ${tookMs} ms of a processor`);
  });

  it("holds nothing once it is closed", async () => {
    const store = createMemoryStore();
    await store.set("k", "v");
    await store.append("l", "v");
    await store.subscribe("t", { message: () => undefined, missed: () => undefined });
    await store.close();
    assert.deepEqual(store.usage(), { values: 0, logs: 0, entries: 0, listeners: 0, bytes: 0 });
  });
});

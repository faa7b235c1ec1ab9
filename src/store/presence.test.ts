import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { viewOf } from "../../test/fixtures/leases.ts";
import { turn } from "../../test/fixtures/turn.ts";
import { createDeferred } from "../base/deferred.ts";
import { createFakeClock } from "../test/clock.ts";
import { createMemoryStore } from "./memory.ts";
import { Presence } from "./presence.ts";

/** A process and one that watches it. */
function prepare() {
  const clock = createFakeClock(1_000);
  const store = createMemoryStore({ clock });
  const faults = { isDown: false, gate: Promise.resolve() };
  const counts = { signs: 0 };
  const view = viewOf(store, {
    set: async (...given) => {
      counts.signs += 1;
      await faults.gate;
      return faults.isDown ? Promise.reject(new Error("no connection")) : store.set(...given);
    },
  });
  const own = new Presence(view, { clock });
  const watcher = new Presence(store, { clock });
  return { clock, store, faults, counts, own, isAlive: () => watcher.isAlive(own.id) };
}

/** Holds every sign back until it is opened. */
function close(faults: { gate: Promise<void> }): () => void {
  const { promise, resolve } = createDeferred();
  faults.gate = promise;
  return resolve;
}

describe("Presence", () => {
  it("is seen from the beginning to the end, and costs a write for each third of a lease", async () => {
    const { clock, counts, own, isAlive } = prepare();
    assert.equal(await isAlive(), false);
    await own.begin();
    await own.begin();
    assert.deepEqual([await isAlive(), counts.signs], [true, 1]);
    for (let second = 0; second < 100; second += 1) {
      await clock.advance(1_000);
      assert.equal(await isAlive(), true);
    }
    assert.ok(counts.signs >= 30 && counts.signs <= 32, `${counts.signs} signs`);
    await own.end();
    await own.end();
    assert.equal(await isAlive(), false);
    assert.equal(clock.pendingTimers, 0);
  });

  it("counts a process as dead a lease after its last sign at the latest", async () => {
    const { clock, faults, own, isAlive } = prepare();
    await own.begin();
    await clock.advance(5_000);
    faults.isDown = true;
    await clock.advance(8_300);
    assert.equal(await isAlive(), true);
    await clock.advance(100);
    assert.equal(await isAlive(), false);
  });

  it("gives each process a name of its own", () => {
    const store = createMemoryStore();
    const ids = new Set(Array.from({ length: 100 }, () => new Presence(store).id));
    assert.equal(ids.size, 100);
    assert.ok([...ids].every((id) => /^[\w-]+$/.test(id)));
  });
});

describe("Presence, where the store fails", () => {
  it("tells who begins, and tries anew with the next call", async () => {
    const { faults, own, isAlive } = prepare();
    faults.isDown = true;
    await assert.rejects(own.begin(), /no connection/);
    faults.isDown = false;
    await own.begin();
    assert.equal(await isAlive(), true);
  });

  it("bears with a store that fails for less than half a lease", async () => {
    const { clock, faults, own, isAlive } = prepare();
    await own.begin();
    for (let second = 0; second < 60; second += 1) {
      faults.isDown = second % 10 >= 2 && second % 10 < 7;
      await clock.advance(1_000);
      assert.equal(await isAlive(), true);
    }
  });

  it("comes back by itself soon after the store does, and at once for who begins something", async () => {
    const { clock, faults, own, isAlive } = prepare();
    await own.begin();
    faults.isDown = true;
    await clock.advance(30_000);
    assert.equal(await isAlive(), false);
    await assert.rejects(own.begin(), /no connection/);
    faults.isDown = false;
    await own.begin();
    assert.equal(await isAlive(), true);
    faults.isDown = true;
    await clock.advance(30_000);
    faults.isDown = false;
    await clock.advance(1_000);
    assert.equal(await isAlive(), true);
  });

  it("asks for one sign at a time, however long the store takes", async () => {
    const { clock, faults, counts, own, isAlive } = prepare();
    await own.begin();
    const open = close(faults);
    await clock.advance(60_000);
    assert.equal(counts.signs, 2);
    const begun = own.begin();
    assert.equal(counts.signs, 2);
    open();
    await begun;
    assert.deepEqual([counts.signs, await isAlive()], [2, true]);
  });

  it("is not taken for seen by a process that stood still for longer than its lease", async () => {
    const { store, clock, counts } = prepare();
    let stoodStillMs = 0;
    const view = viewOf(store, {
      set: (...given) => {
        counts.signs += 1;
        return store.set(...given);
      },
    });
    const own = new Presence(view, {
      clock: { now: () => clock.now() + stoodStillMs, after: () => () => undefined },
    });
    await own.begin();
    stoodStillMs = 10_000;
    await own.begin();
    assert.equal(counts.signs, 2);
  });
});

describe("Presence, at its end", () => {
  it("leaves no sign, also where one is under way", async () => {
    const { clock, faults, own, isAlive } = prepare();
    await own.begin();
    const open = close(faults);
    await clock.advance(4_000);
    const ended = own.end();
    await turn();
    open();
    await ended;
    await clock.advance(100);
    assert.equal(await isAlive(), false);
    assert.equal(clock.pendingTimers, 0);
    await own.begin();
    assert.equal(await isAlive(), true);
  });

  it("can begin again, also while a sign and the end are under way", async () => {
    const { clock, faults, own, isAlive } = prepare();
    await own.begin();
    await own.end();
    await own.begin();
    assert.equal(await isAlive(), true);
    const open = close(faults);
    await clock.advance(4_000);
    const ended = own.end();
    const begun = own.begin();
    open();
    await Promise.all([ended, begun]);
    assert.equal(await isAlive(), true);
    await clock.advance(60_000);
    assert.equal(await isAlive(), true);
    await own.end();
    assert.deepEqual([await isAlive(), clock.pendingTimers], [false, 0]);
  });

  it("goes on saying that it lives where the clock is put back while the store is out of reach", async () => {
    const { clock, store, faults } = prepare();
    let backMs = 0;
    const own = new Presence(
      viewOf(store, { set: (...given) => (faults.isDown ? Promise.reject(new Error("away")) : store.set(...given)) }),
      { clock: { now: () => clock.now() - backMs, after: clock.after } },
    );
    await own.begin();
    faults.isDown = true;
    backMs = 3_600_000;
    await clock.advance(4_000);
    faults.isDown = false;
    await clock.advance(4_000);
    assert.equal(await own.isAlive(own.id), true);
    await clock.advance(8_000);
    assert.equal(await own.isAlive(own.id), true);
  });

  it("asks nothing of the store where it never began", async () => {
    const store = viewOf(createMemoryStore(), { delete: () => Promise.reject(new Error("no connection")) });
    await new Presence(store).end();
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hold, prepareLeases, viewOf } from "../../test/fixtures/leases.ts";
import { StoreError } from "./error.ts";

const isLost = (reason: unknown): boolean => reason instanceof StoreError && reason.failure === "lease-lost";

describe("withLease, when the lease or the store is lost", () => {
  it("aborts the work's signal when somebody else has the lease, and leaves that one alone", async () => {
    const { store, options, clock } = prepareLeases();
    const holder = hold(store, { ...options, ttlMs: 900 });
    const { signal } = await holder.entered;
    await store.set("k", "another");
    await clock.advance(300);
    assert.ok(isLost(signal.reason));
    holder.leave();
    await holder.done;
    assert.equal((await store.get("k"))?.value, "another");
    assert.equal(clock.pendingTimers, 0);
  });

  it("bears with a store that is out of reach for a while, and aborts when that lasts as long as the lease", async () => {
    const { store, options, clock } = prepareLeases();
    let isDown = false;
    const shaky = viewOf(store, {
      set: (...args) => (isDown ? Promise.reject(new Error("down")) : store.set(...args)),
      delete: (...args) => (isDown ? Promise.reject(new Error("down")) : store.delete(...args)),
    });
    const holder = hold(shaky, { ...options, ttlMs: 900 });
    const { signal } = await holder.entered;
    isDown = true;
    await clock.advance(650);
    isDown = false;
    await clock.advance(900);
    assert.equal(signal.aborted, false);
    isDown = true;
    await clock.advance(900);
    assert.ok(isLost(signal.reason));
    holder.leave();
    await holder.done;
  });

  it("aborts in time when the store does not answer, and does not wait for it at the end", async () => {
    const { store, options, clock } = prepareLeases();
    let isStuck = false;
    const stuck = viewOf(store, {
      set: (...args) => (isStuck ? new Promise<never>(() => undefined) : store.set(...args)),
    });
    const holder = hold(stuck, { ...options, ttlMs: 900 });
    const { signal } = await holder.entered;
    isStuck = true;
    await clock.advance(899);
    assert.equal(signal.aborted, false);
    await clock.advance(1);
    assert.ok(isLost(signal.reason));
    holder.leave();
    await holder.done;
    // Asked for what has expired, the store frees it, and has no timer of its own either.
    assert.equal(await store.get("k"), undefined);
    assert.equal(clock.pendingTimers, 0);
  });

  it("knows its own renewal whose answer got lost", async () => {
    const { store, options, clock } = prepareLeases();
    let loses = 1;
    const lossy = viewOf(store, {
      set: async (key, value, setOptions) => {
        const version = await store.set(key, value, setOptions);
        if (setOptions?.ifVersion !== null && loses > 0) {
          loses -= 1;
          throw new Error("answer lost");
        }
        return version;
      },
    });
    const holder = hold(lossy, { ...options, ttlMs: 900 });
    const { signal } = await holder.entered;
    await clock.advance(5_000);
    assert.equal(signal.aborted, false);
    holder.leave();
    await holder.done;
    assert.equal(await store.get("k"), undefined);
  });

  it("takes a lease up again that ran out while the machine slept, unless somebody has taken it meanwhile", async () => {
    for (const taken of [false, true]) {
      const { store, options, clock } = prepareLeases();
      const holder = hold(store, { ...options, ttlMs: 900 });
      const { signal } = await holder.entered;
      // Timers stand still in sleep, and the time of day does not.
      await store.delete("k");
      if (taken) {
        await store.set("k", "another");
      }
      await clock.advance(300);
      assert.equal(signal.aborted, taken);
      holder.leave();
      await holder.done;
      assert.equal((await store.get("k"))?.value, taken ? "another" : undefined);
    }
  });

  it("does not begin with a lease that took longer to obtain than it lasts", async () => {
    const { store, options, clock } = prepareLeases();
    let delayMs = 1_000;
    const slow = viewOf(store, {
      set: async (...args) => {
        const version = await store.set(...args);
        await new Promise<void>((resolve) => clock.after(delayMs, resolve));
        delayMs = 0;
        return version;
      },
    });
    const holder = hold(slow, { ...options, ttlMs: 900 });
    let enteredAt = 0;
    void holder.entered.then((lease) => {
      enteredAt = clock.now();
      assert.equal(lease.signal.aborted, false);
    });
    await clock.advance(1_500);
    assert.equal(enteredAt, 2_200);
    holder.leave();
    await clock.advance(0);
    await holder.done;
  });
});

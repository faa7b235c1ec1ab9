import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hold, prepareLeases, viewOf } from "../../test/fixtures/leases.ts";
import { withLease } from "./lease.ts";

describe("withLease", () => {
  it("gives what the work gives, throws what it throws, and leaves neither lease nor timer", async () => {
    const { store, options, clock } = prepareLeases();
    assert.equal(await withLease(store, "k", async () => 7, options), 7);
    await assert.rejects(
      withLease(store, "k", () => Promise.reject(new Error("mine")), options),
      /mine/,
    );
    assert.equal(await store.get("k"), undefined);
    assert.equal(clock.pendingTimers, 0);
  });

  it("lets one holder in at a time, of one process and of several [PP-089]", async () => {
    const { store, options, other, clock } = prepareLeases();
    let inside = 0;
    let done = 0;
    const work = async (): Promise<void> => {
      inside += 1;
      assert.equal(inside, 1);
      await new Promise<void>((resolve) => clock.after(50, resolve));
      inside -= 1;
      done += 1;
    };
    const views = [store, other(), other()];
    const all = Promise.all(
      views.flatMap((view) => Array.from({ length: 5 }, () => withLease(view, "k", work, options))),
    );
    await clock.advance(60_000);
    await all;
    assert.equal(done, 15);
    assert.equal(clock.pendingTimers, 0);
  });

  it("serves callers of one process in the order in which they came, without asking the store for those who wait", async () => {
    const { store, options, clock } = prepareLeases();
    let writes = 0;
    const counting = viewOf(store, {
      set: (...args) => {
        writes += 1;
        return store.set(...args);
      },
    });
    const holder = hold(counting, options);
    await holder.entered;
    const order: number[] = [];
    const waiting = [1, 2, 3].map((n) => withLease(counting, "k", async () => void order.push(n), options));
    await clock.advance(4_000);
    assert.equal(writes, 1);
    holder.leave();
    await Promise.all(waiting);
    assert.deepEqual(order, [1, 2, 3]);
  });

  it("lets another process in between many callers of one", async () => {
    const { store, options, other, clock } = prepareLeases();
    const order: string[] = [];
    const work = (name: string) => async (): Promise<void> => {
      order.push(name);
      await new Promise<void>((resolve) => clock.after(10, resolve));
    };
    const own = Array.from({ length: 20 }, () => withLease(store, "k", work("own"), options));
    const foreign = withLease(other(), "k", work("other"), options);
    await clock.advance(10_000);
    await Promise.all([...own, foreign]);
    assert.ok(order.indexOf("other") <= 8, `${order.indexOf("other")}`);
  });

  it("keeps a lease for as long as the work runs", async () => {
    const { store, options, other, clock } = prepareLeases();
    const holder = hold(store, { ...options, ttlMs: 900 });
    const lease = await holder.entered;
    const next = hold(other(), options);
    let isIn = false;
    void next.entered.then(() => {
      isIn = true;
    });
    await clock.advance(100_000);
    assert.equal(lease.signal.aborted, false);
    assert.equal(isIn, false);
    holder.leave();
    await holder.done;
    await clock.advance(400);
    assert.equal(isIn, true);
    next.leave();
    await next.done;
  });

  it("lets the next one in when a holder was killed, once its time is up", async () => {
    const { store, options, clock } = prepareLeases();
    await store.set("k", "of a dead process", { ttlMs: 15_000 });
    const next = hold(store, options);
    let isIn = false;
    void next.entered.then(() => {
      isIn = true;
    });
    await clock.advance(14_900);
    assert.equal(isIn, false);
    await clock.advance(300);
    assert.equal(isIn, true);
    next.leave();
    await next.done;
  });

  it("stops waiting with the signal's reason, wherever it waits, and lets nobody in too early", async () => {
    const { store, options, other, clock } = prepareLeases();
    const holder = hold(store, options);
    await holder.entered;
    const controller = new AbortController();
    const waiting = [store, other()].map((view) =>
      withLease(view, "k", async () => assert.fail("entered"), { ...options, signal: controller.signal }),
    );
    const behind = hold(store, options);
    let isIn = false;
    void behind.entered.then(() => {
      isIn = true;
    });
    await clock.advance(100);
    controller.abort(new Error("enough"));
    for (const result of await Promise.allSettled(waiting)) {
      assert.equal(result.status === "rejected" && result.reason, controller.signal.reason);
    }
    await clock.advance(1_000);
    assert.equal(isIn, false);
    holder.leave();
    behind.leave();
    await Promise.all([holder.done, behind.done]);
    await assert.rejects(
      withLease(store, "k", async () => 1, { ...options, signal: controller.signal }),
      /enough/,
    );
    assert.equal(clock.pendingTimers, 0);
  });

  it("hands the caller's abort to the work, and keeps the lease until the work has ended", async () => {
    const { store, options, clock } = prepareLeases();
    const controller = new AbortController();
    const holder = hold(store, { ...options, ttlMs: 900, signal: controller.signal });
    const { signal } = await holder.entered;
    controller.abort(new Error("enough"));
    assert.equal(signal.reason, controller.signal.reason);
    await clock.advance(5_000);
    assert.notEqual(await store.get("k"), undefined);
    holder.leave();
    await holder.done;
    assert.equal(await store.get("k"), undefined);
  });

  it("rejects with what the store rejects with while the lease is being obtained, and goes on with the next", async () => {
    const { store, options } = prepareLeases();
    let isDown = true;
    const shaky = viewOf(store, {
      set: (...args) => (isDown ? Promise.reject(new Error("down")) : store.set(...args)),
    });
    await assert.rejects(
      withLease(shaky, "k", async () => 1, options),
      /down/,
    );
    isDown = false;
    assert.equal(await withLease(shaky, "k", async () => 2, options), 2);
  });

  it("does not make those wait who want another key", async () => {
    const { store, options } = prepareLeases();
    const holder = hold(store, options);
    await holder.entered;
    assert.equal(await withLease(store, "l", async () => 1, options), 1);
    holder.leave();
    await holder.done;
  });
});

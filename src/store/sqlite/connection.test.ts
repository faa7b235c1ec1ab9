import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { NodeLikeDatabase, SqlitePlace } from "../../../test/fixtures/sqlite-place.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { StoreError } from "../error.ts";
import { isBusy } from "./failure.ts";
import { sqlite } from "./open.node.ts";

const isUnavailable = (pattern: RegExp) => (error: unknown) =>
  error instanceof StoreError && error.failure === "unavailable" && pattern.test(error.message);

/** Whether a promise has settled by now. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const open = Symbol("open");
  await turn();
  return (await Promise.race([promise.catch(() => undefined), Promise.resolve(open)])) !== open;
}

describe("sqlite, where another connection holds the lock", () => {
  it("waits without blocking, reads meanwhile, and writes in the order it was asked", async (context) => {
    const place = new SqlitePlace(context);
    const store = place.open();
    await store.set("k", "before");
    const raw = await place.openRaw();
    raw.exec("BEGIN IMMEDIATE");
    const writes = ["a", "b", "c"].map((value) => store.append("l", value));
    const set = store.set("k", "after");
    assert.equal(await isSettled(Promise.race([...writes, set])), false);
    assert.equal((await store.get("k"))?.value, "before");
    assert.equal(await store.read("l"), undefined);
    await place.clock.advance(1_000);
    assert.equal(await isSettled(Promise.race([...writes, set])), false);
    raw.exec("COMMIT");
    await place.clock.advance(100);
    await Promise.all([...writes, set]);
    assert.deepEqual(
      (await store.read("l"))?.entries.map(({ value }) => value),
      ["a", "b", "c"],
    );
    assert.equal((await store.get("k"))?.value, "after");
  });

  it("waits so too when it opens the file", async (context) => {
    const place = new SqlitePlace(context);
    const first = place.open();
    await first.set("k", "v");
    const raw = await place.openRaw();
    raw.exec("BEGIN EXCLUSIVE");
    const store = place.open();
    const found = store.get("k");
    assert.equal(await isSettled(found), false);
    raw.exec("COMMIT");
    for (let round = 0; round < 5; round += 1) {
      await turn();
      await place.clock.advance(100);
    }
    assert.equal((await found)?.value, "v");
  });

  it("gives up after its limit, names the file, and has written nothing", async (context) => {
    const place = new SqlitePlace(context);
    const store = place.open({ timeoutMs: 300 });
    await store.set("k", "v");
    const raw = await place.openRaw();
    raw.exec("BEGIN IMMEDIATE");
    const calls = [store.set("k", "w"), store.append("l", "v"), store.publish("t", "v")];
    const outcomes = Promise.allSettled(calls);
    await place.clock.advance(301);
    for (const outcome of await outcomes) {
      assert.ok(outcome.status === "rejected");
      assert.ok(isUnavailable(/store\.db" was locked by another connection for longer than 300 ms/)(outcome.reason));
      assert.ok(isBusy(outcome.reason.cause));
    }
    raw.exec("COMMIT");
    assert.equal((await store.get("k"))?.value, "v");
    assert.equal(await store.read("l"), undefined);
    assert.equal(typeof (await store.set("k", "x")), "string");
  });

  it("gives up many writes without a further attempt for each", async (context) => {
    const place = new SqlitePlace(context);
    let attempts = 0;
    class Counting extends NodeLikeDatabase {
      override exec(sql: string): void {
        attempts += sql === "BEGIN IMMEDIATE" ? 1 : 0;
        super.exec(sql);
      }
    }
    const store = sqlite(new Counting(await place.openRaw()), { clock: place.clock, timeoutMs: 300 });
    await store.set("k", "v");
    const raw = await place.openRaw();
    raw.exec("BEGIN IMMEDIATE");
    const outcomes = Promise.allSettled(Array.from({ length: 200 }, () => store.set("k", "w")));
    await place.clock.advance(301);
    assert.ok((await outcomes).every(({ status }) => status === "rejected"));
    assert.ok(attempts < 100, `${attempts} attempts`);
    raw.exec("COMMIT");
    assert.equal(typeof (await store.set("k", "x")), "string");
    await store.close();
  });

  it("rejects what waits when it is closed, and leaves no timer", async (context) => {
    const place = new SqlitePlace(context);
    const store = place.open();
    await store.set("k", "v");
    (await place.openRaw()).exec("BEGIN IMMEDIATE");
    const waiting = assert.rejects(store.set("k", "w"), isUnavailable(/is closed/));
    const behind = assert.rejects(store.append("l", "w"), isUnavailable(/is closed/));
    assert.equal(await isSettled(waiting), false);
    await store.close();
    await Promise.all([waiting, behind]);
    assert.equal(place.clock.pendingTimers, 0);
  });

  it("knows a lock by the number that node:sqlite gives, too", async (context) => {
    const place = new SqlitePlace(context);
    const database = new NodeLikeDatabase(await place.openRaw());
    const store = sqlite(database, { clock: place.clock });
    await store.set("k", "v");
    const raw = await place.openRaw();
    raw.exec("BEGIN IMMEDIATE");
    const write = store.set("k", "w");
    assert.equal(await isSettled(write), false);
    raw.exec("COMMIT");
    await place.clock.advance(100);
    assert.equal(typeof (await write), "string");
    assert.equal((await store.get("k"))?.value, "w");
    await store.close();
  });
});

describe("sqlite, where there is no room", () => {
  it("rejects with the cause, keeps what it had, and goes on when there is room again", async (context) => {
    const place = new SqlitePlace(context);
    const raw = await place.openRaw();
    const store = sqlite(raw, { clock: place.clock });
    await store.set("k", "v");
    const kept = await store.append("l", "v");
    raw.exec("PRAGMA max_page_count = 1");
    for (const write of [store.set("k", "w".repeat(100_000)), store.append("l", "w".repeat(100_000))]) {
      const error = await write.catch((caught: unknown) => caught);
      assert.ok(isUnavailable(/database or disk is full/)(error));
      assert.match(String((error as Error).cause), /database or disk is full/);
    }
    assert.equal((await store.get("k"))?.value, "v");
    assert.deepEqual(await store.read("l"), { entries: [kept], complete: true });
    raw.exec("PRAGMA max_page_count = 1000000");
    assert.equal((await store.append("l", "w".repeat(100_000))).previous, kept.position);
    await store.close();
  });
});

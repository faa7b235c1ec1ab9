/** What every Log promises of its limits, its end and its new beginning, as tests. */
import assert from "node:assert/strict";
import type { AppendOptions, LogEntry, Store } from "../../store/contracts.ts";
import { assertChained, readEntries } from "./logs.node.ts";
import type { Promised } from "./promised.node.ts";

/** Adds entries one after the other. */
async function appendAll(store: Store, values: readonly string[], options?: AppendOptions): Promise<LogEntry[]> {
  const added: LogEntry[] = [];
  for (const value of values) {
    added.push({ ...(await store.append("l", value, options)) });
  }
  return added;
}

function copy(entry: LogEntry): LogEntry {
  return { ...entry };
}

/** Fails unless a log keeps just these entries, and says from which position on nothing is lacking. */
async function assertKept(store: Store, added: readonly LogEntry[], kept: number): Promise<void> {
  const dropped = added.slice(0, added.length - kept);
  const expected = added.slice(added.length - kept);
  const newestDropped = dropped.at(-1)?.position ?? 0;
  for (const after of [0, ...added.map(({ position }) => position)]) {
    const slice = await store.read("l", after);
    assert.deepEqual(
      slice?.entries.map(copy),
      expected.filter(({ position }) => position > after),
    );
    assert.equal(slice.complete, after >= newestDropped, `behind ${after}, where ${newestDropped} was dropped`);
  }
}

/** Registers the tests of limits by number and size. */
export function describeLogLimits(promise: Promised<Store>): void {
  promise("keeps so many entries, the newest, and says whether that is all", async ({ store, other }) => {
    const added = await appendAll(store, ["a", "b", "c", "d", "e"], { maxEntries: 3 });
    assertChained(added);
    await assertKept(other, added, 3);
  });

  promise("keeps so many bytes, the newest, and says whether that is all", async ({ store, other }) => {
    const added = await appendAll(
      store,
      Array.from({ length: 10 }, (_, index) => String(index).repeat(1_000)),
      {
        maxBytes: 5_000,
      },
    );
    const kept = (await other.read("l"))?.entries.length ?? 0;
    assert.ok(kept >= 2 && kept <= 5, `${kept} entries of 1000 characters for 5000 bytes`);
    await assertKept(other, added, kept);
  });

  promise("keeps the newest entry, however big it is", async ({ store, other }) => {
    const added = await appendAll(store, ["a", "b".repeat(1_000), "c".repeat(2_000)], { maxBytes: 100 });
    await assertKept(other, added, 1);
  });

  promise("keeps to the limits that the newest entry came with", async ({ store, other }) => {
    const added = await appendAll(store, ["a", "b", "c", "d"]);
    await assertKept(other, added, 4);
    added.push(...(await appendAll(other, ["e"], { maxEntries: 2 })));
    await assertKept(store, added, 2);
    added.push(...(await appendAll(store, ["f", "g"])));
    await assertKept(other, added, 4);
  });

  promise("keeps to its limits with many writers", async ({ store, other }) => {
    const appends = Array.from({ length: 60 }, (_, index) =>
      (index % 2 === 0 ? store : other).append("l", String(index), { maxEntries: 10 }),
    );
    const added = (await Promise.all(appends)).map(copy);
    added.sort((one, two) => one.position - two.position);
    assertChained(added);
    await assertKept(store, added, 10);
  });
}

/** Registers the tests of age. */
export function describeLogAge(promise: Promised<Store>): void {
  promise("keeps an entry until its time is up, and then says that it is lacking", async ({ store, other, time }) => {
    const { ttlMs } = time;
    const since = time.now();
    const added = await appendAll(store, ["a"], { ttlMs });
    await time.passMost();
    const early = await other.read("l");
    assert.ok(
      early?.entries.length === 1 || time.mayBeOver(since),
      "expected the entry to be there until its time is up",
    );
    const again = time.now();
    added.push(...(await appendAll(store, ["b"], { ttlMs })));
    await time.passRest();
    const [all, behind] = [await other.read("l"), await other.read("l", added[0]?.position)];
    if (!time.mayBeOver(again)) {
      assert.deepEqual({ ...all, entries: all?.entries.map(copy) }, { entries: added.slice(1), complete: false });
      assert.deepEqual({ ...behind, entries: behind?.entries.map(copy) }, { entries: added.slice(1), complete: true });
    }
  });

  promise("knows nothing of a log whose last entry has expired", async ({ store, other, time }) => {
    await appendAll(store, ["a", "b"], { ttlMs: time.ttlMs });
    await time.passAll();
    assert.equal(await store.read("l"), undefined);
    assert.equal(await other.read("l", 1), undefined);
  });

  promise("counts the age that the newest entry came with", async ({ store, other, time }) => {
    const { ttlMs } = time;
    const added = await appendAll(store, ["a"], { ttlMs });
    added.push(...(await appendAll(other, ["b"])));
    await time.passAll();
    await assertKept(store, added, 2);
    added.push(...(await appendAll(store, ["c"], { ttlMs })));
    assert.deepEqual(
      (await other.read("l"))?.entries.map(({ value }) => value),
      ["c"],
    );
  });

  promise("frees logs that have expired, whether or not anybody asks", async ({ store, time, countKept, skip }) => {
    if (countKept === undefined) {
      return skip("what is kept cannot be counted");
    }
    const empty = await countKept();
    for (let index = 0; index < 50; index += 1) {
      await store.append(`l${index}`, "v", { ttlMs: time.ttlMs, maxEntries: 5 });
    }
    await time.until("what has expired to be gone from the place", async () => (await countKept()) <= empty);
  });
}

/** Registers the tests of a log's end and its new beginning. */
export function describeLogEnds(promise: Promised<Store>): void {
  promise("forgets a log that is dropped, for everybody", async ({ store, other }) => {
    const [entry] = await appendAll(store, ["a", "b"]);
    await other.drop("l");
    assert.equal(await store.read("l"), undefined);
    assert.equal(await other.read("l", entry?.position), undefined);
    await other.drop("l");
  });

  promise("begins a dropped log again behind where it ended", async ({ store, other }) => {
    let last = 0;
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(Array.from({ length: 50 }, () => store.append("l", "burst")));
      const burst = await readEntries(other, "l");
      assert.ok((burst[0]?.position ?? 0) > last, `begins at ${burst[0]?.position}, behind ${last}`);
      assertChained(burst);
      last = burst.at(-1)?.position ?? 0;
      await (round % 2 === 0 ? store : other).drop("l");
    }
  });

  promise("begins an expired log again behind where it ended", async ({ store, other, time }) => {
    const appends = Array.from({ length: 50 }, () => store.append("l", "burst", { ttlMs: time.ttlMs }));
    const last = Math.max(...(await Promise.all(appends)).map(({ position }) => position));
    await time.passAll();
    const entry = await other.append("l", "again");
    assert.ok(entry.position > last, `begins at ${entry.position}, behind ${last}`);
    assert.equal(entry.previous, 0);
    assert.deepEqual(await readEntries(store, "l", last), [{ ...entry }]);
  });
}

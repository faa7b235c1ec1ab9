/** What every KeyValue promises of values whose time is up, as tests. */
import assert from "node:assert/strict";
import type { KeyValue } from "../../store/contracts.ts";
import type { Promised } from "./promised.node.ts";
import { listKeys } from "./values.node.ts";

/** Registers the tests of expiry. */
export function describeExpiry(promise: Promised<KeyValue>): void {
  promise("has a value until its time is up, and then as if it had never been", async ({ store, other, time }) => {
    const { ttlMs } = time;
    const since = time.now();
    const version = (await store.set("k", "v", { ttlMs })) ?? "";
    await time.passMost();
    const found = await other.get("k");
    assert.ok(found?.value === "v" || time.mayBeOver(since), "expected the value to be there until its time is up");
    await time.passRest();
    assert.equal(await store.get("k"), undefined);
    assert.deepEqual(await listKeys(other, ""), []);
    assert.equal(await store.set("k", "w", { ifVersion: version }), undefined);
    assert.equal(await store.delete("k", { ifVersion: version }), false);
    assert.equal(await store.delete("k"), false);
    assert.equal(typeof (await store.set("k", "x", { ifVersion: null })), "string");
  });

  promise("counts the time of the last write only, which may be without one", async ({ store, time }) => {
    const { ttlMs } = time;
    await store.set("renewed", "v", { ttlMs });
    await store.set("kept", "v", { ttlMs });
    await time.passMost();
    const since = time.now();
    const renewal = await store.set("renewed", "w", { ttlMs });
    await store.set("kept", "w");
    await time.passMost();
    const found = await store.get("renewed");
    assert.ok(found?.version === renewal || time.mayBeOver(since), "expected the renewed value to be there");
    await time.passRest();
    assert.deepEqual(await listKeys(store, ""), ["kept"]);
  });

  promise("counts the time of a write over a version", async ({ store, time }) => {
    const { ttlMs } = time;
    const ifVersion = await store.set("k", "v", { ttlMs: 60_000 });
    assert.equal(typeof (await store.set("k", "w", { ttlMs, ifVersion })), "string");
    await time.passAll();
    assert.equal(await store.get("k"), undefined);
  });

  promise("leaves the time of a value as it was when a write did not happen", async ({ store, time }) => {
    const { ttlMs } = time;
    await store.set("k", "v", { ttlMs });
    assert.equal(await store.set("k", "w", { ttlMs: 60_000, ifVersion: null }), undefined);
    await time.passAll();
    assert.equal(await store.get("k"), undefined);
  });

  promise("frees what has expired, whether or not anybody asks", async ({ store, time, countKept, skip }) => {
    if (countKept === undefined) {
      return skip("what is kept cannot be counted");
    }
    const empty = await countKept();
    for (let index = 0; index < 50; index += 1) {
      await store.set(`k${index}`, "v", { ttlMs: time.ttlMs });
    }
    await time.until("what has expired to be gone from the place", async () => (await countKept()) <= empty);
  });
}

/** What every KeyValue promises of versions, as tests: compare-and-set, also between those who race. */
import assert from "node:assert/strict";
import type { KeyValue } from "../../store/contracts.ts";
import type { SuiteLimits } from "./opened.ts";
import type { Promised } from "./promised.node.ts";

/** Registers the tests of versions. */
export function describeVersions(promise: Promised<KeyValue>): void {
  promise(
    "gives every write of a key another version, also of the same value or after a deletion",
    async ({ store }) => {
      const versions = [await store.set("k", "v"), await store.set("k", "v"), await store.set("k", "w")];
      await store.delete("k");
      versions.push(await store.set("k", "v"));
      assert.equal(new Set(versions).size, versions.length);
      assert.equal(versions.includes(undefined), false);
    },
  );

  promise("leaves a version as it is while others are written", async ({ store }) => {
    const version = await store.set("k", "v");
    await store.set("l", "w");
    await store.delete("l");
    assert.equal((await store.get("k"))?.version, version);
  });

  promise("writes with ifVersion null only where nothing is", async ({ store, other }) => {
    const first = await store.set("k", "1", { ifVersion: null });
    assert.equal(typeof first, "string");
    assert.equal(await other.set("k", "2", { ifVersion: null }), undefined);
    assert.deepEqual({ ...(await store.get("k")) }, { value: "1", version: first });
    await store.delete("k");
    assert.equal(typeof (await other.set("k", "3", { ifVersion: null })), "string");
  });

  promise("writes with a version only over that version", async ({ store, other }) => {
    const first = (await store.set("k", "1")) ?? "";
    const second = await other.set("k", "2", { ifVersion: first });
    assert.equal(typeof second, "string");
    assert.equal(await store.set("k", "3", { ifVersion: first }), undefined);
    assert.deepEqual({ ...(await store.get("k")) }, { value: "2", version: second });
    await store.delete("k");
    assert.equal(await store.set("k", "4", { ifVersion: second }), undefined);
    assert.equal(await store.set("never", "5", { ifVersion: first }), undefined);
    assert.equal(await store.get("k"), undefined);
  });

  promise("deletes with a version only that version", async ({ store, other }) => {
    const first = (await store.set("k", "1")) ?? "";
    const second = (await store.set("k", "2")) ?? "";
    assert.equal(await other.delete("k", { ifVersion: first }), false);
    assert.equal((await store.get("k"))?.value, "2");
    assert.equal(await other.delete("k", { ifVersion: second }), true);
    assert.equal(await other.delete("k", { ifVersion: second }), false);
  });
}

/** Registers the tests of races. */
export function describeRaces(promise: Promised<KeyValue>, { racers = 20 }: SuiteLimits): void {
  promise("lets exactly one of many win a value, whatever it was before", async ({ store, other }) => {
    let version: string | null = null;
    for (let round = 0; round < 3; round += 1) {
      const ifVersion: string | null = version;
      const writes = Array.from({ length: racers }, (_, index) =>
        (index % 2 === 0 ? store : other).set("k", `${round}/${index}`, { ifVersion }),
      );
      const results: (string | undefined)[] = await Promise.all(writes);
      const winners = results.flatMap((result, index) => (result === undefined ? [] : [{ result, index }]));
      assert.equal(winners.length, 1);
      const [winner] = winners;
      assert.deepEqual({ ...(await store.get("k")) }, { value: `${round}/${winner?.index}`, version: winner?.result });
      version = winner?.result ?? null;
    }
  });

  promise("lets exactly one of many delete a version", async ({ store, other }) => {
    const ifVersion = await store.set("k", "v");
    const deletions = Array.from({ length: racers }, (_, index) =>
      (index % 2 === 0 ? store : other).delete("k", { ifVersion }),
    );
    assert.equal((await Promise.all(deletions)).filter(Boolean).length, 1);
  });

  promise("loses no update of writers that try again", async ({ store, other }) => {
    const increment = async (view: KeyValue): Promise<void> => {
      for (;;) {
        const found = await view.get("n");
        const next = String(Number(found?.value ?? "0") + 1);
        if ((await view.set("n", next, { ifVersion: found?.version ?? null })) !== undefined) {
          return;
        }
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, index) => increment(index % 2 === 0 ? store : other)));
    assert.equal((await store.get("n"))?.value, "8");
  });
}

// What every ResultCache promises, as tests. Called by the test of each implementation.

import assert from "node:assert/strict";
import { it } from "node:test";
import type { CachedResult, ResultCache } from "../../src/client/cache/result-cache.ts";

/** How the suite makes caches. */
export interface ResultCacheContract {
  /** Makes an empty cache with room for at least a hundred small results. */
  create(): ResultCache | Promise<ResultCache>;
  /** What the caches take as now, in milliseconds since the epoch. */
  readonly now: number;
}

const odd = ' "\\\u0000é🙂\n:/*[]';

/** Registers the suite inside the caller's `describe`. */
export function verifyResultCache({ create, now }: ResultCacheContract): void {
  const later = now + 60_000;
  const entryOf = (result: CachedResult["result"]): CachedResult => ({ result, receivedAt: now, ttlMs: 1_000 });

  it("gives back what was kept, whole, and nothing where nothing was", async () => {
    const cache = await create();
    const entry = entryOf({ tools: [{ name: odd, inputSchema: { type: "object" } }], n: 1.5, none: null });
    await cache.set("g", "k", entry, later);
    assert.deepEqual(await cache.get("g", "k"), entry);
    assert.equal(await cache.get("g", "other"), undefined);
    assert.equal(await cache.get("other", "k"), undefined);
  });

  it("keeps the last of several under one key", async () => {
    const cache = await create();
    await cache.set("g", "k", entryOf({ n: 1 }), later);
    await cache.set("g", "k", entryOf({ n: 2 }), later);
    assert.deepEqual((await cache.get("g", "k"))?.result, { n: 2 });
    assert.deepEqual(await cache.keys("g"), ["k"]);
  });

  it("keeps groups and keys apart, whatever characters they have", async () => {
    const cache = await create();
    const names = [
      ["a", "bc"],
      ["ab", "c"],
      ["", "abc"],
      ["abc", ""],
      [odd, "k"],
      ["g", odd],
    ] as const;
    for (const [index, [group, key]] of names.entries()) {
      await cache.set(group, key, entryOf({ index }), later);
    }
    for (const [index, [group, key]] of names.entries()) {
      assert.deepEqual((await cache.get(group, key))?.result, { index });
    }
    assert.deepEqual(await cache.keys("g"), [odd]);
  });

  it("gives copies, so that nobody changes what is kept", async () => {
    const cache = await create();
    const entry = entryOf({ tools: ["t"] });
    await cache.set("g", "k", entry, later);
    entry.result.tools = [];
    const given = await cache.get("g", "k");
    assert.ok(given);
    given.result.tools = ["changed"];
    assert.deepEqual((await cache.get("g", "k"))?.result, { tools: ["t"] });
  });

  it("forgets one result, or a whole group, and what is not there without complaint", async () => {
    const cache = await create();
    for (const key of ["1", "2", "3"]) {
      await cache.set("g", key, entryOf({ key }), later);
    }
    await cache.set("other", "1", entryOf({}), later);
    await cache.delete("g", "1");
    await cache.delete("g", "never");
    assert.deepEqual([...(await cache.keys("g"))].sort(), ["2", "3"]);
    await cache.delete("g");
    await cache.delete("never");
    assert.deepEqual(await cache.keys("g"), []);
    assert.equal(await cache.get("g", "2"), undefined);
    assert.ok(await cache.get("other", "1"));
  });
}

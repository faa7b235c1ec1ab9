import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { verifyResultCache } from "../../../test/contract/result-cache.ts";
import { createMemoryCache } from "./memory-cache.ts";

const entry = { result: { text: "0123456789" }, receivedAt: 0, ttlMs: 1_000 };

describe("createMemoryCache", () => {
  verifyResultCache({ create: () => createMemoryCache({ now: () => 0 }), now: 0 });

  it("drops the result used longest ago when there are too many", async () => {
    const cache = createMemoryCache({ maxEntries: 2, now: () => 0 });
    await cache.set("g", "a", entry, 1_000);
    await cache.set("g", "b", entry, 1_000);
    await cache.get("g", "a");
    await cache.set("h", "c", entry, 1_000);
    assert.deepEqual(await cache.keys("g"), ["a"]);
    assert.deepEqual(await cache.keys("h"), ["c"]);
  });

  it("drops results until all fit into its bytes, names included", async () => {
    const bytes = 2 * ("g".length + "a".length + JSON.stringify(entry.result).length);
    const cache = createMemoryCache({ maxBytes: 2 * bytes, now: () => 0 });
    for (const key of ["a", "b", "a", "c"]) {
      await cache.set("g", key, entry, 1_000);
    }
    assert.deepEqual(await cache.keys("g"), ["a", "c"]);
    await cache.set("g", "much longer name", entry, 1_000);
    assert.deepEqual(await cache.keys("g"), ["much longer name"]);
  });

  it("does not keep what is larger than everything, nor the one before in its place", async () => {
    const cache = createMemoryCache({ maxBytes: 200, now: () => 0 });
    await cache.set("g", "small", entry, 1_000);
    await cache.set("g", "a", entry, 1_000);
    await cache.set("g", "a", { ...entry, result: { text: "x".repeat(200) } }, 1_000);
    assert.deepEqual(await cache.keys("g"), ["small"]);
  });

  it("gives nothing whose time is over altogether", async () => {
    let now = 0;
    const cache = createMemoryCache({ now: () => now });
    await cache.set("g", "a", entry, 1_000);
    now = 999;
    assert.deepEqual(await cache.get("g", "a"), entry);
    now = 1_000;
    assert.equal(await cache.get("g", "a"), undefined);
    assert.deepEqual(await cache.keys("g"), []);
  });

  it("refuses bounds that hold nothing", () => {
    assert.throws(() => createMemoryCache({ maxEntries: 0 }), { code: "MCP_USAGE", message: /maxEntries/ });
    assert.throws(() => createMemoryCache({ maxBytes: Number.NaN }), { code: "MCP_USAGE", message: /maxBytes/ });
  });
});

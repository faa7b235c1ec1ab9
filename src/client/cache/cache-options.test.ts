import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { resolveCacheOptions } from "./cache-options.ts";
import { createMemoryCache } from "./memory-cache.ts";

const host = { now: () => 0, onDiagnostic: undefined };

describe("resolveCacheOptions", () => {
  it("keeps results in memory by the client's clock, and gives nothing outdated", async () => {
    const { store, maxStaleMs } = resolveCacheOptions({}, host);
    assert.equal(maxStaleMs, 0);
    await store.set("g", "k", { result: {}, receivedAt: 0, ttlMs: 1 }, 1);
    assert.ok(await store.get("g", "k"));
  });

  it("takes a cache that others use too", () => {
    const store = createMemoryCache();
    assert.equal(resolveCacheOptions({ store }, host).store, store);
  });

  it("refuses times that are none", () => {
    for (const maxStaleMs of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.throws(() => resolveCacheOptions({ maxStaleMs }, host), { code: "MCP_USAGE", message: /maxStaleMs/ });
    }
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CachedSession, createCachingClient } from "../../../test/fixtures/cached-session.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import type { CachePlace } from "./cache-key.ts";
import { KeptResults } from "./kept-results.ts";
import { createMemoryCache } from "./memory-cache.ts";
import type { ResultCache } from "./result-cache.ts";

const place: CachePlace = { server: "s", revision: "r", owner: "alice", method: "tools/list", key: "{}" };
const hints = { ttlMs: 1_000, cacheScope: "public" };

/** A memory cache one of whose functions is another. */
function createStore(changes: (store: ResultCache) => Partial<ResultCache> = () => ({})): ResultCache {
  const store = createMemoryCache({ now: () => 0 });
  return {
    get: (...args) => store.get(...args),
    set: (...args) => store.set(...args),
    keys: (...args) => store.keys(...args),
    delete: (...args) => store.delete(...args),
    ...changes(store),
  };
}

const fail = async (): Promise<never> => {
  throw new Error("gone");
};

describe("KeptResults", () => {
  it("gives the newest of a private and a public result [M-CACHE-013]", async () => {
    const { settings, clock } = createCachingClient();
    const [alice, bob] = [place, { ...place, owner: "bob" }];
    const kept = new KeptResults(settings);
    const entryOf = (n: number) => ({ result: { n }, receivedAt: clock.now(), ttlMs: 1_000 });
    await kept.keep(alice, "private", entryOf(1));
    await clock.advance(1);
    await kept.keep(bob, "public", entryOf(2));
    assert.deepEqual((await kept.find(alice))?.result, { n: 2 });
    await clock.advance(1);
    await kept.keep(bob, "private", entryOf(3));
    assert.deepEqual((await kept.find(alice))?.result, { n: 1 });
    assert.deepEqual((await kept.find(bob))?.result, { n: 3 });
  });

  it("finds nothing that is being forgotten, however long that takes [M-CACHE-010]", async () => {
    const { settings } = createCachingClient({
      store: createStore((store) => ({ delete: (...args) => turn().then(() => store.delete(...args)) })),
    });
    const kept = new KeptResults(settings);
    await kept.keep(place, "public", { result: {}, receivedAt: 0, ttlMs: 1_000 });
    kept.forget(place, { methods: ["tools/list"], isMeant: (key) => key === "{}" });
    assert.equal(await kept.find(place), undefined);
  });

  it("does without a cache that could not forget, and says so [M-CACHE-010]", async () => {
    const store = createStore((plain) => ({
      delete: (group, key) => (key === undefined ? fail() : plain.delete(group, key)),
    }));
    const { settings, diagnostics } = createCachingClient({ store });
    const session = new CachedSession(settings, () => hints);
    await session.ask("tools/list");
    session.requests.receive("notifications/tools/list_changed");
    for (let round = 0; round < 2; round += 1) {
      await session.ask("tools/list");
    }
    assert.equal(session.count(), 3);
    assert.deepEqual(
      diagnostics.map(({ code }) => code),
      ["MCP_D_CACHE_FAULT"],
    );
  });

  it("fetches what a cache cannot give or keep, and says so", async () => {
    const store = createStore(() => ({ get: fail, set: fail }));
    const { settings, diagnostics } = createCachingClient({ store });
    const session = new CachedSession(settings, () => hints);
    assert.deepEqual(await session.ask("tools/list"), hints);
    assert.deepEqual(
      diagnostics.map(({ code, message }) => [code, message]),
      [
        ["MCP_D_CACHE_FAULT", "a result was not found, as the cache failed"],
        ["MCP_D_CACHE_FAULT", "a result was not kept, as the cache failed"],
      ],
    );
  });
});

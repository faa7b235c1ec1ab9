import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CachedSession, createCachingClient } from "../../../test/fixtures/cached-session.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { createMemoryCache } from "./memory-cache.ts";

const publicHints = { ttlMs: 1_000, cacheScope: "public" };
const privateHints = { ttlMs: 1_000, cacheScope: "private" };

function open(answer: CachedSession["answer"] = () => publicHints) {
  const client = createCachingClient();
  return { ...client, session: new CachedSession(client.settings, answer) };
}

describe("CachedRequests: scopes", () => {
  const answer = (method: string): JsonObject => (method === "tools/list" ? publicHints : privateHints);

  it("fetches private results anew for another user, and shares public ones [M-CACHE-013]", async () => {
    const { settings, session } = open(answer);
    const other = new CachedSession(settings, answer, { authorization: "bob" });
    const again = new CachedSession(settings, answer);
    for (const each of [session, other, again]) {
      await each.ask("tools/list");
      await each.ask("resources/list");
    }
    assert.deepEqual(
      other.sent.map(({ method }) => method),
      ["resources/list"],
    );
    assert.equal(again.count(), 0);
  });

  it("drops private results when the user changes, also for the way back [M-CACHE-013]", async () => {
    const { session } = open(answer);
    await session.ask("tools/list");
    await session.ask("resources/list");
    for (const authorization of ["bob", "alice"]) {
      session.count();
      session.context = { server: "https://a.test/mcp", revision: "newest", authorization };
      await session.ask("tools/list");
      await session.ask("resources/list");
      assert.deepEqual(
        session.sent.map(({ method }) => method),
        ["resources/list"],
      );
    }
  });

  it("keeps no private result during whose request the user changed, for neither user [M-CACHE-013]", async () => {
    const { session } = open();
    const context = { server: "https://a.test/mcp", revision: "newest" };
    session.answer = () => {
      session.context = { ...context, authorization: "bob" };
      return privateHints;
    };
    await session.ask("resources/list");
    session.answer = () => privateHints;
    for (const authorization of ["bob", "alice"]) {
      session.context = { ...context, authorization };
      await session.ask("resources/list");
    }
    assert.equal(session.count(), 3);
  });

  for (const cacheScope of [undefined, "shared", "PUBLIC", 1]) {
    it(`takes the scope ${cacheScope} for private [M-CACHE-007] [M-CACHE-013]`, async () => {
      const { settings, session } = open(() => ({ ttlMs: 1_000, cacheScope }));
      await session.ask("tools/list");
      await session.ask("tools/list");
      assert.equal(session.count(), 1);
      const other = new CachedSession(settings, () => publicHints, { authorization: "bob" });
      await other.ask("tools/list");
      assert.equal(other.count(), 1);
    });
  }

  it("no longer shares what the server has made private since [M-CACHE-013]", async () => {
    const { settings, session } = open();
    await session.ask("tools/list");
    session.answer = () => privateHints;
    await session.ask("tools/list", undefined, { reload: true });
    const other = new CachedSession(settings, () => publicHints, { authorization: "bob" });
    await other.ask("tools/list");
    assert.equal(other.count(), 1);
  });

  it("shares nothing from a server without a name, and nothing private without a user [M-CACHE-011] [M-CACHE-013]", async () => {
    const { settings } = open();
    for (const [context, methods] of [
      [{ server: undefined }, ["tools/list", "resources/list"]],
      [{ authorization: undefined }, ["resources/list"]],
    ] as const) {
      const [first, second] = [0, 1].map(() => new CachedSession(settings, answer, context));
      assert.ok(first && second);
      for (const each of [first, first, second]) {
        await each.ask("tools/list");
        await each.ask("resources/list");
      }
      assert.equal(first.count(), 2);
      assert.deepEqual(
        second.sent.map(({ method }) => method),
        methods,
      );
    }
  });

  it("leaves nothing behind that no other session can use", async () => {
    const groups = new Set<string>();
    const store = createMemoryCache();
    const set: typeof store.set = (group, ...rest) => store.set(groups.add(group) && group, ...rest);
    const { settings } = createCachingClient({ store: { ...bind(store), set } });
    for (const context of [{ server: undefined }, { authorization: undefined }, {}]) {
      const session = new CachedSession(settings, answer, context);
      await session.ask("tools/list");
      await session.ask("resources/list");
      await session.requests.close();
      await session.ask("tools/list");
    }
    const left = await Promise.all([...groups].map(async (group) => [group, await store.keys(group)] as const));
    assert.deepEqual(
      left.filter(([, keys]) => keys.length > 0).map(([group]) => JSON.parse(group).slice(2)),
      [
        ["tools/list", "public"],
        ["resources/list", "private", "alice"],
      ],
    );
  });
});

function bind(store: ReturnType<typeof createMemoryCache>) {
  return {
    get: store.get.bind(store),
    set: store.set.bind(store),
    keys: store.keys.bind(store),
    delete: store.delete.bind(store),
  };
}

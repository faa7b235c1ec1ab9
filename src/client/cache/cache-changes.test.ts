import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CachedSession, createCachingClient } from "../../../test/fixtures/cached-session.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { createDeferred } from "../../base/deferred.ts";
import { ClosedError, HttpError, TimeoutError } from "../../base/error.ts";
import { InvalidParamsError } from "../../protocol/errors.ts";
import { cacheableMethods } from "./cache-key.ts";
import { createMemoryCache } from "./memory-cache.ts";
import type { ResultCache } from "./result-cache.ts";

const hints = { ttlMs: 1_000, cacheScope: "public" };

/** A cache that takes its time, as one behind a network does. */
function createSlowCache(): ResultCache {
  const store = createMemoryCache({ now: () => 0 });
  return {
    get: (...args) => turn().then(() => store.get(...args)),
    set: (...args) => turn().then(() => store.set(...args)),
    keys: (...args) => turn().then(() => store.keys(...args)),
    delete: (...args) => turn().then(() => store.delete(...args)),
  };
}

async function openFilled(options: Parameters<typeof createCachingClient>[0] = {}) {
  const client = createCachingClient(options);
  const session = new CachedSession(client.settings, (method) => ({
    ...hints,
    cacheScope: method.length % 2 === 0 ? "public" : "private",
  }));
  const questions = [
    ...cacheableMethods.filter((method) => method !== "resources/read").map((method) => [method, {}] as const),
    ...["tools/list", "prompts/list", "resources/list"].map((method) => [method, { cursor: "2" }] as const),
    ...["f:/a/b", "f:/a", "f:/a/b/c", "f:/a/x", "f:/b"].map((uri) => ["resources/read", { uri }] as const),
  ];
  /** Asks for everything and says what was not kept any more. */
  const refetched = async (): Promise<string[]> => {
    session.count();
    for (const [method, params] of questions) {
      await session.ask(method, params);
    }
    return session.sent.map(({ method, params }) => `${method} ${params?.uri ?? params?.cursor ?? ""}`.trim());
  };
  await refetched();
  assert.deepEqual(await refetched(), []);
  return { ...client, session, refetched };
}

describe("CachedRequests: changes", () => {
  for (const [kind, createStore] of [
    ["in memory", () => createMemoryCache({ now: () => 0 })],
    ["behind a network", createSlowCache],
  ] as const) {
    for (const [notification, outdated] of [
      ["notifications/tools/list_changed", ["tools/list", "tools/list 2"]],
      ["notifications/prompts/list_changed", ["prompts/list", "prompts/list 2"]],
      ["notifications/resources/list_changed", ["resources/list", "resources/templates/list", "resources/list 2"]],
      ["notifications/message", []],
    ] as const) {
      it(`fetches again after ${notification} what it outdates, all pages, no more, ${kind} [M-CACHE-010]`, async () => {
        const { session, refetched } = await openFilled({ store: createStore() });
        session.requests.receive(notification);
        assert.deepEqual(await refetched(), outdated);
        assert.deepEqual(await refetched(), []);
      });
    }

    it(`reads an updated resource again, with those above and below it, ${kind} [M-CACHE-010]`, async () => {
      const { session, refetched } = await openFilled({ store: createStore() });
      session.requests.receive("notifications/resources/updated", { uri: "f:/a/b" });
      const outdated = ["f:/a/b", "f:/a", "f:/a/b/c"];
      assert.deepEqual(
        await refetched(),
        outdated.map((uri) => `resources/read ${uri}`),
      );
    });
  }

  it("does not keep what was on its way when the change was announced [M-CACHE-010]", async () => {
    const { settings } = createCachingClient();
    const answer = createDeferred();
    const session = new CachedSession(settings, () => answer.promise.then(() => hints));
    const old = session.ask("tools/list");
    await turn();
    session.requests.receive("notifications/tools/list_changed");
    const newer = session.ask("tools/list");
    await turn();
    assert.equal(session.sent.length, 2);
    answer.resolve();
    await Promise.all([old, newer]);
    await session.ask("tools/list");
    assert.equal(session.count(), 2);
  });

  it("does not keep for all what was on its way to another session [M-CACHE-010]", async () => {
    const { settings } = createCachingClient();
    const answer = createDeferred();
    const session = new CachedSession(settings, () => answer.promise.then(() => hints));
    const told = new CachedSession(settings, () => hints);
    const old = session.ask("tools/list");
    await turn();
    told.requests.receive("notifications/tools/list_changed");
    answer.resolve();
    await old;
    await told.ask("tools/list");
    assert.equal(told.count(), 1);
  });

  it("fetches again on suspicion: everything, some methods, or one request [M-CACHE-009]", async () => {
    const { session, refetched } = await openFilled();
    session.requests.invalidate(["tools/list"]);
    assert.deepEqual(await refetched(), ["tools/list", "tools/list 2"]);
    session.requests.invalidate();
    assert.equal((await refetched()).length, 13);
    await session.ask("resources/read", { uri: "f:/a" }, { reload: true });
    assert.deepEqual(await refetched(), []);
  });
});

describe("CachedRequests: outages", () => {
  const outages = [
    new ClosedError("gone"),
    new TimeoutError("late", { limit: "idle", timeoutMs: 1 }),
    new HttpError("down", { status: 503 }),
  ];
  const refusals = [
    new InvalidParamsError("no", { remote: true }),
    new HttpError("who?", { status: 403 }),
    new Error("bug"),
  ];

  async function openStale(maxStaleMs: number) {
    const client = createCachingClient({ maxStaleMs });
    const session = new CachedSession(client.settings, () => ({ ...hints, n: 1 }));
    await session.ask("tools/list");
    await client.clock.advance(1_000);
    return { ...client, session };
  }

  for (const error of outages) {
    it(`gives an outdated result when asked to, for so long, after ${error.code} [M-CACHE-009]`, async () => {
      const { clock, session, diagnostics } = await openStale(5_000);
      session.answer = () => Promise.reject(error);
      assert.deepEqual(await session.ask("tools/list"), { ...hints, n: 1, ttlMs: 0 });
      assert.equal(diagnostics[0]?.code, "MCP_D_CACHE_STALE");
      await clock.advance(5_000);
      await assert.rejects(session.ask("tools/list"), error);
    });
  }

  it("gives the error unless asked to do otherwise [M-CACHE-009]", async () => {
    const { session } = await openStale(0);
    session.answer = () => Promise.reject(outages[0]);
    await assert.rejects(session.ask("tools/list"), outages[0]);
  });

  it("never hides a refusal, a fault or the caller's own wish [M-CACHE-009]", async () => {
    const { session } = await openStale(5_000);
    for (const error of refusals) {
      session.answer = () => Promise.reject(error);
      await assert.rejects(session.ask("tools/list"), error);
    }
    const controller = new AbortController();
    session.answer = () => new Promise(() => {});
    const asked = session.ask("tools/list", {}, { signal: controller.signal });
    await turn();
    controller.abort(new TimeoutError("mine", { limit: "total", timeoutMs: 1 }));
    await assert.rejects(asked, { message: "mine" });
  });

  it("never gives what is known to have changed [M-CACHE-010]", async () => {
    const { session } = await openStale(5_000);
    session.requests.receive("notifications/tools/list_changed");
    session.answer = () => Promise.reject(outages[0]);
    await assert.rejects(session.ask("tools/list"), outages[0]);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CachedSession, createCachingClient } from "../../../test/fixtures/cached-session.ts";
import { RpcError } from "../../jsonrpc/error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { cacheableMethods } from "./cache-key.ts";

const publicHints = { ttlMs: 1_000, cacheScope: "public" };

function open(answer: CachedSession["answer"] = () => publicHints) {
  const client = createCachingClient();
  return { ...client, session: new CachedSession(client.settings, answer) };
}

describe("CachedRequests: freshness", () => {
  for (const method of cacheableMethods) {
    it(`uses a result of ${method} again until its time is over, not longer [M-CACHE-006]`, async () => {
      const { clock, session } = open(() => ({ ...publicHints, resultType: "complete", list: [1] }));
      const first = await session.ask(method, {});
      await clock.advance(999);
      assert.deepEqual(await session.ask(method, {}), { ...first, ttlMs: 1 });
      assert.equal(session.count(), 1);
      await clock.advance(1);
      assert.deepEqual(await session.ask(method, {}), first);
      assert.equal(session.count(), 1);
    });
  }

  it("counts from the receipt, not from the sending [M-CACHE-006]", async () => {
    const { clock, session } = open();
    session.answer = async () => {
      await clock.advance(5_000);
      return publicHints;
    };
    await session.ask("tools/list");
    await clock.advance(999);
    await session.ask("tools/list");
    assert.equal(session.count(), 1);
  });

  for (const ttlMs of [0, undefined, -1, 1.5, "1000", null, Number.POSITIVE_INFINITY]) {
    it(`fetches every time where ttlMs is ${ttlMs} [M-CACHE-007]`, async () => {
      const { session } = open(() => ({ ttlMs, cacheScope: "public" }));
      await session.ask("tools/list");
      await session.ask("tools/list");
      assert.equal(session.count(), 2);
    });
  }

  it("fetches nothing that nobody asked for [M-CACHE-008]", async () => {
    const { clock, session } = open(() => ({ ttlMs: 100 }));
    await session.ask("tools/list");
    assert.equal(clock.pendingTimers, 0);
    await clock.advance(10_000_000);
    assert.equal(session.count(), 1);
  });

  it("does not trust a result from the future, as after the clock was set back", async () => {
    const client = createCachingClient();
    const session = new CachedSession(
      { ...client.settings, now: () => client.clock.now() - offset },
      () => publicHints,
    );
    let offset = 0;
    await session.ask("tools/list");
    offset = 3_600_000;
    await session.ask("tools/list");
    assert.equal(session.count(), 2);
  });

  it("gives copies, so that no caller changes what others get", async () => {
    const { session } = open(() => ({ ...publicHints, tools: [{ name: "t" }] }));
    for (let round = 0; round < 3; round += 1) {
      const { tools } = (await session.ask("tools/list")) as { tools: { name: string }[] };
      assert.deepEqual(tools, [{ name: "t" }]);
      tools.length = 0;
    }
    assert.equal(session.count(), 1);
  });
});

describe("CachedRequests: keys", () => {
  it("does not use a result for another method, uri or cursor, but whatever the _meta [M-CACHE-011]", async () => {
    const { session } = open((method, params) => ({ ...publicHints, says: JSON.stringify([method, params]) }));
    const questions = [
      ["tools/list", undefined],
      ["tools/list", { cursor: "" }],
      ["tools/list", { cursor: "a" }],
      ["prompts/list", undefined],
      ["resources/read", { uri: "a:b" }],
      ["resources/read", { uri: "a:c" }],
    ] as const;
    for (const [method, params] of questions) {
      assert.equal((await session.ask(method, params)).says, JSON.stringify([method, params]));
    }
    assert.equal(session.count(), questions.length);
    for (const [method, params] of questions) {
      const asked = await session.ask(method, { ...params, _meta: { traceparent: `${Math.random()}` } });
      assert.equal(asked.says, JSON.stringify([method, params]));
    }
    assert.equal(session.count(), 0);
  });

  it("does not use a result for another server or revision [M-CACHE-011]", async () => {
    const { settings, session } = open();
    await session.ask("tools/list");
    for (const context of [{ server: "https://b.test/mcp" }, { revision: "other" }]) {
      const other = new CachedSession(settings, () => publicHints, context);
      await other.ask("tools/list");
      assert.equal(other.count(), 1);
    }
  });

  it("keeps no result of any other method [M-CACHE-011]", async () => {
    const { session } = open();
    for (const method of ["tools/call", "prompts/get", "completion/complete", "tasks/get", "example/own"]) {
      await session.ask(method, { name: "n" });
      await session.ask(method, { name: "n" });
      assert.equal(session.count(), 2, method);
    }
  });

  it("keeps neither questions of the server nor what comes of answering them [M-CACHE-012]", async () => {
    const { session } = open((_, params) =>
      params?.inputResponses === undefined
        ? { resultType: "input_required", requestState: "s", ttlMs: 1_000, cacheScope: "public" }
        : { resultType: "complete", contents: [], ...publicHints },
    );
    const uri = "a:b";
    for (let round = 0; round < 2; round += 1) {
      assert.equal((await session.ask("resources/read", { uri })).resultType, "input_required");
      const retry = { uri, inputResponses: {}, requestState: "s" };
      assert.equal((await session.ask("resources/read", retry)).resultType, "complete");
      assert.equal(session.count(), 2);
    }
  });

  it("does nothing in a revision without hints", async () => {
    const { session } = open();
    session.context = undefined;
    await session.ask("tools/list");
    session.requests.receive("notifications/tools/list_changed");
    await session.ask("tools/list");
    assert.equal(session.count(), 2);
  });
});

describe("CachedRequests: pages", () => {
  const pages: { readonly [cursor: string]: JsonObject } = {
    "": { items: [1], nextCursor: "2", ttlMs: 10_000 },
    2: { items: [2], nextCursor: "3", ttlMs: 1_000 },
    3: { items: [3], ttlMs: 10_000 },
  };
  const walk = async (session: CachedSession, options?: { reload: boolean }): Promise<void> => {
    let cursor: unknown;
    do {
      const params = cursor === undefined ? {} : { cursor };
      ({ nextCursor: cursor } = await session.ask("resources/list", params, options));
    } while (cursor !== undefined);
  };
  const answerPage: CachedSession["answer"] = (_, params) => pages[`${params?.cursor ?? ""}`] ?? {};
  const cursors = (session: CachedSession): unknown[] => session.sent.splice(0).map(({ params }) => params?.cursor);

  it("fetches the one page whose time is over, by its cursor [M-CACHE-014]", async () => {
    const { clock, session } = open(answerPage);
    await walk(session);
    assert.deepEqual(cursors(session), [undefined, "2", "3"]);
    await clock.advance(1_000);
    await walk(session);
    assert.deepEqual(cursors(session), ["2"]);
  });

  it("drops all pages of a list one of whose cursors is refused, and starts over [M-CACHE-014]", async () => {
    const { clock, session } = open(answerPage);
    await walk(session);
    await clock.advance(1_000);
    session.answer = () => {
      throw new RpcError(-32602, "unknown cursor", { remote: true });
    };
    await assert.rejects(walk(session), { rpcCode: -32602 });
    session.answer = answerPage;
    cursors(session);
    await walk(session);
    assert.deepEqual(cursors(session), [undefined, "2", "3"]);
  });

  it("gives a consistent list on request, by fetching all of its pages [M-CACHE-014]", async () => {
    const { session } = open(answerPage);
    await walk(session);
    cursors(session);
    await session.ask("resources/list", {}, { reload: true });
    await walk(session);
    assert.deepEqual(cursors(session), [undefined, "2", "3"]);
  });
});

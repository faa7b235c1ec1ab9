import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addNode, startNodes } from "../../../test/fixtures/http/scripted-nodes.ts";
import { createGate, settle, start, TestClient } from "../../../test/fixtures/http/scripted-server.ts";
import { createDeferred } from "../../base/deferred.ts";
import type { BusListener } from "../../store/contracts.ts";
import { StoreError } from "../../store/error.ts";
import type { HttpServerOptions } from "./options.ts";

const short: HttpServerOptions = { sessions: { idleTimeoutMs: 1_000 }, keepAliveMs: 1e9 };
const fail = (): never => {
  throw new StoreError("unavailable", "the store is out of reach");
};

describe("SessionTable over a shared store", () => {
  it("lets a session live as long as any node hears of it, and go from all when none does [PP-002]", async () => {
    const { a, b, clock } = await startNodes({}, short);
    const signal = a.server.exchanges[0]?.context.session?.signal;
    for (let count = 0; count < 10; count += 1) {
      await clock.advance(600);
      assert.equal((await b.client.call("echo")).status, 200);
    }
    assert.deepEqual([signal?.aborted, a.handler.stats().sessions, b.handler.stats().sessions], [false, 1, 1]);
    assert.equal((await a.client.call("echo")).status, 200);
    await clock.advance(2_000);
    assert.deepEqual([a.handler.stats().sessions, b.handler.stats().sessions], [0, 0]);
    assert.deepEqual([a.store.listeners, b.store.listeners], [0, 0]);
    assert.match(String(signal?.reason), /SessionExpiredError: the session was idle for 1000 ms/);
    assert.equal(clock.pendingTimers, 0);
    assert.equal((await b.client.call("echo")).status, 404);
  });

  it("keeps a session while something is open on one node, however long that takes [PP-002]", async () => {
    const gate = createGate();
    const { a, b, clock } = await startNodes({ wait: gate.script }, short);
    const pending = a.client.call("wait", {}, 1, { accept: "application/json" });
    await gate.entered;
    await clock.advance(60_000);
    assert.equal((await b.client.call("echo")).status, 200);
    gate.opened.resolve({});
    assert.equal((await pending).status, 200);
    await clock.advance(2_000);
    assert.deepEqual([a.handler.stats().sessions, b.handler.stats().sessions], [0, 0]);
  });

  it("reads a session once for a request, and writes it in a tenth of its time at most once", async () => {
    const { a, clock } = await startNodes({}, short);
    const { counts } = a.store;
    const before = { ...counts };
    for (let count = 0; count < 100; count += 1) {
      await (await a.client.call("echo", {}, count, { accept: "application/json" })).text();
    }
    assert.deepEqual(counts, { ...before, get: (before.get ?? 0) + 100 });
    await clock.advance(100);
    await a.client.call("echo", {}, 1, { accept: "application/json" });
    await a.client.call("echo", {}, 2, { accept: "application/json" });
    assert.equal(counts.set, (before.set ?? 0) + 1);
  });

  it("looks for a session once where several requests bring it to a node", async () => {
    const { b } = await startNodes();
    const replies = await Promise.all([1, 2, 3].map((id) => b.client.call("echo", {}, id)));
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200, 200],
    );
    assert.deepEqual([b.store.counts.subscribe, b.store.listeners, b.handler.stats().sessions], [1, 1, 1]);
  });

  it("holds nothing of a session that ends while it comes to a node, and nothing of an unknown one [HTTP-045]", async () => {
    const { a, b } = await startNodes();
    const held = createDeferred();
    b.store.before = (operation) => (operation === "subscribe" ? held.promise : undefined);
    const call = b.client.call("echo");
    await settle();
    await a.client.send("DELETE");
    held.resolve();
    assert.equal((await call).status, 404);
    b.client.sessionId = "unknown";
    assert.equal((await b.client.call("echo")).status, 404);
    assert.deepEqual([b.handler.stats().sessions, b.store.listeners, b.store.counts.subscribe], [0, 0, 1]);
    assert.deepEqual(b.server.received, []);
  });

  it("answers 503 with Retry-After while the store is out of reach, and never that there is no session [HTTP-045]", async () => {
    const { a, b, clock } = await startNodes({}, short);
    for (const { client, store, codes } of [a, b]) {
      store.before = fail;
      const replies = [
        await client.call("echo"),
        await client.post({ jsonrpc: "2.0", method: "notifications/x" }),
        await client.send("GET", { accept: "text/event-stream" }),
        await client.send("DELETE"),
      ];
      assert.deepEqual(
        replies.map(({ status, headers }) => [status, headers.get("retry-after")]),
        replies.map(() => [503, "1"]),
      );
      assert.doesNotMatch(await (replies[0]?.text() ?? ""), /out of reach: |StoreError/);
      assert.deepEqual(new Set(codes()), new Set(["MCP_D_STORE_FAILED"]));
    }
    await clock.advance(500);
    for (const { client, store } of [a, b]) {
      store.before = () => undefined;
      assert.equal((await client.call("echo")).status, 200);
    }
  });

  it("keeps what it has of idle sessions while the store is out of reach, and looks again later [PP-002]", async () => {
    const { a, clock } = await startNodes({}, short);
    a.store.before = fail;
    await clock.advance(1_000);
    assert.deepEqual([a.handler.stats().sessions, a.codes()], [1, ["MCP_D_STORE_FAILED"]]);
    a.store.before = () => undefined;
    await clock.advance(1_000);
    assert.deepEqual([a.handler.stats().sessions, clock.pendingTimers], [0, 0]);
  });

  it("gives no session where the store is full or out of reach, but 503 with Retry-After [HTTP-039]", async () => {
    const { a } = await startNodes();
    const fresh = new TestClient(a.handler);
    for (const failing of ["set", "subscribe"]) {
      for (const failure of ["full", "unavailable"] as const) {
        a.store.before = (operation) => {
          if (operation === failing) {
            throw new StoreError(failure, "no");
          }
        };
        const reply = await fresh.initialize();
        assert.deepEqual([reply.status, reply.headers.get("retry-after"), fresh.sessionId], [503, "1", undefined]);
      }
    }
    a.store.before = (operation, name) => (operation === "set" && !name.startsWith("session/") ? fail() : undefined);
    assert.equal((await fresh.initialize()).status, 503);
    assert.deepEqual([a.handler.stats().sessions, a.store.listeners], [1, 1]);
    assert.deepEqual(a.codes(), Array(5).fill("MCP_D_STORE_FAILED"));
    a.store.before = () => undefined;
    assert.equal((await fresh.initialize()).status, 200);
  });

  it("refuses an id that another node gave out [HTTP-040]", async () => {
    const options: HttpServerOptions = { sessions: { createSessionId: () => "same" } };
    const { a, b } = await startNodes({}, options);
    b.client.sessionId = undefined;
    assert.equal((await b.client.initialize()).status, 500);
    assert.equal(b.handler.stats().sessions, 0);
    assert.equal((await a.client.call("echo")).status, 200);
  });

  it("looks at a session again after messages were missed, and ends it where that was its end", async () => {
    const { a, b, store } = await startNodes();
    const listeners: BusListener[] = [];
    const { subscribe } = store;
    store.subscribe = async (topic, listener) => {
      listeners.push(listener);
      return subscribe.call(store, topic, { message: () => undefined, missed: () => undefined });
    };
    await b.client.call("echo");
    for (const listener of listeners) {
      listener.missed();
    }
    await settle();
    assert.equal(b.handler.stats().sessions, 1);
    await a.client.send("DELETE");
    await settle();
    assert.equal(b.handler.stats().sessions, 1);
    for (const listener of listeners) {
      listener.missed();
    }
    await settle();
    assert.equal(b.handler.stats().sessions, 0);
  });

  it("lets a session begin though messages were missed before it was kept [HTTP-039]", async () => {
    const { a, store } = await startNodes();
    const listeners: BusListener[] = [];
    const { subscribe } = store;
    store.subscribe = async (topic, listener) => {
      listeners.push(listener);
      return subscribe.call(store, topic, listener);
    };
    const held = createDeferred();
    a.store.before = (operation, name) =>
      operation === "set" && name.startsWith("session/") ? held.promise : undefined;
    const fresh = new TestClient(a.handler);
    const begun = fresh.initialize();
    await settle();
    assert.notEqual(listeners.length, 0);
    for (const listener of listeners) {
      listener.missed();
    }
    await settle();
    held.resolve();
    assert.equal((await begun).status, 200);
    assert.equal((await fresh.call("echo")).status, 200);
  });

  it("refuses more sessions of one caller with 429 and Retry-After, and leaves others alone [PP-002]", async () => {
    const { handler } = await start(
      {},
      {
        sessions: { maxSessionsPerCaller: 2 },
        auth: {
          authenticate: (request) => {
            const subject = request.header("authorization");
            return subject === undefined
              ? { ok: true, auth: undefined }
              : { ok: true, auth: { token: "t", clientId: "app", scopes: [], subject } };
          },
        },
      },
    );
    const open = (authorization?: string) =>
      new TestClient(handler).call("initialize", { protocolVersion: "2025-11-25" }, 7, { authorization });
    const first = await open("ada");
    assert.deepEqual([first.status, (await open("ada")).status], [200, 200]);
    const refused = await open("ada");
    assert.deepEqual([refused.status, refused.headers.get("retry-after")], [429, "30"]);
    assert.match(await refused.text(), /"id":7.*this caller already has 2 sessions/);
    assert.deepEqual([(await open("eve")).status, (await open()).status, (await open()).status], [200, 200, 200]);
    const sessionId = first.headers.get("mcp-session-id") ?? undefined;
    await new TestClient(handler).send("DELETE", { "mcp-session-id": sessionId, authorization: "ada" });
    assert.equal((await open("ada")).status, 200);
  });

  it("answers 503, not 404, to a request that is looking for its session when the node is closed", async () => {
    const { a, b } = await startNodes();
    for (const { client, handler, store, codes } of [a, b]) {
      const held = createDeferred();
      store.before = () => held.promise;
      const call = client.call("echo");
      await settle();
      handler.close();
      held.resolve();
      assert.equal((await call).status, 503);
      await handler.closed;
      assert.deepEqual([codes(), handler.stats().sessions, store.listeners], [[], 0, 0]);
    }
  });

  it("leaves a store that is out of reach when it is closed, says so, and is closed all the same", async () => {
    const { a, store, clock } = await startNodes();
    a.store.before = fail;
    a.handler.close();
    await a.handler.closed;
    assert.ok(a.codes().every((code) => code === "MCP_D_STORE_FAILED"));
    const late = addNode(store, clock);
    late.client.sessionId = a.client.sessionId;
    assert.equal((await late.client.call("echo")).status, 200);
  });
});

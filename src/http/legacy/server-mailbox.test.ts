import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { settled } from "../../../test/fixtures/http/fake-endpoint.ts";
import { createRig, initialize, ping } from "../../../test/fixtures/http/legacy-rig.ts";
import { RawClient } from "../../../test/fixtures/http/old-server.ts";
import { ProbedStore } from "../../../test/fixtures/probed-store.ts";
import type { HttpAuthenticator } from "../server/authenticator.ts";
import type { LegacyHttpServerOptions } from "./server.ts";

/** Two nodes, and a client whose stream is held by the first. */
function createNodes(options: LegacyHttpServerOptions = {}) {
  const clock = createRig().clock;
  const store = new ProbedStore({ clock });
  const [holder, other] = [createRig({ store, clock, ...options }), createRig({ store, clock, ...options })];
  /** POSTs to the node that does not hold the stream. */
  const post = (message: unknown, headers = {}): Promise<Response> =>
    new RawClient(other.handler).post(message, headers, holder.client.messageUrl);
  return { clock, store, holder, other, client: holder.client, post };
}

describe("HTTP+SSE at several nodes", () => {
  it("takes messages at a node that does not hold the stream, and answers on the stream [O24-003] [O24-007] [PP-004]", async () => {
    const { client, post, other, holder } = createNodes();
    await client.connect();
    assert.equal((await post(initialize)).status, 202);
    assert.equal((await client.message()).id, 0);
    assert.equal((await post({ jsonrpc: "2.0", method: "notifications/initialized" })).status, 202);
    assert.equal((await client.post(ping)).status, 202);
    assert.equal((await client.message()).id, 1);
    const large = { ...ping, id: "large", params: { _meta: { text: "x".repeat(100_000) } } };
    assert.equal((await post(large)).status, 202);
    assert.equal((await client.message()).id, "large");
    assert.equal(other.app.sessions.size, 0);
    assert.equal(holder.app.sessions.size, 1);
  });

  it("answers a question of the server wherever the answer arrives, and cancels from there [CANCEL-002] [PP-115]", async () => {
    const { client, post, holder } = createNodes();
    await client.connect();
    const params = { ...initialize.params, capabilities: { roots: {} } };
    await post({ ...initialize, params });
    await client.message();
    await post({ jsonrpc: "2.0", method: "notifications/initialized" });
    await post({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "roots", arguments: {} } });
    const { id, method } = await client.message();
    assert.equal(method, "roots/list");
    assert.equal((await post({ jsonrpc: "2.0", id, result: { roots: [{ uri: "file:///a" }] } })).status, 202);
    const { result } = await client.message();
    assert.deepEqual((result as { content?: unknown }).content, [{ type: "text", text: "file:///a" }]);
    await post({ jsonrpc: "2.0", id: 3, method: "tools/call", params: { name: "wait", arguments: {} } });
    const signal = await holder.entered;
    await post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 3 } });
    await settled();
    assert.equal(signal.aborted, true);
  });

  it("answers 404 once the stream has ended, and leaves nothing in the store [O24-009] [PP-002]", async () => {
    const { client, post, holder, store } = createNodes();
    await client.connect();
    await post(ping);
    await client.leave();
    await settled();
    const refused = await post(ping);
    assert.equal(refused.status, 404);
    assert.match(await refused.text(), /GET \/sse/);
    holder.handler.close();
    await holder.handler.closed;
    assert.deepEqual(await store.allKeys(), []);
    assert.equal(store.listening.size, 0);
  });

  it("answers 404 where the node that held the stream has died, within its lease [PP-004]", async () => {
    const { client, post, clock, store } = createNodes();
    await client.connect();
    await clock.advance(20_000);
    assert.equal((await post(ping)).status, 202, "it says from time to time that it lives");
    await store.delete((await store.allKeys()).find((key) => key.startsWith("node/")) ?? "");
    assert.equal((await post(ping)).status, 404);
  });

  it("serves a session only to who opened it, at every node [SEC-019]", async () => {
    const authenticate: HttpAuthenticator["authenticate"] = (request) => {
      const subject = request.header("x-user");
      return { ok: true, auth: subject === undefined ? undefined : { token: "t", clientId: "c", subject, scopes: [] } };
    };
    const { client, post } = createNodes({ auth: { authenticate } });
    await client.connect({ "x-user": "ann" });
    assert.equal((await post(ping, { "x-user": "bob" })).status, 404);
    assert.equal((await post(ping)).status, 404);
    assert.equal((await post(ping, { "x-user": "ann" })).status, 202);
  });

  it("keeps a session in use for as long as it is, and one that is silent no longer [PP-002]", async () => {
    const { client, post, clock, store, holder } = createNodes({ sessions: { idleTimeoutMs: 100_000 } });
    await client.connect();
    await post(initialize);
    await client.message();
    for (let round = 0; round < 4; round += 1) {
      await clock.advance(90_000);
      assert.equal((await post(ping)).status, 202);
      await client.message();
    }
    await clock.advance(120_001);
    assert.equal(holder.handler.stats().sessions, 0);
    assert.equal((await post(ping)).status, 404);
    assert.deepEqual(
      (await store.allKeys()).filter((key) => key.startsWith("legacy/")),
      [],
    );
  });

  it("ends a session whose messages were lost on the way, rather than going on without them", async () => {
    const { client, store, post, holder } = createNodes();
    await client.connect();
    const id = new URLSearchParams(client.messageUrl.split("?")[1]).get("sessionId");
    const log = `legacy/${id}`;
    const [listener] = store.listening.get(log) ?? [];
    for (let index = 0; index < 3; index += 1) {
      await store.append(log, "{}", { maxEntries: 1 });
    }
    listener?.missed();
    assert.equal(await client.next(), undefined);
    assert.equal((await post(ping)).status, 404);
    assert.deepEqual(holder.codes(), ["MCP_D_SESSION_ENDED"]);
  });

  it("refuses with 503 what it cannot hand over, and a stream that others could not reach", async () => {
    const { client, store, post, holder } = createNodes();
    await client.connect();
    store.isDown = true;
    const refused = await post(ping);
    assert.equal(refused.status, 503);
    assert.equal(refused.headers.get("retry-after"), "1");
    assert.equal((await client.get()).status, 503);
    assert.equal(holder.handler.stats().sessions, 1);
    assert.ok(holder.codes().includes("MCP_D_STORE_FAILED"));
    store.isDown = false;
    assert.equal((await post(ping)).status, 202);
  });

  it("says that it could not tell the store of an end, and stops all the same", async () => {
    const { client, store, holder } = createNodes();
    await client.connect();
    store.isDown = true;
    holder.handler.close();
    await holder.handler.closed;
    assert.ok(holder.codes().every((code) => code === "MCP_D_STORE_FAILED"));
    assert.ok(holder.codes().length > 0);
  });
});

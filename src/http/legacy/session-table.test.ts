import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { settled } from "../../../test/fixtures/http/fake-endpoint.ts";
import { createRig, ping, shakeHands } from "../../../test/fixtures/http/legacy-rig.ts";
import { RawClient } from "../../../test/fixtures/http/old-server.ts";
import type { HttpAuthenticator } from "../server/authenticator.ts";

describe("LegacySessionTable", () => {
  it("bounds the number of sessions, and has room again when one ends", async () => {
    const { handler } = createRig({ sessions: { maxSessions: 1 } });
    const [one, other] = [new RawClient(handler), new RawClient(handler)];
    await one.connect();
    const refused = await other.get();
    assert.equal(refused.status, 503);
    assert.equal(refused.headers.get("retry-after"), "1");
    await one.leave();
    await other.connect();
    assert.equal(handler.stats().sessions, 1);
  });

  it("ends a session that is silent for too long, and not one that is not [PP-002]", async () => {
    const { client, clock, codes, handler } = createRig({ sessions: { idleTimeoutMs: 1_000 } });
    await shakeHands(client);
    await clock.advance(900);
    await client.post(ping);
    await client.message();
    await clock.advance(900);
    assert.equal(handler.stats().sessions, 1);
    await clock.advance(200);
    assert.equal(handler.stats().sessions, 0);
    assert.equal(await client.next(), undefined);
    assert.deepEqual(codes(), ["MCP_D_SESSION_ENDED"]);
    assert.equal((await client.post(ping)).status, 404);
  });

  it("keeps a silent stream open with comments, and leaves no timer behind", async () => {
    const { client, clock, handler } = createRig({ keepAliveMs: 5_000 });
    await client.connect();
    await clock.advance(10_000);
    await client.pull();
    assert.deepEqual(client.comments, ["keep-alive"]);
    handler.close();
    assert.equal(clock.pendingTimers, 0);
  });

  it("lets go of a client that takes nothing, and ends its session", async () => {
    const { client, codes, handler } = createRig({ maxBufferedBytes: 50_000 });
    await shakeHands(client);
    for (const id of [1, 2, 3]) {
      await client.post({ jsonrpc: "2.0", id, method: "tools/call", params: { name: "large", arguments: {} } });
      await settled();
    }
    assert.equal(handler.stats().sessions, 0);
    assert.deepEqual(codes(), ["MCP_D_SESSION_ENDED"]);
    await assert.rejects(client.next(), /takes too little/);
  });

  it("serves a session only to who opened it", async () => {
    const authenticate: HttpAuthenticator["authenticate"] = (request) => {
      const subject = request.header("x-user");
      return { ok: true, auth: subject === undefined ? undefined : { token: "t", clientId: "c", subject, scopes: [] } };
    };
    const { app, client } = createRig({ auth: { authenticate } });
    await client.connect({ "x-user": "ann" });
    assert.equal((await client.post(ping, { "x-user": "bob" })).status, 404);
    assert.equal((await client.post(ping)).status, 404);
    assert.equal((await client.post(ping, { "x-user": "ann" })).status, 202);
    assert.deepEqual(
      [...app.sessions].map(({ auth }) => auth?.subject),
      ["ann"],
    );
  });

  it("ends every session when it is closed, and answers 503 from then on", async () => {
    const { client, codes, entered, handler } = createRig();
    await shakeHands(client);
    await client.post({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "wait", arguments: {} } });
    const signal = await entered;
    handler.close();
    assert.equal(signal.aborted, true);
    assert.equal(await client.next(), undefined);
    assert.equal((await client.get()).status, 503);
    assert.equal((await client.post(ping)).status, 503);
    assert.deepEqual(codes(), []);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createGate, newest, settle, start, TestClient } from "../../../test/fixtures/http/scripted-server.ts";
import type { AuthInfo } from "../../protocol/types/auth.ts";
import type { HttpServerOptions } from "./options.ts";

/** Takes the token as the name of the user. */
const byToken: HttpServerOptions = {
  auth: {
    authenticate: (request) => {
      const token = request.header("authorization") ?? "";
      const auth: AuthInfo = { token, clientId: "app", scopes: [], subject: token, issuer: "https://issuer.example" };
      return { ok: true, auth };
    },
  },
};

describe("SessionTable", () => {
  it("gives a session with the reply to initialize, and to nothing else [HTTP-039]", async () => {
    const { client } = await start();
    assert.ok(client.sessionId);
    assert.equal((await client.call("echo")).headers.get("mcp-session-id"), null);
  });

  it("gives no session when initialize fails", async () => {
    const { client, handler } = await start({
      initialize: () => {
        throw new Error("no");
      },
    });
    assert.deepEqual([client.sessionId, handler.stats().sessions], [undefined, 0]);
  });

  it("answers initialize as an event stream where the client takes nothing else", async () => {
    const { client } = await start();
    const headers = { accept: "text/event-stream", "mcp-session-id": undefined };
    const response = await client.call("initialize", { protocolVersion: newest }, 1, headers);
    assert.ok(response.headers.get("mcp-session-id"));
    assert.match(await response.text(), /^data: \{"jsonrpc":"2.0","id":1,"result"/);
  });

  it("makes ids that are unique, long, random and of visible ASCII [HTTP-040] [HTTP-041]", async () => {
    const { handler } = await start();
    const ids = new Set<string>();
    for (let count = 0; count < 1_000; count += 1) {
      const client = new TestClient(handler);
      await client.initialize();
      assert.match(client.sessionId ?? "", /^[\x21-\x7e]{22,}$/);
      ids.add(client.sessionId ?? "");
    }
    assert.equal(ids.size, 1_000);
  });

  it("refuses ids of a generator that cannot travel or repeat [HTTP-041]", async () => {
    for (const id of ["a b", "", "é"]) {
      const { client, codes } = await start({}, { sessions: { createSessionId: () => id } });
      assert.equal((await client.initialize()).status, 500);
      assert.equal(client.sessionId, undefined);
      assert.ok(codes().includes("MCP_D_HANDLER_FAULT"));
    }
    const { client } = await start({}, { sessions: { createSessionId: () => "same" } });
    assert.equal(client.sessionId, "same");
    assert.equal((await new TestClient(client.handler).initialize()).status, 500);
  });

  it("answers 400 without a session id and with a malformed one [HTTP-044]", async () => {
    const { client } = await start();
    for (const id of [undefined, "a b", "x".repeat(300)]) {
      const headers = { "mcp-session-id": id, accept: "application/json, text/event-stream" };
      assert.equal((await client.call("tools/list", {}, 1, headers)).status, 400);
      assert.equal((await client.post({ jsonrpc: "2.0", method: "notifications/initialized" }, headers)).status, 400);
      assert.equal((await client.send("GET", headers)).status, 400);
      assert.equal((await client.send("DELETE", headers)).status, 400);
    }
  });

  it("answers 404 to an unknown session on every method, and tells what to do [HTTP-045] [PP-001]", async () => {
    const { client } = await start();
    client.sessionId = "unknown";
    const response = await client.call("echo");
    assert.equal(response.status, 404);
    assert.match(await response.text(), /send initialize without it/);
    assert.equal((await client.send("GET", { accept: "*/*" })).status, 404);
    assert.equal((await client.send("DELETE")).status, 404);
    assert.equal((await client.initialize()).status, 404);
  });

  it("ends a session by DELETE: requests, streams and signals end, later requests get 404 [HTTP-045]", async () => {
    const gate = createGate();
    const { client, handler, server } = await start({ wait: gate.script });
    const pending = client.call("wait");
    const exchange = await gate.entered;
    const stream = await client.listen();
    const session = server.exchanges[0]?.context.session;
    const question = session?.request({ method: "roots/list" }).catch((error: unknown) => String(error));
    const response = await client.send("DELETE");
    assert.deepEqual([response.status, await response.text()], [204, ""]);
    assert.match(String(exchange.signal.reason), /SessionExpiredError: the client ended the session/);
    assert.equal(session?.signal.aborted, true);
    assert.equal((await pending).status, 404);
    assert.equal((await stream.rest()).length, 1);
    assert.match(String(await question), /ClosedError: the session ended/);
    assert.equal((await client.call("echo")).status, 404);
    gate.opened.resolve({});
    await settle();
    assert.deepEqual(handler.stats(), { sessions: 0, streams: 0, exchanges: 0, questions: 0 });
  });

  it("answers DELETE with 405 where clients may not end sessions [HTTP-048]", async () => {
    const { client } = await start({}, { sessions: { allowDelete: false } });
    const response = await client.send("DELETE");
    assert.deepEqual([response.status, response.headers.get("allow")], [405, "GET, POST"]);
    assert.equal((await client.call("echo")).status, 200);
  });

  it("ends idle sessions, 10 000 of them, and leaves no timer [PP-002]", async () => {
    const { handler, clock } = await start();
    for (let count = 1; count < 10_000; count += 1) {
      await new TestClient(handler).initialize();
    }
    assert.equal(handler.stats().sessions, 10_000);
    assert.ok(clock.pendingTimers <= 6, "sessions share timers");
    await clock.advance(30 * 60_000);
    assert.deepEqual([handler.stats().sessions, clock.pendingTimers], [0, 0]);
  });

  it("counts a session as idle only without requests and streams, from the last of them on [PP-002]", async () => {
    const gate = createGate();
    const { client, handler, clock } = await start(
      { wait: gate.script },
      { sessions: { idleTimeoutMs: 1_000 }, keepAliveMs: 1e9 },
    );
    await clock.advance(900);
    await client.call("echo");
    await clock.advance(900);
    await client.post({ jsonrpc: "2.0", method: "notifications/x" });
    await clock.advance(900);
    const pending = client.call("wait", {}, 1, { accept: "application/json" });
    await gate.entered;
    await clock.advance(5_000);
    gate.opened.resolve({});
    assert.equal((await pending).status, 200);
    const stream = await client.listen();
    await clock.advance(5_000);
    assert.equal(handler.stats().sessions, 1);
    await stream.leave();
    await clock.advance(999);
    assert.equal(handler.stats().sessions, 1);
    await clock.advance(1);
    assert.equal(handler.stats().sessions, 0);
    assert.equal((await client.call("echo")).status, 404);
  });

  it("aborts what an idle session still holds, with a reason of its own [PP-019]", async () => {
    const { server, clock } = await start({}, { sessions: { idleTimeoutMs: 1_000 } });
    const signal = server.exchanges[0]?.context.session?.signal;
    await clock.advance(1_000);
    assert.match(String(signal?.reason), /SessionExpiredError: the session was idle for 1000 ms/);
  });

  it("refuses a session past the cap with 503 and Retry-After, and leaves the others alone [PP-002]", async () => {
    const { client, handler } = await start({}, { sessions: { maxSessions: 1 } });
    const response = await new TestClient(handler).initialize();
    assert.deepEqual([response.status, response.headers.get("retry-after")], [503, "30"]);
    assert.equal((await client.call("echo")).status, 200);
    await client.send("DELETE");
    assert.equal((await new TestClient(handler).initialize()).status, 200);
  });

  it("gives somebody else's session, stream and events to nobody [SEC-018] [SEC-019] [SEC-020]", async () => {
    const { handler } = await start({}, byToken);
    const client = new TestClient(handler);
    const asA = { authorization: "A", accept: "application/json, text/event-stream" };
    const asB = { ...asA, authorization: "B" };
    const reply = await client.call("initialize", { protocolVersion: newest }, 1, asA);
    client.sessionId = reply.headers.get("mcp-session-id") ?? undefined;
    assert.equal((await client.call("echo", {}, 1, asA)).status, 200);
    const stream = await client.send("GET", asA);
    const id = /id: (\S+)/.exec(new TextDecoder().decode((await stream.body?.getReader().read())?.value))?.[1];
    assert.ok(id);
    for (const headers of [asB, { accept: "*/*" }]) {
      assert.equal((await client.call("echo", {}, 1, headers)).status, 404);
      assert.equal((await client.send("GET", { ...headers, "last-event-id": id })).status, 404);
      assert.equal((await client.send("DELETE", headers)).status, 404);
    }
    assert.equal((await client.send("GET", { ...asA, "last-event-id": id })).status, 200);
  });

  it("shows handlers who makes each call, and whose session it is", async () => {
    const { server, handler } = await start({}, byToken);
    const client = new TestClient(handler);
    await client.call("initialize", { protocolVersion: newest }, 1, { authorization: "A" });
    const { context } = server.exchanges.at(-1) ?? {};
    assert.deepEqual([context?.auth?.subject, context?.session?.auth?.subject], ["A", "A"]);
  });
});

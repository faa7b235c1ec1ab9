import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createRig, FakeStream, handshake, json, settled } from "../../../test/fixtures/http/fake-endpoint.ts";
import { ClosedError, UsageError } from "../../base/error.ts";
import { SessionExpiredError } from "../../protocol/errors.ts";
import { createHttpLink } from "./link.ts";

const ask = { method: "tools/call", params: { name: "add" } };

describe("createHttpLink", () => {
  it("POSTs each message by itself, as JSON, and takes both kinds of answer [HTTP-006] [HTTP-007] [HTTP-009]", async () => {
    const rig = await createRig();
    await handshake(rig);
    await rig.link.request(ask);
    const posts = rig.endpoint.of("POST");
    assert.deepEqual(
      posts.map(({ message }) => message?.method),
      ["initialize", "notifications/initialized", "tools/call"],
    );
    for (const { headers, message } of posts) {
      assert.equal(headers.accept, "application/json, text/event-stream");
      assert.equal(headers["content-type"], "application/json");
      assert.equal(message?.jsonrpc, "2.0");
    }
  });

  it("sends the session id and the revision on all that follows initialize, and not on it [HTTP-043] [HTTP-049]", async () => {
    const rig = await createRig();
    const stream = new FakeStream();
    rig.endpoint.handlers["tools/call"] = () => stream.response;
    await handshake(rig);
    const result = rig.link.request(ask);
    result.catch(() => undefined);
    await settled();
    stream.write("id: 1\ndata:\n\n");
    stream.end();
    await settled();
    await rig.clock.advance(500);
    await assert.rejects(result);
    await rig.link.close();
    const [first, ...others] = rig.endpoint.received;
    assert.equal(first?.headers["mcp-session-id"], undefined);
    assert.equal(first?.headers["mcp-protocol-version"], undefined);
    assert.deepEqual(
      others.map(({ method, headers }) => `${method} ${headers["last-event-id"] ?? ""}`),
      ["POST ", "GET ", "POST ", "GET 1", "DELETE "],
    );
    for (const { headers, url } of others) {
      assert.equal(headers["mcp-session-id"], "session-1");
      assert.equal(headers["mcp-protocol-version"], "2025-11-25");
      assert.ok(!url.includes("session-1"));
    }
  });

  it("works with a server that keeps no session", async () => {
    const rig = await createRig();
    rig.endpoint.sessionId = undefined;
    await handshake(rig);
    assert.deepEqual(await rig.link.request(ask), {});
    rig.endpoint.handlers["tools/call"] = () => new Response("no such page", { status: 404 });
    await assert.rejects(rig.link.request(ask), { code: "MCP_HTTP", status: 404 });
    await rig.link.close();
    assert.equal(rig.endpoint.of("DELETE").length, 0);
  });

  it("fails every request of a session that a 404 ended, sends nothing more in it, and begins anew with initialize [HTTP-046] [PP-001]", async () => {
    const rig = await createRig();
    await handshake(rig);
    rig.endpoint.handlers.slow = () => new FakeStream().response;
    const slow = [rig.link.request({ method: "slow" }), rig.link.request({ method: "slow" })];
    const failures = slow.map((call) => assert.rejects(call, SessionExpiredError));
    rig.endpoint.handlers["tools/call"] = () =>
      json({ jsonrpc: "2.0", error: { code: -32001, message: "Session not found" } }, 404);
    await assert.rejects(rig.link.request(ask), SessionExpiredError);
    await Promise.all(failures);
    const sent = rig.endpoint.received.length;
    await assert.rejects(rig.link.request(ask), SessionExpiredError);
    await assert.rejects(rig.link.notify({ method: "notifications/progress" }), SessionExpiredError);
    assert.equal(rig.endpoint.received.length, sent);

    rig.endpoint.sessionId = "session-2";
    delete rig.endpoint.handlers["tools/call"];
    await handshake(rig);
    await rig.link.request(ask);
    const again = rig.endpoint.received.slice(sent);
    assert.deepEqual(
      again.map(({ method, message, headers }) => [message?.method ?? method, headers["mcp-session-id"]]),
      [
        ["initialize", undefined],
        ["notifications/initialized", "session-2"],
        ["GET", "session-2"],
        ["tools/call", "session-2"],
      ],
    );
    assert.equal(again[0]?.headers["mcp-protocol-version"], undefined);
  });

  it("ends the session that a new handshake replaces", async () => {
    const rig = await createRig();
    await handshake(rig);
    rig.endpoint.sessionId = "session-2";
    await handshake(rig);
    await settled();
    assert.deepEqual(
      rig.endpoint.of("DELETE").map(({ headers }) => headers["mcp-session-id"]),
      ["session-1"],
    );
  });

  it("takes any success for a notification and reads the body away [PP-110]", async () => {
    const rig = await createRig();
    const endless = new FakeStream();
    const replies = [
      new Response(null, { status: 202 }),
      new Response(null, { status: 204 }),
      new Response("ok", { status: 200 }),
      json({ jsonrpc: "2.0", result: {} }, 201),
      endless.response,
    ];
    for (const reply of replies) {
      rig.endpoint.handlers.note = () => reply;
      await rig.link.notify({ method: "note" });
      await settled();
      assert.ok(reply.body === null || reply.bodyUsed);
    }
    await rig.clock.advance(1_000);
    assert.equal(endless.cancelled, true);
    assert.deepEqual(rig.diagnostics, []);
  });

  it("rejects a notification that the server refuses", async () => {
    const rig = await createRig();
    rig.endpoint.handlers.note = () => new Response("no", { status: 400 });
    await assert.rejects(rig.link.notify({ method: "note" }), { code: "MCP_HTTP", status: 400 });
  });

  it("refuses to send before start and after close, and to start with an aborted signal [PP-038]", async () => {
    const link = createHttpLink("https://server.test/mcp", { fetch: () => assert.fail("nothing is to be sent") });
    await assert.rejects(link.request({ method: "ping" }), UsageError);
    await assert.rejects(link.request({ method: "initialize" }), UsageError);
    const reason = new Error("changed my mind");
    const dispatcher = { dispatch: async () => undefined };
    await assert.rejects(link.start(dispatcher, { signal: AbortSignal.abort(reason) }), reason);
    await link.start(dispatcher);
    await link.close();
    await assert.rejects(link.request({ method: "initialize" }), ClosedError);
    await assert.rejects(link.notify({ method: "note" }), ClosedError);
  });

  it("describes itself without secrets", async () => {
    const rig = await createRig();
    await handshake(rig);
    assert.deepEqual(rig.link.describe(), {
      url: "https://server.test/mcp",
      revision: "2025-11-25",
      session: true,
      standingStream: "closed",
    });
  });

  it("rejects what waits, ends the session with DELETE, and leaves no stream and no timer [HTTP-047] [PP-038]", async () => {
    const rig = await createRig();
    const standing = new FakeStream();
    const stream = new FakeStream();
    rig.endpoint.handlers.GET = () => standing.response;
    rig.endpoint.handlers["tools/call"] = () => stream.response;
    rig.endpoint.handlers.DELETE = () => new Response(null, { status: 204 });
    await handshake(rig);
    const waiting = [
      assert.rejects(rig.link.request(ask), ClosedError),
      assert.rejects(rig.link.request({ method: "tools/call" }), ClosedError),
    ];
    await settled();
    const closing = rig.link.close();
    await Promise.all(waiting);
    await closing;
    await rig.link.close();
    assert.equal(await rig.link.closed, undefined);
    assert.equal(rig.endpoint.of("DELETE").length, 1);
    assert.equal(rig.endpoint.of("notifications/cancelled").length, 0);
    assert.deepEqual([standing.cancelled, stream.cancelled], [true, true]);
    assert.deepEqual(rig.states, ["open", "closed"]);
    assert.equal(rig.clock.pendingTimers, 0);
  });

  it("carries any number of requests at once without piling up listeners on one signal [HTTP-025]", async (context) => {
    const warnings: string[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning.name);
    process.on("warning", onWarning);
    context.after(() => process.off("warning", onWarning));
    const rig = await createRig();
    await handshake(rig);
    const streams = Array.from({ length: 50 }, () => new FakeStream());
    const results = streams.map((stream, index) => {
      rig.endpoint.handlers[`slow/${index}`] = () => stream.response;
      return rig.link.request({ method: `slow/${index}` });
    });
    await Promise.all(streams.map(() => rig.link.notify({ method: "note" })));
    streams.forEach((stream, index) => {
      const id = rig.endpoint.of(`slow/${index}`)[0]?.message?.id;
      stream.send({ jsonrpc: "2.0", id, result: { index } });
      stream.end();
    });
    assert.deepEqual(
      (await Promise.all(results)).map(({ index }) => index),
      streams.map((_, index) => index),
    );
    await settled();
    assert.deepEqual(warnings, []);
  });
});

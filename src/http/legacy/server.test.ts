import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { settled } from "../../../test/fixtures/http/fake-endpoint.ts";
import { createRig, initialize, ping, shakeHands } from "../../../test/fixtures/http/legacy-rig.ts";
import { callText, createClient, fetchOf, RawClient } from "../../../test/fixtures/http/old-server.ts";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { ClosedError, UsageError } from "../../base/error.ts";
import { createHttpHandler } from "../server/handler.ts";
import { createCompatibleHttpLink, createLegacyHttpChannel } from "./client.ts";
import { createLegacyHttpHandler } from "./server.ts";

describe("createLegacyHttpHandler", () => {
  it("announces in its first event where to POST, and answers with message events on the stream [O24-001] [O24-002] [O24-003]", async () => {
    const { client } = createRig();
    const first = await client.connect();
    assert.equal(first?.type, "endpoint");
    assert.match(first.data, /^\/messages\?sessionId=[\w-]{20,}$/);
    const response = await client.post(initialize);
    assert.equal(response.status, 202);
    assert.equal(await response.text(), "");
    const { id, result } = await client.message();
    assert.equal(id, 0);
    assert.equal((result as { protocolVersion?: string }).protocolVersion, "2024-11-05");
  });

  it("serves an old client, requests to it included [HTTP-052] [O24-001] [O24-003]", async () => {
    const { app, handler } = createRig();
    const client = createClient();
    const channel = createLegacyHttpChannel("http://localhost/sse", { fetch: fetchOf(handler) });
    const session = await client.connect(channel, { revision: "2024-11-05" });
    assert.equal(session.server.revision, "2024-11-05");
    assert.equal(await callText(session, "hello"), "hello");
    assert.equal(await callText(session, "roots"), "file:///work");
    assert.equal(app.sessions.size, 1);
    await session.close();
    await settled();
    assert.equal(app.sessions.size, 0);
    assert.equal(handler.stats().sessions, 0);
  });

  it("stands beside Streamable HTTP for the same definition [O24-012] [HTTP-052]", async () => {
    const { app, handler } = createRig();
    const current = createHttpHandler(app);
    const fetch = fetchOf({
      fetch: (request) => (new URL(request.url).pathname === "/mcp" ? current : handler).fetch(request),
    });
    const client = createClient();
    const links = ["http://localhost/mcp", "http://localhost/sse"].map((url) =>
      createCompatibleHttpLink(url, { fetch }),
    );
    for (const link of links) {
      const session = await client.connect(link);
      assert.equal(await callText(session, "hello"), "hello");
      await session.close();
    }
    assert.deepEqual(
      links.map(({ transport }) => transport),
      ["streamable", "legacy"],
    );
    current.close();
  });

  it("accepts with 202 and answers 404 to a stream that it does not know [O24-007]", async () => {
    const { client } = createRig();
    await shakeHands(client);
    assert.equal((await client.post(ping)).status, 202);
    for (const url of ["/messages?sessionId=unknown", "/messages", "/messages?sessionId="]) {
      const response = await client.post(ping, {}, url);
      assert.equal(response.status, 404);
      assert.match(await response.text(), /GET \/sse/);
    }
  });

  it("refuses a foreign Origin and a foreign Host on both paths [O24-008]", async () => {
    const { client, handler } = createRig();
    await client.connect();
    for (const headers of [{ origin: "https://evil.test" }, { host: "evil.test" }, { origin: "null" }]) {
      assert.equal((await client.get(headers)).status, 403);
      assert.equal((await client.post(ping, headers)).status, 403);
    }
    assert.equal(handler.stats().sessions, 1);
    assert.equal((await client.post(ping, { origin: "http://localhost:5173" })).status, 202);
  });

  it("keeps streams apart, and ends a session with its stream [O24-009]", async () => {
    const { handler } = createRig();
    const [one, other] = [new RawClient(handler), new RawClient(handler)];
    await Promise.all([shakeHands(one), shakeHands(other)]);
    assert.notEqual(one.messageUrl, other.messageUrl);
    await other.post({ ...ping, id: "other" });
    await one.post({ ...ping, id: "one" });
    assert.equal((await one.message()).id, "one");
    assert.equal((await other.message()).id, "other");
    await one.leave();
    assert.equal((await one.post(ping)).status, 404);
    assert.equal((await other.post(ping)).status, 202);
    assert.equal((await other.message()).id, 1);
    assert.equal(handler.stats().sessions, 1);
  });

  it("aborts what is in progress when the client goes away [O24-009] [PP-019]", async () => {
    const { client, entered, app } = createRig();
    await shakeHands(client);
    await client.post({ jsonrpc: "2.0", id: 2, method: "tools/call", params: { name: "wait", arguments: {} } });
    const signal = await entered;
    assert.equal(signal.aborted, false);
    await client.leave();
    await settled();
    assert.ok(signal.reason instanceof ClosedError);
    assert.equal(app.sessions.size, 0);
  });

  it("takes no notice of the headers of Streamable HTTP, and sends none [O24-013]", async () => {
    const { client } = createRig();
    const foreign = { "mcp-session-id": "x", "mcp-protocol-version": "1999-01-01", "last-event-id": "9" };
    const response = await client.get(foreign);
    assert.equal(response.status, 200);
    assert.equal(response.headers.get("mcp-session-id"), null);
    await response.body?.cancel();
    await client.connect(foreign);
    const posted = await client.post(initialize, foreign);
    assert.equal(posted.status, 202);
    assert.equal(posted.headers.get("mcp-session-id"), null);
    assert.equal((await client.message()).id, 0);
  });

  it("answers 405 to other methods and 404 to other paths, so that a newer client knows what it met [O24-013]", async () => {
    const { handler, client } = createRig();
    for (const [method, path, allow] of [
      ["POST", "/sse", "GET"],
      ["DELETE", "/sse", "GET"],
      ["GET", "/messages", "POST"],
    ] as const) {
      const response = await handler.fetch(new Request(`http://localhost${path}`, { method }));
      assert.equal(response.status, 405);
      assert.equal(response.headers.get("allow"), allow);
    }
    assert.equal((await client.get({}, "/other")).status, 404);
  });

  it("answers an array with -32600, and works on nothing in it [O24-014]", async () => {
    const { client } = createRig();
    await shakeHands(client);
    const response = await client.post([ping, { ...ping, id: 2 }]);
    assert.equal(response.status, 400);
    assert.equal(((await response.json()) as { error: { code: number } }).error.code, -32600);
    await client.post({ ...ping, id: "next" });
    assert.equal((await client.message()).id, "next");
  });

  it("refuses bodies that are too large, of another type or no JSON, and goes on", async () => {
    const { client } = createRig({ maxBodyBytes: 500 });
    await shakeHands(client);
    assert.equal((await client.post({ ...ping, params: { text: "x".repeat(500) } })).status, 413);
    assert.equal((await client.post(ping, { "content-type": "text/plain" })).status, 415);
    const broken = await client.post("{broken");
    assert.equal(broken.status, 400);
    assert.equal(((await broken.json()) as { error: { code: number } }).error.code, -32700);
    await client.post({ jsonrpc: "2.0", id: "bad", method: 5 });
    const { id, error } = await client.message();
    assert.deepEqual([id, (error as { code?: number }).code], ["bad", -32600]);
  });

  it("refuses a GET that takes no event stream", async () => {
    const { client, handler } = createRig();
    assert.equal((await client.get({ accept: "application/json" })).status, 406);
    assert.equal(handler.stats().sessions, 0);
  });

  it("serves under other paths, and announces what a proxy makes of them", async () => {
    const { client } = createRig({ streamPath: "/old", messagePath: "/old", publicMessageUrl: "/public/old" });
    const response = await client.get({}, "/old");
    const text = new TextDecoder().decode((await response.body?.getReader().read())?.value);
    const [, id] = /^event: endpoint\ndata: \/public\/old\?sessionId=([\w-]+)\n\n$/.exec(text) ?? [];
    assert.equal((await client.post(ping, {}, `/old?sessionId=${id}`)).status, 202);
    assert.throws(() => createLegacyHttpHandler(() => undefined, { streamPath: "sse?x=1" }), UsageError);
    assert.throws(() => createLegacyHttpHandler(() => undefined, { sessions: { maxSessions: 0 } }), UsageError);
  });

  it("turns a client away whose channel nobody can serve, and tells why", async () => {
    for (const serve of [
      () => {
        throw new Error("no room");
      },
      () => Promise.reject(new Error("no room")),
    ]) {
      const diagnostics: Diagnostic[] = [];
      const handler = createLegacyHttpHandler(serve, { onDiagnostic: (diagnostic) => diagnostics.push(diagnostic) });
      const client = new RawClient(handler);
      await client.connect();
      assert.equal(await client.next(), undefined);
      assert.equal(handler.stats().sessions, 0);
      assert.deepEqual(
        diagnostics.map(({ code }) => code),
        ["MCP_D_CHANNEL"],
      );
    }
  });
});

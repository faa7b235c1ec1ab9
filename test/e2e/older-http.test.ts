// Streamable HTTP of older revisions, over bare HTTP: headers, origins, streams and what a lost connection means.

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { JsonObject } from "parley-mcp";
import { connect } from "parley-mcp/connect";
import type { Fetch } from "parley-mcp/http/client";
import { createHttpHandler, type HttpServerOptions } from "parley-mcp/http/server";
import { defineServer, tool } from "parley-mcp/server";
import { handshakeRevisions, revisions } from "../../src/revision/registry.ts";
import { FakeHttp } from "../fixtures/fake-http.ts";
import { alone, type PostHeaders, RawEndpoint } from "../fixtures/raw-http.ts";
import { Arrivals, happening } from "../fixtures/signals.ts";

const accept = { accept: "application/json, text/event-stream", "content-type": "application/json" };
const request = (id: number, method: string, params: JsonObject = {}): JsonObject => ({
  jsonrpc: "2.0",
  id,
  method,
  params,
});

/** A server with a tool that reports, waits until the test says go on, and knows when it was given up. */
function createSlow() {
  const go = happening();
  const started = new Arrivals<string>();
  const aborted: string[] = [];
  const app = defineServer({
    name: "slow",
    version: "1.0.0",
    tools: {
      revision: tool({ description: "Says its revision" }, (_, { revision }) => revision),
      slow: tool({ description: "Waits" }, async (_, { progress, signal }) => {
        signal.addEventListener("abort", () => aborted.push("aborted"));
        progress(1);
        started.take("slow");
        await go.promise;
        return "went on";
      }),
    },
  });
  return Object.assign(app, { go, started, aborted });
}

/** A session of a revision with a bare client. */
async function open(context: TestContext, revision: string, options: HttpServerOptions = {}) {
  const app = createSlow();
  const endpoint = new RawEndpoint(app, options);
  context.after(() => endpoint.close());
  const clientInfo = { name: "raw", version: "1.0.0" };
  const params = { protocolVersion: revision, capabilities: {}, clientInfo };
  const post = (message: JsonObject, headers: PostHeaders = {}) =>
    endpoint.fetch("POST", { ...accept, ...headers }, JSON.stringify(message));
  const opened = await post(request(1, "initialize", params));
  const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? undefined };
  const first = await opened.text();
  await (await post({ jsonrpc: "2.0", method: "notifications/initialized" }, session)).text();
  return { app, endpoint, post, session, first };
}

/** The events of a stream: id and data of each. */
function eventsOf(text: string): { id: string | undefined; data: string; retry: boolean }[] {
  return text
    .split("\n\n")
    .filter((block) => block.includes(":") && !block.startsWith(":"))
    .map((block) => ({
      id: /^id: ?(.*)$/m.exec(block)?.[1],
      data: /^data: ?(.*)$/m.exec(block)?.[1] ?? "",
      retry: /^retry:/m.test(block),
    }));
}

/** Reads the first event, and gives what takes the rest and what drops the connection. */
async function readFirst(response: Response) {
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  assert.ok(reader);
  let text = "";
  while (eventsOf(text).every(({ data }) => data === "")) {
    const { value = "" } = await reader.read();
    text += value;
  }
  return { events: eventsOf(text), drop: () => reader.cancel() };
}

const call = (id: number, name: string) =>
  request(id, "tools/call", { name, arguments: {}, _meta: { progressToken: id } });

for (const revision of ["2025-03-26", "2025-06-18"]) {
  describe(`Streamable HTTP of ${revision}`, () => {
    it("sends no empty events and no retry, and keeps a stream open until its answer [O0326-010] [O0326-013] [O0618-017]", async (context) => {
      const { app, post, session } = await open(context, revision, { response: "stream" });
      const response = await post(call(2, "slow"), session);
      await app.started.until(1);
      app.go.happen();
      const events = eventsOf(await response.text());
      assert.equal(
        events.some(({ data, retry }) => data === "" || retry),
        false,
      );
      assert.deepEqual(
        events.map(({ data }) => (JSON.parse(data) as { id?: number }).id),
        [undefined, 2],
      );
    });

    it("goes on from an event of one stream with that stream alone; ids are unique in the session [O0326-014] [O0618-018]", async (context) => {
      const { app, endpoint, post, session } = await open(context, revision, { response: "stream" });
      const [one, two] = [await readFirst(await post(call(2, "slow"), session)), await post(call(3, "slow"), session)];
      await app.started.until(2);
      await one.drop();
      app.go.happen();
      const other = eventsOf(await two.text());
      const last = one.events.at(-1)?.id;
      const headers = { accept: "text/event-stream", ...session, "last-event-id": last };
      const resumed = await endpoint.fetch("GET", headers);
      const { events, drop } = await readFirst(resumed);
      await drop();
      assert.deepEqual(
        events.map(({ data }) => (JSON.parse(data) as { id?: number }).id),
        [2],
      );
      const ids = [...one.events, ...other, ...events].map(({ id }) => id);
      assert.equal(new Set(ids).size, ids.length);
    });

    it("goes on with a handler whose client is gone, and stops it when told to [OLEG-011]", async (context) => {
      const { app, post, session } = await open(context, revision, { response: "stream" });
      const { drop } = await readFirst(await post(call(2, "slow"), session));
      await drop();
      await (await post(request(3, "ping"), session)).text();
      assert.deepEqual(app.aborted, []);
      const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 2 } };
      await (await post(cancelled, session)).text();
      await (await post(request(4, "ping"), session)).text();
      assert.deepEqual(app.aborted, ["aborted"]);
    });

    it("refuses a foreign origin with 403, with or without a session [O0326-012] [O0618-019]", async (context) => {
      const { post, session } = await open(context, revision);
      for (const headers of [{}, session]) {
        const { status } = await post(request(2, "ping"), { ...headers, origin: "https://evil.example" });
        assert.equal(status, 403);
      }
    });

    it("takes a session's messages without a version header, and refuses one that is none [O0326-011] [O0618-003]", async (context) => {
      const { post, session } = await open(context, revision);
      const answer = await post(call(2, "revision"), session);
      assert.match(await answer.text(), new RegExp(revision));
      const { status } = await post(call(3, "revision"), { ...session, "mcp-protocol-version": "abc" });
      assert.equal(status, 400);
    });
  });
}

describe("a message without session and version", () => {
  it("counts as one of 2025-03-26 [OLEG-016] [O0618-003]", async (context) => {
    const endpoint = new RawEndpoint(createSlow(), { sessions: false });
    context.after(() => endpoint.close());
    const response = await endpoint.fetch("POST", accept, JSON.stringify(call(1, "revision")));
    assert.match(await response.text(), /2025-03-26/);
    const batch = await endpoint.fetch("POST", accept, JSON.stringify([request(1, "ping"), request(2, "ping")]));
    assert.equal(((await batch.json()) as unknown[]).length, 2);
  });
});

describe("a server of one revision alone", () => {
  it("names it to whoever wants another, and speaks no other [OLEG-003] [OLEG-018] [O0618-003]", async (context) => {
    for (const { id } of handshakeRevisions) {
      const endpoint = new RawEndpoint(createSlow(), { revisions: [id] });
      context.after(() => endpoint.close());
      for (const wanted of [...revisions.map((each) => each.id), "1999-01-01"]) {
        const params = { protocolVersion: wanted, capabilities: {}, clientInfo: { name: "raw", version: "1.0.0" } };
        const opened = await endpoint.fetch("POST", accept, JSON.stringify(request(1, "initialize", params)));
        const { result } = (await opened.json()) as { result: JsonObject };
        assert.equal(result.protocolVersion, id);
      }
      const { status, message } = await endpoint.post(alone(1, "server/discover"));
      assert.equal(status, 400);
      assert.match(message.error?.message ?? "", new RegExp(id));
    }
  });
});

describe("our client with a server of an older revision", () => {
  it("names the revision in every message after the handshake from 2025-06-18 on, whatever the server knows of it [OLEG-015] [O0618-002] [O0326-011]", async () => {
    for (const revision of ["2025-03-26", "2025-06-18", "2025-11-25"]) {
      const http = new FakeHttp({
        initialize: () => ({ protocolVersion: revision, capabilities: {}, serverInfo: { name: "s", version: "1" } }),
        ping: () => ({}),
      });
      const client = await connect("http://localhost/mcp", { http: { fetch: http.fetch } });
      await client.ping();
      await client.close();
      const after = http.received.slice(http.received.findIndex(({ method }) => method === "initialize") + 1);
      const named = after.map(({ headers }) => headers["mcp-protocol-version"]);
      assert.equal(
        named.every((name) => name === revision || (name === undefined && revision < "2025-06-18")),
        true,
      );
    }
  });

  it("takes the answers to its messages alone or in an array [O0326-007]", async () => {
    const http = new FakeHttp({
      initialize: () => ({ protocolVersion: "2025-03-26", capabilities: {}, serverInfo: { name: "s", version: "1" } }),
      "demo/array": ({ id }) => Response.json([{ jsonrpc: "2.0", id, result: { n: 1 } }]),
      "demo/event": ({ id }) =>
        new Response(`data: ${JSON.stringify([{ jsonrpc: "2.0", id, result: { n: 2 } }])}\n\n`, {
          headers: { "content-type": "text/event-stream" },
        }),
    });
    const client = await connect("http://localhost/mcp", { http: { fetch: http.fetch, standingStream: false } });
    assert.deepEqual(await client.request("demo/array", {}), { n: 1 });
    assert.deepEqual(await client.request("demo/event", {}), { n: 2 });
    await client.close();
  });

  for (const isResumable of [true, false]) {
    it(`${isResumable ? "goes on with" : "loses"} an answer whose stream was cut, ${isResumable ? "by" : "without"} event ids [O0618-018] [O0326-013]`, async (context) => {
      const app = createSlow();
      const handler = createHttpHandler(app, { response: "stream", resumability: isResumable });
      context.after(() => handler.close());
      let cut: () => void = () => undefined;
      const resumed: unknown[] = [];
      const fetch: Fetch = async (url, init) => {
        const response = await handler.fetch(new Request(url, init));
        if ("last-event-id" in init.headers) {
          resumed.push(init.headers["last-event-id"]);
        }
        if (!init.body?.includes('"tools/call"') || response.body === null) {
          return response;
        }
        const wire = new TransformStream<Uint8Array, Uint8Array>({
          start: (controller) => {
            cut = () => controller.error(new TypeError("the network is gone"));
          },
        });
        return new Response(response.body.pipeThrough(wire), response);
      };
      const reconnect = { initialDelayMs: 1, maxDelayMs: 5 };
      const client = await connect("http://localhost/mcp", {
        revision: "2025-06-18",
        http: { fetch, reconnect, standingStream: false },
      });
      const seen = happening();
      const result = client.callTool("slow", {}, { onProgress: () => seen.happen() });
      const outcome = result.then(
        ({ content }) => content,
        (error: { code: string }) => error.code,
      );
      await seen.promise;
      cut();
      app.go.happen();
      const expected = isResumable ? [{ type: "text", text: "went on" }] : "MCP_CLOSED";
      assert.deepEqual(await outcome, expected);
      assert.equal(resumed.length > 0, isResumable);
      await client.close();
    });
  }
});

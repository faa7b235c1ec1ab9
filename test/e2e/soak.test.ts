// Ten thousand of everything: what must be gone afterwards, by the counters that the library gives.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { connect } from "parley-mcp/connect";
import { createHttpHandler, type HttpHandler, type HttpRequest } from "parley-mcp/http/server";
import { createMemoryPair } from "parley-mcp/memory";
import { defineServer, tool } from "parley-mcp/server";
import { createFakeClock } from "parley-mcp/test";

const times = 10_000;
const url = "http://localhost/mcp";

const message = (id: number, method: string, params: object = {}): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params });

const initialize = message(1, "initialize", {
  protocolVersion: "2025-11-25",
  capabilities: {},
  clientInfo: { name: "soak", version: "1.0.0" },
});

/** Posts without a client. */
function post(handler: HttpHandler, body: string, session?: string): Promise<Response> {
  const headers = {
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-protocol-version": "2025-11-25",
    ...(session !== undefined && { "mcp-session-id": session }),
  };
  return handler.fetch(new Request(url, { method: "POST", headers, body }));
}

/** A POST for the neutral door. */
function toRequest(body: string): HttpRequest {
  const headers: { readonly [name: string]: string } = {
    accept: "application/json, text/event-stream",
    "content-type": "application/json",
    "mcp-protocol-version": "2025-11-25",
  };
  return {
    method: "POST",
    url: "/mcp",
    authority: "localhost",
    header: (name) => headers[name],
    readBody: async () => ({ ok: true, text: body }),
    onGone: () => undefined,
  };
}

/** Bytes in use, without what is only waiting to be collected. */
function heapAfterCollection(): number {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  assert.ok(typeof collect === "function");
  collect();
  return process.memoryUsage().heapUsed;
}

/** A server whose schema counts how often it is looked at. */
function counted() {
  const state = { reads: 0 };
  const input = {
    type: "object" as const,
    get properties() {
      state.reads += 1;
      return { n: { type: "integer" as const } };
    },
    required: ["n"] as const,
  };
  const tools = { echo: tool({ input }, ({ n }) => String(n)) };
  return Object.assign(defineServer({ name: "soak", version: "1.0.0", tools }), { state });
}

describe("ten thousand", () => {
  it("abandoned sessions are gone after the idle limit, and a full server says when to come back [PP-002]", async () => {
    const clock = createFakeClock(1_000_000);
    const app = defineServer({ name: "soak", version: "1.0.0", clock });
    const handler = createHttpHandler(app, { clock, sessions: { maxSessions: times, idleTimeoutMs: 60_000 } });
    let first = "";
    for (let count = 0; count < times; count += 1) {
      const response = await post(handler, initialize);
      first ||= response.headers.get("mcp-session-id") ?? "";
      await response.text();
    }
    assert.equal(handler.stats().sessions, times);
    const refused = await post(handler, initialize);
    assert.equal(refused.status, 503);
    assert.ok(Number(refused.headers.get("retry-after")) > 0);
    await clock.advance(59_000);
    assert.equal((await post(handler, message(2, "ping"), first)).status, 200);
    await clock.advance(59_000);
    assert.deepEqual([handler.stats().sessions, app.sessions.size], [1, 1]);
    await clock.advance(60_000);
    assert.deepEqual(handler.stats(), { sessions: 0, streams: 0, exchanges: 0, questions: 0 });
    assert.equal(app.sessions.size, 0);
    assert.equal(clock.pendingTimers, 0);
    handler.close();
  });

  it("calls without sessions compile nothing and leave nothing behind [PP-013]", async () => {
    const app = counted();
    const handler = createHttpHandler(app, { sessions: false });
    const call = async (n: number): Promise<void> => {
      const reply = await handler.handle(toRequest(message(n, "tools/call", { name: "echo", arguments: { n } })));
      assert.equal(reply.kind === "text" && reply.status, 200);
    };
    const callUntil = async (end: number, begin: number): Promise<number> => {
      for (let n = begin; n < end; n += 1) {
        await call(n);
      }
      return heapAfterCollection();
    };
    const warm = await callUntil(times / 5, 0);
    const reads = app.state.reads;
    const grown = (await callUntil(times, times / 5)) - warm;
    assert.ok(grown < 100 * times, `the heap has grown by ${grown} bytes`);
    assert.equal(app.state.reads, reads);
    assert.deepEqual(handler.stats(), { sessions: 0, streams: 0, exchanges: 0, questions: 0 });
    assert.equal(app.sessions.size, 0);
    handler.close();
  });

  for (const format of ["json", "stream"] as const) {
    it(`calls of one session leave nothing open, answered as ${format} or given up [PP-014]`, async () => {
      const app = counted();
      app.tools.set(
        "hold",
        tool(
          { description: "Waits" },
          (_, { signal }) => new Promise((resolve) => signal.addEventListener("abort", resolve)),
        ),
      );
      const handler = createHttpHandler(app, { response: format });
      const opened = await post(handler, initialize);
      const session = opened.headers.get("mcp-session-id") ?? "";
      await opened.text();
      for (let n = 2; n < times; n += 1) {
        const response = await post(handler, message(n, "tools/call", { name: "echo", arguments: { n } }), session);
        await response.text();
        if (n % 100 === 0) {
          const held = post(handler, message(-n, "tools/call", { name: "hold" }), session);
          const params = { requestId: -n };
          const cancel = JSON.stringify({ jsonrpc: "2.0", method: "notifications/cancelled", params });
          await post(handler, cancel, session);
          await (await held).text();
        }
      }
      assert.deepEqual(handler.stats(), { sessions: 1, streams: 0, exchanges: 0, questions: 0 });
      handler.close();
      assert.deepEqual(handler.stats(), { sessions: 0, streams: 0, exchanges: 0, questions: 0 });
    });
  }

  it("calls over a pipe leave no request open on either side [PP-014]", async () => {
    const app = counted();
    const [clientEnd, serverEnd] = createMemoryPair();
    const handle = app.serve(serverEnd);
    const client = await connect(clientEnd);
    for (let n = 0; n < times; n += 1) {
      const controller = new AbortController();
      const call = client.callTool("echo", { n }, { signal: controller.signal });
      if (n % 10 === 0) {
        controller.abort();
      }
      await call.catch(() => undefined);
    }
    await client.ping();
    assert.deepEqual(handle.openRequests, { inbound: 0, outbound: 0 });
    await client.close();
    assert.equal(app.sessions.size, 0);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  createGate,
  EventReader,
  newest,
  settle,
  start,
  withBatches,
} from "../../../test/fixtures/http/scripted-server.ts";
import { isMcpError } from "../../base/error.ts";

const stateless = { sessions: false } as const;

describe("StatelessHost", () => {
  it("serves calls without any session, and gives none [HTTP-039]", async () => {
    const { client, server, handler } = await start({}, stateless);
    assert.equal(client.sessionId, undefined);
    assert.equal((await client.call("echo")).status, 200);
    assert.equal(server.exchanges.at(-1)?.context.session, undefined);
    assert.equal((await client.call("echo", {}, 1, { "mcp-session-id": "left over" })).status, 200);
    assert.deepEqual(handler.stats(), { sessions: 0, streams: 0, exchanges: 0, questions: 0 });
  });

  it("assumes the agreed version where no header names one, and takes the header's otherwise [HTTP-050]", async () => {
    const { client, server } = await start({}, stateless);
    assert.equal((await client.call("echo")).status, 200);
    assert.equal(server.exchanges.at(-1)?.context.revision.id, withBatches);
    await client.call("echo", {}, 1, { "mcp-protocol-version": newest });
    assert.equal(server.exchanges.at(-1)?.context.revision.id, newest);
    assert.equal((await client.call("echo", {}, 1, { "mcp-protocol-version": "abc" })).status, 400);
  });

  it("answers GET and DELETE with 405 and Allow at once, holding nothing [PP-011] [HTTP-027]", async () => {
    const { client, handler, clock } = await start({}, stateless);
    const before = performance.now();
    for (const method of ["GET", "DELETE"]) {
      const response = await client.send(method, { accept: "text/event-stream" });
      assert.deepEqual([response.status, response.headers.get("allow")], [405, "POST"]);
      assert.ok(await response.text());
    }
    assert.ok(performance.now() - before < 50 * 2, "a client was kept waiting");
    assert.deepEqual(handler.stats(), { sessions: 0, streams: 0, exchanges: 0, questions: 0 });
    await clock.advance(1_000);
    assert.equal(clock.pendingTimers, 0);
  });

  it("streams related messages without event ids", async () => {
    const { client } = await start(
      {
        talk: async (_, exchange) => {
          await exchange.notify({ method: "notifications/progress" });
          return {};
        },
      },
      stateless,
    );
    const reader = new EventReader(await client.call("talk"));
    assert.equal((await reader.next())?.id, undefined);
    assert.equal((await reader.rest()).length, 1);
  });

  it("fails a question to the client at once, naming what is missing and what to do [PP-043]", async () => {
    const { client } = await start(
      {
        ask: async (_, exchange) => {
          const error = await exchange.request({ method: "elicitation/create" }).catch((reason: unknown) => reason);
          return isMcpError(error) ? { code: error.code, text: error.message } : {};
        },
      },
      stateless,
    );
    const [answer] = await new EventReader(await client.call("ask")).rest();
    const { code, text } = (answer as { result: { code: string; text: string } }).result;
    assert.equal(code, "MCP_MISSING_CAPABILITY");
    assert.match(
      text,
      /elicitation\/create cannot reach the client: this server keeps no sessions.*switch sessions on/,
    );
  });

  it("lets no cancellation reach a request, which may be another client's [PP-017]", async () => {
    const gate = createGate();
    const { client, codes } = await start({ wait: gate.script }, stateless);
    const pending = client.call("wait", {}, 1);
    const exchange = await gate.entered;
    await client.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } });
    assert.equal(exchange.signal.aborted, false);
    assert.deepEqual(codes(), ["MCP_D_CANCEL_UNREACHABLE"]);
    gate.opened.resolve({});
    assert.equal((await pending).status, 200);
  });

  it("aborts when the client leaves, and on close [PP-019]", async () => {
    for (const leaves of [true, false]) {
      const gate = createGate();
      const { client, handler } = await start({ wait: gate.script }, stateless);
      const controller = new AbortController();
      const pending = client.post({ jsonrpc: "2.0", id: 1, method: "wait" }, {}, controller.signal);
      const exchange = await gate.entered;
      if (leaves) {
        controller.abort();
      } else {
        handler.close();
      }
      assert.match(String(exchange.signal.reason), leaves ? /client disconnected/ : /handler was closed/);
      gate.opened.resolve({});
      await pending;
      await settle();
      assert.deepEqual(handler.stats(), { sessions: 0, streams: 0, exchanges: 0, questions: 0 });
    }
  });

  it("reports what a notification's handler says to nobody", async () => {
    const { client, codes } = await start(
      {
        "notifications/x": async (_, exchange) => {
          await exchange.notify({ method: "notifications/message" });
          exchange.closeStandingStream();
          return {};
        },
      },
      stateless,
    );
    assert.equal((await client.post({ jsonrpc: "2.0", method: "notifications/x" })).status, 202);
    await settle();
    assert.deepEqual(codes(), ["MCP_D_NOTIFICATION_UNSENT", "MCP_D_STREAM_NOT_CLOSED"]);
  });
});

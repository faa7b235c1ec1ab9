import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  createGate,
  newest,
  settle,
  start,
  TestClient,
  withBatches,
} from "../../../test/fixtures/http/scripted-server.ts";
import { UsageError } from "../../base/error.ts";
import { createHttpHandler } from "./handler.ts";
import { HttpSession } from "./session.ts";

async function errorOf(response: Response): Promise<{ code: number; message: string; data?: unknown }> {
  const body = (await response.json()) as { jsonrpc: string; id?: unknown; error: { code: number; message: string } };
  assert.equal(body.jsonrpc, "2.0");
  return body.error;
}

describe("createHttpHandler", () => {
  it("serves POST and GET on one endpoint, and answers other methods with 405 and Allow [HTTP-001] [HTTP-027]", async () => {
    const { client } = await start();
    assert.equal((await client.call("echo")).status, 200);
    assert.equal((await client.send("GET", { accept: "text/event-stream" })).status, 200);
    for (const method of ["PUT", "PATCH", "OPTIONS", "HEAD"]) {
      const response = await client.send(method);
      assert.equal(response.status, 405, method);
      assert.equal(response.headers.get("allow"), "GET, POST, DELETE");
    }
  });

  it("answers a request with one JSON object that has its id and the type of its id [HTTP-012] [BASE-007]", async () => {
    const { client } = await start();
    for (const id of [1, "1", ""]) {
      const response = await client.call("echo", { a: 1 }, id);
      assert.equal(response.headers.get("content-type"), "application/json");
      assert.deepEqual(await response.json(), { jsonrpc: "2.0", id, result: { a: 1 } });
    }
  });

  it("takes a notification with 202 and an empty body [HTTP-010]", async () => {
    const { client, server } = await start();
    const response = await client.post({ jsonrpc: "2.0", method: "notifications/initialized" });
    assert.deepEqual([response.status, await response.text()], [202, ""]);
    assert.equal(server.received.at(-1)?.method, "notifications/initialized");
  });

  it("answers what is no JSON-RPC with 400 and the code that says why [HTTP-011] [BASE-002] [BASE-004]", async () => {
    const { client } = await start({}, { maxJsonDepth: 20 });
    const cases: [string, number][] = [
      ["{", -32700],
      ["", -32700],
      [`${"[".repeat(50)}${"]".repeat(50)}`, -32600],
      ["1", -32600],
      ["{}", -32600],
      ['{"jsonrpc":"1.0","method":"notifications/x"}', -32600],
      ['{"jsonrpc":"2.0","method":1}', -32600],
      ['{"jsonrpc":"2.0","id":null,"method":"x"}', -32600],
      ['{"jsonrpc":"2.0","id":1,"result":{},"error":{}}', -32600],
    ];
    for (const [body, code] of cases) {
      const response = await client.post(body);
      assert.equal(response.status, 400, body);
      assert.equal((await errorOf(response)).code, code, body);
    }
  });

  it("answers bytes that are no UTF-8 with a parse error", async () => {
    const { client } = await start();
    const headers = { "content-type": "application/json", host: "localhost", "mcp-session-id": client.sessionId ?? "" };
    const body = new Uint8Array([0x22, 0xff, 0x22]);
    const response = await client.handler.fetch(new Request("http://localhost/", { method: "POST", headers, body }));
    assert.equal(response.status, 400);
    assert.equal((await errorOf(response)).code, -32700);
  });

  it("refuses bodies of another media type, charset or encoding with 415 [HTTP-008]", async () => {
    const { client } = await start();
    const bad = [
      { "content-type": undefined },
      { "content-type": "text/plain" },
      { "content-type": "application/json; charset=utf-16" },
      { "content-encoding": "gzip" },
    ];
    for (const headers of bad) {
      assert.equal((await client.call("echo", {}, 1, headers)).status, 415, JSON.stringify(headers));
    }
    assert.equal((await client.call("echo", {}, 1, { "content-type": "Application/JSON; charset=UTF-8" })).status, 200);
  });

  it("asks Accept only for what it is about to send [HTTP-008] [PP-109]", async () => {
    const { client } = await start();
    const statusOf = async (accept: string | undefined): Promise<number> =>
      (await client.call("echo", {}, 1, { accept })).status;
    assert.equal(await statusOf("text/plain"), 406);
    assert.equal(await statusOf("application/json;q=0, text/event-stream;q=0"), 406);
    for (const accept of [undefined, "*/*", "application/*", "application/json", "text/event-stream, */*;q=0.1"]) {
      assert.equal(await statusOf(accept), 200, accept);
    }
    const notification = { jsonrpc: "2.0", method: "notifications/x" };
    assert.equal((await client.post(notification, { accept: "text/plain" })).status, 202);
    assert.equal((await client.send("GET", { accept: "application/json" })).status, 406);
  });

  it("insists on both media types only when strict [PP-109]", async () => {
    const { client } = await start({}, { strictAccept: true });
    assert.equal((await client.call("echo", {}, 1, { accept: "application/json" })).status, 406);
    assert.equal((await client.call("echo", {}, 1, { accept: "*/*" })).status, 406);
    assert.equal((await client.call("echo", {}, 1, { accept: "text/event-stream;q=1, application/json" })).status, 200);
    assert.equal((await client.send("GET", { accept: "*/*" })).status, 406);
  });

  it("refuses a body over the limit with 413, announced or not, and goes on", async () => {
    const { client } = await start({}, { maxBodyBytes: 300 });
    const big = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "echo", params: { text: "x".repeat(400) } });
    const response = await client.post(big);
    assert.equal(response.status, 413);
    assert.match((await errorOf(response)).message, /at most 300 bytes/);
    assert.equal((await client.post(big, { "content-length": "9999999" })).status, 413);
    assert.equal((await client.call("echo")).status, 200);
  });

  it("refuses an unsupported version header with 400 on every method, and needs none for initialize [HTTP-051]", async () => {
    const { client } = await start();
    for (const version of ["1999-01-01", "abc", "", "2025-11-25, 2025-06-18"]) {
      const headers = { "mcp-protocol-version": version, accept: "text/event-stream, application/json" };
      assert.equal((await client.call("echo", {}, 1, headers)).status, 400, version);
      assert.equal((await client.send("GET", headers)).status, 400);
      assert.equal((await client.send("DELETE", headers)).status, 400);
    }
    const response = await client.call("echo", {}, 1, { "mcp-protocol-version": "1999-01-01" });
    assert.deepEqual(((await errorOf(response)).data as { requested: string }).requested, "1999-01-01");
    client.sessionId = undefined;
    const params = { protocolVersion: newest };
    assert.equal((await client.call("initialize", params, 1, { "mcp-protocol-version": "1999-01-01" })).status, 200);
  });

  it("keeps to the session's version when a header names another, and refuses it when strict [HTTP-051]", async () => {
    const lenient = await start();
    await (await lenient.client.call("echo", {}, 1, { "mcp-protocol-version": "2025-06-18" })).text();
    assert.equal(lenient.server.exchanges.at(-1)?.context.revision.id, newest);
    const strict = await start({}, { strictVersion: true });
    assert.equal((await strict.client.call("echo", {}, 1, { "mcp-protocol-version": "2025-06-18" })).status, 400);
    assert.equal((await strict.client.call("echo", {}, 1, { "mcp-protocol-version": newest })).status, 200);
  });

  it("knows the version of a session without any header [HTTP-050]", async () => {
    const { client, server } = await start();
    await client.call("echo");
    assert.equal(server.exchanges.at(-1)?.context.revision.id, newest);
    client.sessionId = undefined;
    await client.initialize(withBatches);
    await client.call("echo");
    assert.equal(server.exchanges.at(-1)?.context.revision.id, withBatches);
  });

  it("lets handlers read the request, with header names in any case", async () => {
    const { client } = await start({
      peek: (_, { context }) => ({
        agent: context.http?.header("User-Agent"),
        url: context.http?.url,
        method: context.http?.method,
      }),
    });
    const response = await client.call("peek", {}, 1, { "user-agent": "test" });
    assert.deepEqual(((await response.json()) as { result: unknown }).result, {
      agent: "test",
      url: "/mcp",
      method: "POST",
    });
  });

  it("answers with 500 and no details when something inside fails, and reports it", async () => {
    const { client, codes } = await start(
      {},
      {
        auth: {
          authenticate: (request) => {
            if (request.header("x-fail") !== undefined) {
              throw new Error("secret");
            }
            return { ok: true, auth: undefined };
          },
        },
      },
    );
    const response = await client.call("echo", {}, 1, { "x-fail": "1" });
    assert.equal(response.status, 500);
    assert.doesNotMatch(await response.text(), /secret/);
    assert.deepEqual(codes(), ["MCP_D_HANDLER_FAULT"]);
  });

  it("ends everything on close with the given reason, and answers 503 afterwards [PP-019]", async () => {
    const gate = createGate();
    const { client, handler, server, clock } = await start({ wait: gate.script });
    const pending = client.call("wait");
    const exchange = await gate.entered;
    const stream = await client.listen();
    const { session } = server.exchanges[0]?.context ?? {};
    const reason = new Error("shutdown");
    handler.close(reason);
    assert.deepEqual([exchange.signal.reason, session?.signal.reason], [reason, reason]);
    assert.equal((await pending).status, 503);
    assert.deepEqual(await stream.rest(), []);
    const late = await client.call("echo");
    assert.deepEqual([late.status, late.headers.get("retry-after")], [503, "1"]);
    gate.opened.resolve({});
    await settle();
    assert.deepEqual(handler.stats(), { sessions: 0, streams: 0, exchanges: 0, questions: 0 });
    await handler.closed;
    assert.equal(clock.pendingTimers, 0);
  });

  it("serves one definition through several handlers at once", async () => {
    const { server, client } = await start();
    const other = new TestClient(createHttpHandler(server));
    await other.initialize();
    assert.notEqual(other.sessionId, client.sessionId);
    assert.equal((await other.call("echo")).status, 200);
    assert.equal((await client.call("echo")).status, 200);
    other.sessionId = client.sessionId;
    assert.equal((await other.call("echo")).status, 404);
  });

  it("leaves nothing behind after 10 000 calls, as JSON, as streams and given up, with questions [PP-014]", async () => {
    const { client, handler, server } = await start({
      talk: async (_, exchange) => {
        await exchange.notify({ method: "notifications/message" });
        return {};
      },
      hold: (_, { signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve({}))),
      ask: async (_, exchange) => {
        const signal = AbortSignal.abort();
        await exchange.request({ method: "roots/list" }, { signal }).catch(() => undefined);
        return {};
      },
    });
    const methods = ["echo", "talk", "ask", "hold"];
    for (let id = 0; id < 10_000; id += 1) {
      const method = methods[id % 50 < 4 ? id % 50 : 0] ?? "echo";
      const pending = client.call(method, {}, id);
      if (method === "hold") {
        await client.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: id } });
      }
      await (await pending).text();
    }
    assert.deepEqual(handler.stats(), { sessions: 1, streams: 0, exchanges: 0, questions: 0 });
    const { session } = server.exchanges[0]?.context ?? {};
    assert.ok(session instanceof HttpSession);
    assert.deepEqual([session.work.size, session.questions.size, session.isBusy], [0, 0, false]);
  });

  it("refuses options that make no sense", async () => {
    const { server } = await start();
    for (const options of [
      { maxBodyBytes: 0 },
      { keepAliveMs: Number.NaN },
      { sessions: { maxSessions: -1 } },
      { allowedHosts: ["a b"] },
    ]) {
      assert.throws(() => createHttpHandler(server, options), UsageError);
    }
  });
});

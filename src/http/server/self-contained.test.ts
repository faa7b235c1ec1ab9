import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  alone,
  createGate,
  EventReader,
  type Failure,
  failureOf,
  newest,
  type Script,
  settle,
  start,
  type TestClient,
} from "../../../test/fixtures/http/scripted-server.ts";
import { isMcpError } from "../../base/error.ts";
import { RpcError } from "../../jsonrpc/error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { withEnvelope } from "../../protocol/envelope.ts";
import { revisions } from "../../revision/registry.ts";
import type { HttpAuthenticator } from "./authenticator.ts";

const params = withEnvelope({}, { protocolVersion: alone, clientCapabilities: {} });
const standard = { "mcp-protocol-version": alone, "mcp-method": "echo" };

/** Posts a request with exactly these headers. */
function post(client: TestClient, body: JsonObject, headers: { [name: string]: string | undefined }) {
  return client.post({ jsonrpc: "2.0", id: "a", method: "echo", ...body }, headers);
}

const throwing =
  (code: number): Script =>
  () => {
    throw new RpcError(code, "no");
  };

describe("SelfContained", () => {
  for (const sessions of [true, false]) {
    it(`serves beside the handshake revisions, without their session, with sessions ${sessions ? "on" : "off"} [M-VER-005] [M-VER-007] [M-HTTP-014]`, async () => {
      const { client, server } = await start({}, { sessions });
      const response = await client.ask("echo", { a: 1 }, "x", { "last-event-id": "left.0.1" });
      assert.deepEqual([response.status, response.headers.get("mcp-session-id")], [200, null]);
      assert.equal(((await response.json()) as { id: string }).id, "x");
      const { context } = server.exchanges.at(-1) ?? {};
      assert.deepEqual([context?.revision.id, context?.session, context?.envelope?.ok], [alone, undefined, true]);
      assert.equal(context?.http?.header("Mcp-Method"), "echo");
      const legacy = await client.call("echo");
      assert.equal(legacy.status, 200);
      const after = server.exchanges.at(-1)?.context;
      assert.deepEqual([after?.revision.lifecycle, after?.envelope], ["handshake", undefined]);
    });
  }

  it("refuses headers that do not say what the body says, with its id, and runs nothing [M-HTTP-017] [M-HTTP-018] [M-HDR-003] [M-ERR-012]", async () => {
    const { client, server } = await start();
    const before = server.received.length;
    const cases: [{ [name: string]: string | undefined }, number][] = [
      [{ "mcp-method": "echo" }, -32020],
      [{ ...standard, "mcp-protocol-version": newest }, -32020],
      [{ "mcp-protocol-version": alone }, -32020],
      [{ ...standard, "mcp-method": "other" }, -32020],
      [{ ...standard, "mcp-method": "ECHO" }, -32020],
    ];
    for (const [headers, code] of cases) {
      const refused = await failureOf(await post(client, { params }, headers));
      assert.deepEqual(refused, [400, code, "a"], JSON.stringify(headers));
    }
    assert.equal(server.received.length, before);
    assert.equal((await post(client, { params }, { ...standard, "mcp-method": " echo " })).status, 200);
  });

  it("refuses a request without complete metadata with -32602 and 400, whatever is missing [M-META-004]", async () => {
    const { client } = await start();
    const bad: unknown[] = [
      undefined,
      {},
      { _meta: null },
      { _meta: {} },
      { _meta: { "io.modelcontextprotocol/protocolVersion": alone } },
      { _meta: { ...(params._meta as object), "io.modelcontextprotocol/protocolVersion": 20260728 } },
      { _meta: { ...(params._meta as object), "io.modelcontextprotocol/logLevel": "loud" } },
    ];
    for (const value of bad) {
      const response = await post(client, value === undefined ? {} : { params: value }, standard);
      assert.equal(response.status, 400, JSON.stringify(value));
      assert.deepEqual((await failureOf(response)).slice(1), [-32602, "a"], JSON.stringify(value));
    }
  });

  it("refuses a version that is not served, on any method, naming all that are [M-VER-001] [M-ERR-009]", async () => {
    const { client } = await start();
    const supported = revisions.map(({ id }) => id);
    for (const version of ["1900-01-01", "2026-7-28", newest]) {
      for (const method of ["echo", "server/discover"]) {
        const meta = withEnvelope({}, { protocolVersion: version, clientCapabilities: {} });
        const headers = { "mcp-protocol-version": version, "mcp-method": method };
        const response = await post(client, { method, params: meta }, headers);
        const { id, error } = (await response.json()) as Failure;
        assert.deepEqual([response.status, error.code, id], [400, -32022, "a"]);
        assert.deepEqual(error.data, { supported, requested: version });
      }
      assert.equal((await client.ask("echo")).status, 200);
    }
  });

  it("gives four errors a status of their own, and all others 200 [M-ERR-008] [M-ERR-010] [M-ERR-014]", async () => {
    const codes = [-32020, -32021, -32022, -32601, -32602, -32603, 5];
    const scripts = Object.fromEntries(codes.map((code) => [`fail${code}`, throwing(code)]));
    for (const response of ["auto", "json", "stream"] as const) {
      const { client } = await start(scripts, { response });
      for (const code of codes.slice(0, 4)) {
        const expected = code === -32601 ? 404 : 400;
        assert.deepEqual(await failureOf(await client.ask(`fail${code}`, {}, 7)), [expected, code, 7]);
      }
      for (const code of codes.slice(4)) {
        assert.equal((await client.ask(`fail${code}`)).status, 200);
      }
      assert.equal((await client.call("fail-32601")).status, 200, "not where a handshake was made");
    }
  });

  it("answers an error behind other messages on the stream that is open", async () => {
    const { client } = await start({
      talk: async (_, exchange) => {
        await exchange.notify({ method: "notifications/progress" });
        throw new RpcError(-32021, "sampling is needed");
      },
    });
    const response = await client.ask("talk");
    assert.equal(response.status, 200);
    const [, answer] = await new EventReader(response).rest();
    assert.equal((answer as { error: { code: number } }).error.code, -32021);
  });

  it("takes notifications with 202, without asking for headers or metadata [M-HTTP-003] [M-HDR-005]", async () => {
    const { client, server } = await start();
    for (const [value, headers] of [
      [{ method: "notifications/x" }, { "mcp-protocol-version": alone }],
      [{ method: "notifications/y", params }, {}],
      [{ method: "notifications/z", params: withEnvelope({}, { protocolVersion: "?", clientCapabilities: {} }) }, {}],
    ] as const) {
      const response = await client.post({ jsonrpc: "2.0", ...value }, headers);
      assert.deepEqual([response.status, await response.text()], [202, ""]);
      const { context } = server.exchanges.at(-1) ?? {};
      assert.deepEqual([server.received.at(-1)?.method, context?.revision.id], [value.method, alone]);
    }
    const malformed = await client.post({ jsonrpc: "2.0", method: 1 }, { "mcp-protocol-version": alone });
    assert.equal(malformed.status, 400);
  });

  it("refuses arrays and responses with -32600 [M-HTTP-002]", async () => {
    const { client } = await start();
    const message = { jsonrpc: "2.0", id: 1, method: "echo", params };
    for (const body of [[], [message], { jsonrpc: "2.0", id: 1, result: {} }]) {
      const response = await client.post(body, { "mcp-protocol-version": alone });
      assert.deepEqual(await failureOf(response), [400, -32600, undefined], JSON.stringify(body));
    }
  });

  it("lets a notification cancel nothing, which might be another client's [M-HTTP-005]", async () => {
    const gate = createGate();
    const { client, codes } = await start({ wait: gate.script });
    const pending = client.ask("wait", {}, 1);
    const { signal } = await gate.entered;
    const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    assert.equal((await client.post(cancelled, { "mcp-protocol-version": alone })).status, 202);
    assert.deepEqual([signal.aborted, codes()], [false, ["MCP_D_CANCEL_UNREACHABLE"]]);
    gate.opened.resolve({ done: true });
    assert.deepEqual(((await (await pending).json()) as { result: unknown }).result, { done: true });
  });

  it("keeps what belongs to one request off the streams of others, with no event ids and nothing to come back for [M-HTTP-007] [M-HTTP-008] [M-HTTP-013]", async () => {
    const { client } = await start(
      {
        talk: async ({ n }, exchange) => {
          await exchange.notify({ method: "notifications/progress", params: { n } });
          await settle();
          exchange.closeStream();
          return { n };
        },
      },
      { response: "stream" },
    );
    const responses = await Promise.all(
      [1, 2, 3].map((n) => client.ask("talk", { n }, 5, { "last-event-id": "a.0.1" })),
    );
    for (const [index, response] of responses.entries()) {
      assert.equal(response.headers.get("x-accel-buffering"), "no");
      const text = await response.text();
      assert.doesNotMatch(text, /^(id|retry|event):/m);
      assert.doesNotMatch(text, /^data:\s*$/m);
      assert.deepEqual(
        [...text.matchAll(/"n":(\d)/g)].map(([, n]) => n),
        [`${index + 1}`, `${index + 1}`],
      );
    }
  });

  it("takes a client that leaves for one that gives up, before and on the stream, and says nothing more [M-HTTP-011]", async () => {
    for (const streams of [false, true]) {
      const gate = createGate();
      const { client, clock, handler, codes } = await start({ wait: gate.script });
      const controller = new AbortController();
      const pending = client.ask("wait", {}, 1, {}, controller.signal);
      const exchange = await gate.entered;
      if (streams) {
        await clock.advance(100);
        await new EventReader(await pending).leave();
      } else {
        controller.abort();
      }
      assert.match(String(exchange.signal.reason), /ClosedError: the client disconnected/);
      await exchange.notify({ method: "notifications/progress" });
      gate.opened.resolve({ late: true });
      const rest = streams ? "" : await (await pending).text();
      assert.deepEqual([rest, codes()], ["", []]);
      await settle();
      assert.deepEqual(handler.stats(), { sessions: 1, streams: 0, exchanges: 0, questions: 0 });
    }
  });

  it("fails every question to the client at once, and sends none [M-BASE-001] [PP-043]", async () => {
    const { client, server } = await start({
      ask: async (_, exchange) => {
        const error = await exchange.request({ method: "sampling/createMessage" }).catch((reason: unknown) => reason);
        return isMcpError(error) ? { code: error.code, text: error.message } : {};
      },
    });
    const response = await client.ask("ask");
    assert.equal(response.headers.get("content-type"), "application/json");
    const { result } = (await response.json()) as { result: { code: string; text: string } };
    assert.equal(result.code, "MCP_MISSING_CAPABILITY");
    assert.match(result.text, /servers make no requests in revision 2026-07-28/);
    await client.post({ jsonrpc: "2.0", method: "notifications/x" }, { "mcp-protocol-version": alone });
    await assert.rejects(server.exchanges.at(-1)?.request({ method: "roots/list" }) ?? Promise.resolve());
  });

  it("answers GET and DELETE with 405 [M-HTTP-014]", async () => {
    const both = await start();
    const only = await start({}, { revisions: [alone] });
    for (const method of ["GET", "DELETE"]) {
      const headers = { accept: "text/event-stream", "mcp-protocol-version": alone };
      for (const response of [await both.client.send(method, headers), await only.client.send(method)]) {
        assert.deepEqual([response.status, response.headers.get("allow")], [405, "POST"]);
      }
    }
    assert.equal((await both.client.call("echo")).status, 200, "the session is still there");
  });

  it("checks the origin, the host and the caller before it reads anything [M-SEC-003] [M-HTTP-019] [M-DISC-007] [M-BASE-012]", async () => {
    const reply = { kind: "text", status: 401, headers: {}, body: "" } as const;
    const authenticate: HttpAuthenticator["authenticate"] = (request) =>
      request.header("authorization") === "Bearer bad" ? { ok: false, reply } : { ok: true, auth: undefined };
    const { client } = await start({}, { auth: { authenticate } });
    const statusOf = async (headers: { [name: string]: string }): Promise<number> =>
      (await client.post("{ broken", { "mcp-protocol-version": alone, ...headers })).status;
    const bad = { authorization: "Bearer bad" };
    assert.equal(await statusOf({ origin: "https://evil.example", ...bad }), 403);
    assert.equal(await statusOf({ host: "evil.example", ...bad }), 403);
    assert.equal(await statusOf(bad), 401);
    const asked = [await client.ask("server/discover", {}, 1, bad), await client.ask("server/discover")];
    assert.deepEqual(
      asked.map(({ status }) => status),
      [401, 200],
    );
  });
});

describe("SelfContained, where no handshake is served", () => {
  const only = { revisions: [alone] } as const;

  it("refuses a handshake, and says which revisions are spoken here [M-VER-008] [M-HTTP-018]", async () => {
    const { client } = await start({}, only);
    for (const headers of [{}, { "mcp-protocol-version": newest }]) {
      const body = { method: "initialize", params: { protocolVersion: newest } };
      const response = await post(client, body, headers);
      const { id, error } = (await response.json()) as Failure;
      assert.deepEqual([response.status, id], [400, "a"]);
      assert.match(error.message, /this server speaks 2026-07-28/);
      assert.deepEqual(error.data, { supported: [alone] });
    }
    assert.deepEqual((await failureOf(await client.call("initialize", {}))).slice(0, 2), [400, -32020]);
  });

  it("ignores session ids and gives none [M-HTTP-014]", async () => {
    const { client, handler } = await start({}, only);
    const response = await client.ask("echo", {}, 1, { "mcp-session-id": "left over" });
    assert.deepEqual([response.status, response.headers.get("mcp-session-id")], [200, null]);
    assert.equal(handler.stats().sessions, 0);
    assert.deepEqual(await failureOf(await client.call("echo", {}, 3)), [400, -32020, 3]);
  });

  it("leaves the handshake revisions alone where only those are served", async () => {
    const { client } = await start({}, { revisions: [newest] });
    assert.ok(client.sessionId);
    assert.equal((await client.call("echo")).status, 200);
    assert.deepEqual((await failureOf(await client.ask("echo"))).slice(0, 2), [400, -32600]);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeHttp, failure, type HttpAnswer } from "../../../test/fixtures/fake-http.ts";
import { OldServer, streamUrl } from "../../../test/fixtures/http/old-server.ts";
import { discovery } from "../../../test/fixtures/stateless-server.ts";
import type { McpError } from "../../base/error.ts";
import { createHttpLink } from "../../http/client/link.ts";
import { createCompatibleHttpLink } from "../../http/legacy/client.ts";
import type { Link } from "../../jsonrpc/link.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { latestHandshake, latestStateless } from "../../revision/registry.ts";
import { createFakeClock } from "../../test/clock.ts";
import { defineClient } from "../client.ts";
import type { ClientOptions } from "../options.ts";

const define = (options: Partial<ClientOptions> = {}) => defineClient({ name: "host", version: "1", ...options });

const initializeResult = (params: JsonObject): JsonObject => ({
  protocolVersion: params.protocolVersion,
  capabilities: {},
  serverInfo: { name: "old", version: "1" },
});

const older: HttpAnswer = ({ params }) => initializeResult(params);

/** Connects to an endpoint that answers `server/discover` like this, and `initialize` like an older server. */
async function connectHttp(answers: { readonly [method: string]: HttpAnswer }, options = {}) {
  const http = new FakeHttp({ initialize: older, ...answers });
  const link = createHttpLink("https://a.test/mcp", { fetch: http.fetch, standingStream: false, retry: false });
  try {
    const session = await define().connect(link, options);
    const { revision } = session.server;
    await session.close();
    return { http, revision };
  } catch (error) {
    return { http, error: error as McpError & { rpcCode?: number; status?: number; supported?: readonly string[] } };
  }
}

describe("negotiate over HTTP", () => {
  const bodies: readonly (readonly [string, HttpAnswer])[] = [
    ["an empty 400", () => new Response(null, { status: 400 })],
    ["400 without a session", () => new Response("Bad Request: No session", { status: 400 })],
    ["400 with code -32000", ({ id }) => failure(400, id, { code: -32000, message: "Bad Request" })],
    ["404 with code -32601", ({ id }) => failure(404, id, { code: -32601, message: "no method" })],
    ["405", () => new Response(null, { status: 405 })],
  ];
  for (const [what, discover] of bodies) {
    it(`shakes hands after ${what} and goes on in that revision [M-VER-015] [M-VER-016] [M-VER-013]`, async () => {
      const { http, revision } = await connectHttp({ "server/discover": discover });
      assert.deepEqual(http.log.slice(0, 3), [
        "POST server/discover",
        "POST initialize",
        "POST notifications/initialized",
      ]);
      assert.equal(revision, latestHandshake.id);
      assert.equal(http.received[1]?.headers["mcp-protocol-version"], undefined);
      assert.equal(http.received[2]?.headers["mcp-protocol-version"], latestHandshake.id);
    });
  }

  for (const code of [-32020, -32021]) {
    it(`reports 400 with ${code} and never shakes hands after it [M-VER-015]`, async () => {
      const discover: HttpAnswer = ({ id }) => failure(400, id, { code, message: "no" });
      const { http, error } = await connectHttp({ "server/discover": discover });
      assert.equal(error?.rpcCode, code);
      assert.deepEqual(http.log, ["POST server/discover"]);
    });
  }

  for (const status of [401, 403, 407, 408, 429, 500, 502, 503]) {
    it(`takes ${status} for no sign of age [M-VER-018]`, async () => {
      const discover: HttpAnswer = () => new Response("not now", { status });
      const { http, error } = await connectHttp({ "server/discover": discover });
      assert.equal(error?.code, "MCP_HTTP");
      assert.equal(error?.status, status);
      assert.deepEqual(http.log, ["POST server/discover"]);
    });
  }

  it("takes a broken network for no sign of age, nor a fault inside the server [M-VER-018]", async () => {
    const network = await connectHttp({
      "server/discover": () => {
        throw new TypeError("fetch failed");
      },
    });
    assert.equal(network.error?.code, "MCP_CLOSED");
    assert.deepEqual(network.http.log, ["POST server/discover"]);
    const fault = await connectHttp({
      "server/discover": ({ id }) => failure(500, id, { code: -32603, message: "out of order" }),
    });
    assert.equal(fault.error?.rpcCode, -32603);
    assert.deepEqual(fault.http.log, ["POST server/discover"]);
  });

  it("does not take silence for an answer, whatever the probe may take [M-VER-018]", async () => {
    const clock = createFakeClock();
    const methods: string[] = [];
    const link: Link = {
      start: async () => {},
      request: (call, { signal } = {}) => {
        methods.push(call.method);
        return new Promise((_resolve, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
      },
      notify: async () => {},
      close: async () => {},
      closed: new Promise(() => {}),
    };
    const connecting = define({ clock }).connect(link, { probeTimeoutMs: 10, connectTimeoutMs: 9_000 });
    const failed = assert.rejects(connecting, { limit: "connect" });
    await clock.advance(9_000);
    await failed;
    assert.deepEqual(methods, ["server/discover"]);
  });

  it("asks a server anew that has become another one behind a session, once, and goes on with it [M-VER-009] [M-VER-002]", async () => {
    let isOld = false;
    const refuse: HttpAnswer = ({ id }) => {
      const data = { supported: [latestHandshake.id], requested: latestStateless.id };
      return failure(400, id, { code: -32022, message: "not any more", data });
    };
    const http = new FakeHttp({
      initialize: older,
      "server/discover": (received) => (isOld ? refuse(received) : discovery()),
      "acme/x": (received) =>
        isOld && "_meta" in received.params && http.of("initialize").length === 0 ? refuse(received) : { n: 1 },
      "acme/never": refuse,
    });
    const link = createHttpLink("https://a.test/mcp", { fetch: http.fetch, standingStream: false, retry: false });
    const session = await define().connect(link);
    assert.equal((await session.request("acme/x")).n, 1);
    await assert.rejects(session.request("acme/never"), { code: "MCP_UNSUPPORTED_REVISION", rpcCode: -32022 });
    assert.equal(http.of("acme/never").length, 2);
    isOld = true;
    assert.equal((await session.request("acme/x")).n, 1);
    assert.equal(session.server.revision, latestHandshake.id);
    await session.close();
  });

  it("reaches an HTTP+SSE server after the question, initialize and a GET [M-VER-017]", async () => {
    const server = new OldServer();
    const session = await define().connect(createCompatibleHttpLink(streamUrl, { fetch: server.fetch }));
    assert.deepEqual(server.log, [
      "POST server/discover",
      "POST initialize",
      "GET",
      "POST initialize",
      "POST notifications/initialized",
    ]);
    await session.close();
    const refuse: HttpAnswer = () => new Response(null, { status: 405 });
    const none = new FakeHttp({ initialize: refuse, GET: () => new Response(null, { status: 503 }) });
    const link = createCompatibleHttpLink("https://a.test/sse", { fetch: none.fetch, retry: false });
    await assert.rejects(define().connect(link), (error: McpError) => {
      assert.match(error.message, /Streamable HTTP: .*HTTP\+SSE: .*tried before: server\/discover/);
      return true;
    });
    const modern = new FakeHttp({});
    const other = createCompatibleHttpLink("https://a.test/mcp", { fetch: modern.fetch, retry: false });
    await assert.rejects(define().connect(other), { rpcCode: -32601 });
    assert.deepEqual(modern.log, ["POST server/discover", "POST initialize"]);
  });
});

// Headers that say what the body says, over bare HTTP: which faults are told of, in which order, and what is not run.

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import fc from "fast-check";
import type { JsonObject } from "parley-mcp";
import { connect } from "parley-mcp/connect";
import type { HttpServerOptions } from "parley-mcp/http/server";
import { defineServer, prompt, resource, tool } from "parley-mcp/server";
import { latestStateless } from "../../src/revision/registry.ts";
import { alone, envelope, RawEndpoint } from "../fixtures/raw-http.ts";
import { scenario, verifies } from "./verifies.ts";

const identity = { name: "demo", version: "1.0.0" };
const encode = (text: string): string => `=?base64?${Buffer.from(text).toString("base64")}?=`;

const regional = {
  type: "object",
  properties: {
    region: { type: "string", "x-mcp-header": "Region" },
    count: { type: "integer", "x-mcp-header": "Count" },
    dry: { type: "boolean", "x-mcp-header": "Dry" },
    text: { type: "string" },
  },
} as const;

function createDesk() {
  const ran: unknown[] = [];
  const echo = tool({ input: regional }, (args) => {
    ran.push(args);
    return JSON.stringify(args);
  });
  const app = defineServer({
    ...identity,
    tools: { echo, other: echo },
    prompts: { greet: prompt({}, () => "Hello"), 世界: prompt({}, () => "Hello, world") },
    resources: { motd: resource({ uri: "note:///motd" }, () => "Good morning") },
  });
  return Object.assign(app, { ran });
}

function open(context: TestContext, options?: HttpServerOptions) {
  const app = createDesk();
  const endpoint = new RawEndpoint(app, options);
  context.after(() => endpoint.close());
  return { app, ran: app.ran, endpoint, post: endpoint.post.bind(endpoint) };
}

const call = (args: JsonObject = {}, id: string | number = 1) =>
  alone(id, "tools/call", { name: "echo", arguments: args });

describe("headers of requests that stand for themselves", () => {
  it("are answered when they say what the body says, in any case and with space around [M-HDR-004] [M-HTTP-006]", async (context) => {
    const { post, ran } = open(context);
    const { status, message } = await post(call({ text: "x" }, "seven"), {
      "mcp-method": undefined,
      "mcp-name": undefined,
      "MCP-METHOD": "  tools/call\t",
      "Mcp-Name": " echo ",
    });
    assert.deepEqual([status, message.id, message.result?.isError], [200, "seven", undefined]);
    assert.equal(ran.length, 1);
  });

  const mismatches: readonly (readonly [string, { [name: string]: string | undefined }])[] = [
    ["no method", { "mcp-method": undefined }],
    ["another method", { "mcp-method": "tools/list" }],
    ["the method in another case", { "mcp-method": "TOOLS/CALL" }],
    ["no name", { "mcp-name": undefined }],
    ["another name", { "mcp-name": "other" }],
    ["the name in another case", { "mcp-name": "Echo" }],
    ["broken Base64", { "mcp-name": "=?base64?SGVsbG8?=" }],
    ["a marker in capitals", { "mcp-name": "=?BASE64?ZWNobw==?=" }],
    ["no revision", { "mcp-protocol-version": undefined }],
    ["another revision", { "mcp-protocol-version": "2025-11-25" }],
    ["no argument", { "mcp-param-region": undefined }],
    ["another argument", { "mcp-param-region": "south" }],
    ["an argument in another case", { "mcp-param-region": "North" }],
    ["another number", { "mcp-param-count": "41" }],
    ["no number", { "mcp-param-count": "many" }],
    ["another truth", { "mcp-param-dry": "false" }],
  ];
  for (const [what, headers] of mismatches) {
    it(`with ${what} are refused with 400 and -32020, and nothing runs [M-HDR-003] [M-HDR-009] [M-HDR-020] [M-HTTP-017] [M-HTTP-018] [M-ERR-001] [M-ERR-012]`, async (context) => {
      const { post, ran } = open(context);
      const right = { "mcp-param-region": "north", "mcp-param-count": "42", "mcp-param-dry": "true" };
      const args = { region: "north", count: 42, dry: true };
      assert.equal((await post(call(args), right)).status, 200);
      const { status, message } = await post(call(args, "x"), { ...right, ...headers });
      assert.deepEqual([status, message.error?.code, message.id], [400, -32020, "x"]);
      assert.equal(ran.length, 1);
    });
  }

  it("hold what no header can hold in Base64 [M-HDR-006] [M-HDR-007] [M-HDR-009] [M-HDR-021]", async (context) => {
    const { post, ran } = open(context);
    assert.equal((await post(alone(1, "prompts/get", { name: "世界" }), { "mcp-name": encode("世界") })).status, 200);
    const padded = { "mcp-param-region": encode(" padded "), "mcp-param-count": "42.0" };
    assert.equal((await post(call({ region: " padded ", count: 42 }), padded)).status, 200);
    const literal = "=?base64?literal?=";
    const looks = { "mcp-param-region": encode(literal) };
    assert.equal((await post(call({ region: literal }), looks)).status, 200);
    assert.deepEqual(ran, [{ region: " padded ", count: 42 }, { region: literal }]);
  });

  it("are not expected of values that are null or absent, and refused there [M-HDR-019]", async (context) => {
    const { post, ran } = open(context);
    assert.equal((await post(call({ text: "x" }))).status, 200);
    const { status, message } = await post(call({ text: "x" }), { "mcp-param-region": "north" });
    assert.deepEqual([status, message.error?.code], [400, -32020]);
    assert.equal(ran.length, 1);
  });

  it("are reported in one order, whatever else is wrong [M-HTTP-019] [M-SEC-003] [M-META-004] [M-ERR-009]", async (context) => {
    const refusal = { kind: "text", status: 401, headers: {}, body: "" } as const;
    const { post } = open(context, {
      auth: {
        authenticate: (request) =>
          request.header("x-user") === undefined ? { ok: false, reply: refusal } : { ok: true, auth: undefined },
      },
    });
    const bare = { jsonrpc: "2.0", id: 1, method: "no/such", params: { _meta: {} } };
    const future = alone(1, "no/such", { _meta: { "io.modelcontextprotocol/protocolVersion": "1900-01-01" } });
    const lacking = { "io.modelcontextprotocol/protocolVersion": latestStateless.id };
    const faults: readonly (readonly [
      number,
      number | undefined,
      JsonObject,
      { [name: string]: string | undefined },
    ])[] = [
      [403, -32600, bare, { origin: "https://evil.example" }],
      [401, undefined, bare, { origin: undefined, "x-user": undefined }],
      [400, -32020, alone(1, "no/such"), { "mcp-protocol-version": undefined, "mcp-method": "x" }],
      [
        400,
        -32602,
        { ...bare, params: { _meta: lacking } },
        { "mcp-protocol-version": "1900-01-01", "mcp-method": "x" },
      ],
      [400, -32020, future, { "mcp-method": "x" }],
      [400, -32022, future, { "mcp-protocol-version": "1900-01-01", "mcp-method": "x" }],
      [400, -32020, alone(1, "no/such"), { "mcp-method": "x" }],
      [404, -32601, alone(1, "no/such"), {}],
    ];
    for (const [status, code, message, headers] of faults) {
      const reply = await post(message, { "x-user": "ada", ...headers });
      const got = [reply.status, code === undefined ? undefined : reply.message.error?.code];
      assert.deepEqual(got, [status, code], JSON.stringify([headers, reply.text]));
    }
  });

  it("that belong to sessions are ignored, and none are given [M-HTTP-013] [M-HTTP-014]", async (context) => {
    const { endpoint, post } = open(context, { revisions: [latestStateless.id], response: "stream" });
    const odd = { "mcp-session-id": "abc", "last-event-id": "5" };
    const { status, headers, text } = await post(call(), odd);
    assert.equal(status, 200);
    assert.equal(headers.get("mcp-session-id"), null);
    assert.equal(headers.get("x-accel-buffering"), "no");
    assert.doesNotMatch(text, /^id:/m);
    for (const method of ["GET", "DELETE"]) {
      assert.equal((await endpoint.fetch(method, odd)).status, 405);
    }
  });

  it("of a refused version come with those that are served, and with the id [M-VER-001] [M-VER-003] [M-ERR-009] [M-ERR-012]", async (context) => {
    const { post } = open(context);
    const discovered = await post(alone(1, "server/discover"));
    for (const version of ["1900-01-01", "2026-7-28", "20260728", ""]) {
      const message = alone("v", "tools/list", { _meta: { "io.modelcontextprotocol/protocolVersion": version } });
      const { status, message: reply } = await post(message, { "mcp-protocol-version": version });
      assert.equal(status, 400);
      assert.equal(reply.id, "v");
      if (reply.error?.code !== -32020) {
        assert.equal(reply.error?.code, -32022);
        assert.deepEqual(reply.error.data?.supported, discovered.message.result?.supportedVersions);
        assert.equal(reply.error.data?.requested, version);
      }
      assert.equal((await post(alone(2, "tools/list"))).status, 200);
    }
  });
});

describe("bodies that stand for themselves", () => {
  it("are one request or one notification; methods that are gone are unknown [M-HTTP-002] [M-HTTP-003] [M-BASE-015] [M-ERR-010] [M-ERR-014]", async (context) => {
    const { endpoint, post } = open(context);
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const version = { "mcp-protocol-version": latestStateless.id };
    for (const body of ["[]", JSON.stringify([alone(1, "tools/list")]), '{"jsonrpc":"2.0","id":1,"result":{}}']) {
      const response = await endpoint.fetch("POST", { ...headers, ...version }, body);
      const { error } = (await response.json()) as { error: { code: number } };
      assert.deepEqual([response.status, error.code], [400, -32600], body);
    }
    const note = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1, _meta: envelope } };
    const accepted = await post(note);
    assert.deepEqual([accepted.status, accepted.text], [202, ""]);
    for (const method of ["initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe"]) {
      const { status, message } = await post(alone("gone", method));
      assert.deepEqual([status, message.error?.code, message.id], [404, -32601, "gone"], method);
    }
    const unknown = await post(alone(1, "tools/call", { name: "eco" }));
    assert.deepEqual([unknown.status, unknown.message.error?.code], [200, -32602]);
  });

  it("without complete metadata are refused on every method [M-META-004] [M-LOG-004] [M-META-005]", async (context) => {
    const { post } = open(context);
    const broken: readonly JsonObject[] = [
      { "io.modelcontextprotocol/protocolVersion": undefined },
      { "io.modelcontextprotocol/protocolVersion": 20260728 },
      { "io.modelcontextprotocol/clientCapabilities": undefined },
      { "io.modelcontextprotocol/clientCapabilities": [] },
      { "io.modelcontextprotocol/clientCapabilities": null },
      { "io.modelcontextprotocol/clientInfo": { name: 5 } },
      { "io.modelcontextprotocol/logLevel": "loud" },
    ];
    for (const method of ["tools/list", "server/discover"]) {
      for (const _meta of broken) {
        const { status, message } = await post(alone(7, method, { _meta }));
        assert.deepEqual([status, message.error?.code, message.id], [400, -32602, 7], JSON.stringify(_meta));
      }
      assert.equal((await post(alone(8, method))).status, 200);
    }
  });
});

verifies("headers of our client", [
  scenario({
    title:
      "are on every POST, one message in each, and there is neither session nor GET nor DELETE [M-HTTP-001] [M-HTTP-015] [M-HTTP-016] [M-HDR-001] [M-HDR-002]",
    since: "2026-07-28",
    needs: ["ask"],
    app: createDesk,
    run: async ({ client, wire }) => {
      await client.callTool("echo", { text: "x" });
      await client.getPrompt("greet");
      await client.readResource("note:///motd");
      await client.listPrompts().all();
      await client.close();
      for (const { method, headers, body } of wire.http) {
        const meta = body?.params?._meta as { [key: string]: unknown };
        assert.equal(method, "POST");
        assert.equal(headers["mcp-protocol-version"], meta["io.modelcontextprotocol/protocolVersion"]);
        assert.equal(headers["mcp-method"], body?.method);
        const { name, uri = name } = (body?.params ?? {}) as { name?: string; uri?: string };
        assert.equal(headers["mcp-name"], uri);
        assert.equal("mcp-session-id" in headers, false);
      }
      assert.equal(wire.http.length === 0 || wire.http.length === 5, true);
    },
  }),
  scenario({
    title: "of revisions with a handshake have none of these [OLEG-007] [OLEG-015] [HTTP-049]",
    until: "2025-11-25",
    app: createDesk,
    run: async ({ client, wire, revision }) => {
      await client.listTools().all();
      await client.callTool("echo", { region: "north" });
      for (const { headers, body } of wire.http) {
        assert.deepEqual(
          Object.keys(headers).filter((name) => /^mcp-(method|name|param)/.test(name)),
          [],
        );
        if (revision >= "2025-06-18" && body?.method === "tools/call" && "mcp-protocol-version" in headers) {
          assert.equal(headers["mcp-protocol-version"], revision);
        }
      }
    },
  }),
]);

describe("headers of our client and our server", () => {
  it("agree on any arguments, whatever is in them [M-HDR-006] [M-HDR-010] [M-HDR-011] [M-HDR-018] [M-HDR-023]", async (context) => {
    const { endpoint, ran } = open(context);
    const client = await connect("http://localhost/mcp", {
      http: { fetch: (url, init) => endpoint.handler.fetch(new Request(url, init)) },
    });
    await client.listTools().all();
    const args = fc.record(
      {
        region: fc.oneof(
          fc.string({ unit: "binary" }),
          fc.constantFrom("", " a ", "a\r\nX: y", "=?base64?eA==?=", "世界"),
        ),
        count: fc.maxSafeInteger(),
        dry: fc.boolean(),
        text: fc.string(),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(args, async (given) => {
        ran.length = 0;
        const result = await client.callTool("echo", given);
        assert.equal(result.isError, undefined);
        assert.deepEqual(ran, [{ ...given }]);
      }),
      { numRuns: 150, seed: 7 },
    );
    await client.close();
  });
});

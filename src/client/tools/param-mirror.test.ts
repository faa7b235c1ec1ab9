import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeHttp, failure, type HttpAnswer } from "../../../test/fixtures/fake-http.ts";
import { discovery, StatelessServer } from "../../../test/fixtures/stateless-server.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { createHttpLink } from "../../http/client/link.ts";
import { createValidator } from "../../schema/compile.ts";
import { defineClient } from "../client.ts";
import { KnownTools } from "./known-tools.ts";
import { ParamMirror } from "./param-mirror.ts";

const toolOf = (name: string, properties: object) => ({ name, inputSchema: { type: "object" as const, properties } });
const region = { type: "string", "x-mcp-header": "Region" };
const query = toolOf("query", {
  region,
  count: { type: "integer", "x-mcp-header": "Count" },
  secret: { type: "string" },
});

async function open(answers: { readonly [method: string]: HttpAnswer } = {}) {
  const http = new FakeHttp({
    "server/discover": () => discovery({ tools: {} }),
    "tools/list": () => ({ resultType: "complete", tools: [query] }),
    "tools/call": () => ({ resultType: "complete", content: [] }),
    ...answers,
  });
  const diagnostics: Diagnostic[] = [];
  const onDiagnostic = (diagnostic: Diagnostic): number => diagnostics.push(diagnostic);
  const link = createHttpLink("https://a.test/mcp", { fetch: http.fetch, retry: false });
  const session = await defineClient({ name: "c", version: "1", onDiagnostic }).connect(link);
  return { http, session, diagnostics };
}

/** The mirrored arguments of a request. */
function mirrored(headers: Readonly<Record<string, string>> = {}): object {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name.toLowerCase().startsWith("mcp-param-")));
}

describe("ParamMirror", () => {
  it("repeats annotated arguments of a listed tool, and no others [M-HDR-011]", async () => {
    const { http, session } = await open();
    await session.listTools().all();
    await session.callTool("query", { region: "eu", count: 7, secret: "s" });
    assert.deepEqual(mirrored(http.of("tools/call")[0]?.headers), { "mcp-param-region": "eu", "mcp-param-count": "7" });
    await session.callTool("query", { region: null, secret: "s" });
    assert.deepEqual(mirrored(http.of("tools/call")[1]?.headers), {});
    await session.close();
  });

  it("calls a tool that was never listed without them [M-HDR-023]", async () => {
    const { http, session } = await open();
    await session.callTool("query", { region: "eu" });
    assert.deepEqual(http.log, ["POST server/discover", "POST tools/call"]);
    assert.deepEqual(mirrored(http.of("tools/call")[0]?.headers), {});
    await session.close();
  });

  it("reads the list again after -32020 and tries once more with what that says [M-HDR-022] [M-HDR-023] [M-VER-015]", async () => {
    const { http, session } = await open({
      "tools/list": () => ({ resultType: "complete", tools: [query], ttlMs: 1_000_000, cacheScope: "public" }),
      "tools/call": ({ id, headers }) =>
        headers["mcp-param-region"] === "eu"
          ? { resultType: "complete", content: [] }
          : failure(400, id, { code: -32020, message: "Mcp-Param-Region: expected it" }),
    });
    await session.callTool("query", { region: "eu" });
    assert.deepEqual(http.log, ["POST server/discover", "POST tools/call", "POST tools/list", "POST tools/call"]);
    const [first, second] = http.of("tools/call");
    assert.notEqual(first?.id, second?.id);
    assert.deepEqual(second?.params.arguments, { region: "eu" });
    await assert.rejects(session.callTool("query", { region: "us" }), { code: "MCP_HEADER_MISMATCH", rpcCode: -32020 });
    assert.equal(http.of("tools/call").length, 4);
    assert.equal(http.of("tools/list").length, 2);
    await session.close();
  });

  it("repeats them in each round of questions [M-MRTR-020]", async () => {
    let rounds = 0;
    const { http, session } = await open({
      "tools/call": () => {
        rounds += 1;
        return rounds === 1
          ? { resultType: "input_required", requestState: "s" }
          : { resultType: "complete", content: [] };
      },
    });
    await session.listTools().all();
    await session.callTool("query", { region: "eu" });
    const seen = http.of("tools/call").map(({ headers }) => [mirrored(headers), headers["mcp-name"]]);
    assert.deepEqual(seen, [
      [{ "mcp-param-region": "eu" }, "query"],
      [{ "mcp-param-region": "eu" }, "query"],
    ]);
    await session.close();
  });

  it("refuses a number that no header can carry, and sends nothing [M-HDR-013]", async () => {
    const { http, session } = await open();
    await session.listTools().all();
    await assert.rejects(session.callTool("query", { count: 2 ** 53 }), {
      code: "MCP_INVALID_PARAMS",
      message: /count/,
    });
    assert.equal(http.of("tools/call").length, 0);
    await session.close();
  });

  it("still knows what was listed before the list changed [M-HDR-023]", () => {
    const known = new KnownTools(createValidator(), undefined);
    const mirror = new ParamMirror(known);
    known.learn([query]);
    known.outdate();
    assert.equal(known.get("query"), undefined);
    assert.deepEqual(mirror.toHeaders("tools/call", { name: "query", arguments: { region: "eu" } }), {
      "mcp-param-region": "eu",
    });
    known.replace([]);
    assert.equal(mirror.toHeaders("tools/call", { name: "query", arguments: { region: "eu" } }), undefined);
    assert.equal(mirror.toHeaders("prompts/get", { name: "query" }), undefined);
  });
});

describe("tools that ask for headers in a way that cannot be followed", () => {
  const bad = [
    toolOf("empty", { a: { type: "string", "x-mcp-header": "" } }),
    toolOf("number", { a: { type: "number", "x-mcp-header": "A" } }),
    toolOf("twice", { a: region, b: { type: "string", "x-mcp-header": "region" } }),
    toolOf("items", { a: { type: "array", items: region } }),
  ];
  const listing: HttpAnswer = () => ({ resultType: "complete", tools: [query, ...bad] });

  it("are left out over HTTP with a reason each, while the others stay [M-HDR-015] [M-HDR-016] [M-HDR-012] [M-HDR-014]", async () => {
    const { session, diagnostics } = await open({ "tools/list": listing });
    assert.deepEqual(
      (await session.listTools().all()).map(({ name }) => name),
      ["query"],
    );
    const excluded = diagnostics.filter(({ code }) => code === "MCP_D_TOOL_EXCLUDED").map(({ message }) => message);
    assert.equal(excluded.length, bad.length);
    for (const [index, { name }] of bad.entries()) {
      assert.match(excluded[index] ?? "", new RegExp(`"${name}" was left out: inputSchema.*expected`));
    }
    await session.close();
  });

  it("are listed on a pipe, where nothing is repeated [M-HDR-016]", async () => {
    const server = new StatelessServer({
      capabilities: { tools: {} },
      answers: { "tools/list": () => ({ tools: [query, ...bad] }), "tools/call": () => ({ content: [] }) },
    });
    const session = await defineClient({ name: "c", version: "1" }).connect(server.channel);
    assert.equal((await session.listTools().all()).length, 5);
    await session.callTool("query", { count: 2 ** 53 });
    await turn();
    await session.close();
  });
});

describe("requests over HTTP", () => {
  it("say revision, method and name in headers and body alike, and keep no session [M-HTTP-001] [M-HTTP-015] [M-HTTP-016] [M-HDR-001] [M-HDR-002]", async () => {
    const { http, session } = await open({
      "server/discover": ({ id }) =>
        Response.json({ jsonrpc: "2.0", id, result: discovery({ tools: {} }) }, { headers: { "mcp-session-id": "s" } }),
    });
    await session.callTool("query", {});
    await session.ping();
    await session.close();
    for (const { verb, headers, method, params } of http.received) {
      const meta = params._meta as { [key: string]: unknown };
      assert.equal(verb, "POST");
      assert.equal(headers["mcp-protocol-version"], meta["io.modelcontextprotocol/protocolVersion"]);
      assert.equal(headers["mcp-method"], method);
      assert.equal(headers["mcp-name"], method === "tools/call" ? "query" : undefined);
      assert.equal(headers["mcp-session-id"], undefined);
    }
    assert.deepEqual(http.log, ["POST server/discover", "POST tools/call", "POST server/discover"]);
  });

  it("fail with the error in a 404, without any other attempt [M-ERR-011] [M-ERR-013]", async () => {
    const { http, session } = await open();
    await assert.rejects(session.request("acme/none"), { code: "MCP_METHOD_NOT_FOUND", rpcCode: -32601 });
    assert.deepEqual(http.log, ["POST server/discover", "POST acme/none"]);
    await session.close();
  });
});

// One `connect` against servers of every revision and transport: what is agreed on, and how much traffic that takes.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { type McpError, RpcError } from "parley-mcp";
import { connect } from "parley-mcp/connect";
import { connect as connectNode } from "parley-mcp/connect/node";
import type { Fetch } from "parley-mcp/http/client";
import { createLegacyHttpHandler } from "parley-mcp/http/legacy/server";
import { createHttpHandler, type HttpServerOptions } from "parley-mcp/http/server";
import { createMemoryPair } from "parley-mcp/memory";
import { defineServer, tool } from "parley-mcp/server";
import { handshakeRevisions, latestHandshake, latestStateless, revisions } from "../../src/revision/registry.ts";
import { FakeHttp, failure, type HttpAnswer } from "../fixtures/fake-http.ts";
import { FakeServer } from "../fixtures/fake-server.ts";
import { recordFetch } from "../fixtures/recording.ts";
import { runFixture } from "../fixtures/stdio/open-link.ts";
import { Wire } from "../fixtures/wire.ts";
import { within } from "../fixtures/within.ts";

const url = "http://localhost/mcp";
const createApp = () =>
  defineServer({
    name: "demo",
    version: "1.0.0",
    tools: { only: tool({ description: "The only one" }, () => "done") },
  });

/** A server over HTTP, and the words that went to it. */
function serve(options: HttpServerOptions) {
  const handler = createHttpHandler(createApp(), options);
  const wire = new Wire();
  const fetch = recordFetch((target, init) => handler.fetch(new Request(target, init)), wire);
  const log = (): string[] => wire.http.map(({ method, body }) => `${method} ${body?.method ?? ""}`.trim());
  return { fetch, wire, log, end: () => handler.close() };
}

/** A server of the first transport. */
function serveOld() {
  const app = createApp();
  const handler = createLegacyHttpHandler((channel) => app.serve(channel));
  const wire = new Wire();
  const fetch = recordFetch((target, init) => handler.fetch(new Request(target, init)), wire);
  const log = (): string[] => wire.http.map(({ method, body }) => `${method} ${body?.method ?? ""}`.trim());
  return { fetch, wire, log, end: () => handler.close() };
}

async function usedWith(fetch: Fetch, target = url) {
  const client = await connect(target, { http: { fetch, standingStream: false } });
  assert.deepEqual(
    (await client.listTools().all()).map(({ name }) => name),
    ["only"],
  );
  const { revision } = client.server;
  await client.close();
  return revision;
}

describe("connecting over HTTP", () => {
  for (const { id, lifecycle } of revisions) {
    it(`reaches a server of ${id} alone with at most one question more than needed [M-VER-009] [M-VER-015] [M-VER-016] [OLEG-001] [OLEG-002] [OLEG-004]`, async () => {
      const { fetch, log, wire, end } = serve({ revisions: [id] });
      assert.equal(await usedWith(fetch), id);
      const handshake = lifecycle === "handshake" ? ["POST initialize", "POST notifications/initialized"] : [];
      assert.deepEqual(log().slice(0, 2 + handshake.length), ["POST server/discover", ...handshake, "POST tools/list"]);
      // Once the revision is known, nothing of any other goes out.
      const later = wire.sent("client", "tools/list").map(({ params }) => JSON.stringify(params ?? {}));
      assert.equal(
        later.every((text) => text.includes("protocolVersion") === (lifecycle === "stateless")),
        true,
      );
      end();
    });
  }

  it("speaks the newest with a server of all revisions, by one question [M-VER-004]", async () => {
    const { fetch, log, end } = serve({});
    assert.equal(await usedWith(fetch), latestStateless.id);
    assert.deepEqual(log(), ["POST server/discover", "POST tools/list"]);
    end();
  });

  it("reaches a server of the first transport by two questions and a stream [M-VER-017] [O24-011] [O0326-015] [OLEG-012]", async () => {
    const { fetch, log, wire, end } = serveOld();
    assert.equal(await usedWith(fetch, "http://localhost/sse"), latestHandshake.id);
    assert.deepEqual(log().slice(0, 5), [
      "POST server/discover",
      "POST initialize",
      "GET",
      "POST initialize",
      "POST notifications/initialized",
    ]);
    assert.ok(wire.http.slice(2).every(({ headers }) => !("mcp-session-id" in headers)));
    end();
  });

  it("is told what came out the last time, which saves the question; no longer true, it costs one [M-VER-009]", async () => {
    const older = serve({ revisions: [latestHandshake.id] });
    const told: string[] = [];
    const open = async (fetch: Fetch, negotiated?: string): Promise<string> => {
      const onNegotiated = (revision: string) => void told.push(revision);
      const client = await connect(url, { negotiated, onNegotiated, http: { fetch, standingStream: false } });
      await client.close();
      return client.server.revision;
    };
    await open(older.fetch);
    const count = older.log().length;
    await open(older.fetch, told[0]);
    assert.equal(older.log()[count], "POST initialize");
    older.end();
    const newer = serve({ revisions: [latestStateless.id] });
    assert.equal(await open(newer.fetch, told[0]), latestStateless.id);
    assert.deepEqual(newer.log(), ["POST initialize", "POST server/discover"]);
    newer.end();
  });

  const foreign: readonly (readonly [string, HttpAnswer])[] = [
    ["400 in words of its own", () => new Response("Bad Request: No session", { status: 400 })],
    ["400 and -32000", ({ id }) => failure(400, id, { code: -32_000, message: "Server not initialized" })],
    ["404 and -32601", ({ id }) => failure(404, id, { code: -32_601, message: "Method not found" })],
    ["200 and -32601", ({ id }) => failure(200, id, { code: -32_601, message: "Method not found" })],
    ["406 and nothing", () => new Response(null, { status: 406 })],
  ];
  for (const [what, discover] of foreign) {
    it(`shakes hands with a foreign server that answers the question with ${what} [M-VER-013] [M-VER-016]`, async () => {
      const http = new FakeHttp({
        "server/discover": discover,
        initialize: ({ params }) => ({
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: "foreign", version: "1" },
        }),
        "tools/list": () => ({ tools: [{ name: "only", inputSchema: { type: "object" } }] }),
      });
      assert.equal(await usedWith(http.fetch), latestHandshake.id);
      const question = ["POST server/discover", "POST initialize", "POST notifications/initialized", "POST tools/list"];
      assert.deepEqual(http.log.slice(0, 4), question);
    });
  }

  for (const status of [401, 403, 429, 500, 502, 503]) {
    it(`takes ${status} for what it is, not for an old server, however it is reached [M-VER-018] [M-ERR-011]`, async () => {
      const http = new FakeHttp({ "server/discover": () => new Response("no", { status }), GET: () => assert.fail() });
      const refused = connect(url, { http: { fetch: http.fetch, retry: false } });
      await assert.rejects(refused, { code: "MCP_HTTP", status });
      assert.deepEqual(http.log, ["POST server/discover"]);
      const known = new FakeHttp({ initialize: () => new Response("no", { status }), GET: () => assert.fail() });
      const options = { negotiated: latestHandshake.id, http: { fetch: known.fetch, retry: false as const } };
      await assert.rejects(connect(url, options), { code: "MCP_HTTP", status });
      assert.deepEqual(known.log, ["POST initialize"]);
    });
  }

  it("takes a broken network for what it is [M-VER-018]", async () => {
    let count = 0;
    const fetch: Fetch = () => {
      count += 1;
      return Promise.reject(new TypeError("getaddrinfo ENOTFOUND"));
    };
    await assert.rejects(connect(url, { http: { fetch, retry: false } }), { code: "MCP_CLOSED" });
    assert.equal(count, 1);
  });

  it("names all that was tried when nothing worked, and both lists when nothing is in common [M-VER-002] [M-VER-019]", async () => {
    const nothing = new FakeHttp({
      "server/discover": () => new Response("no discovery", { status: 404 }),
      initialize: () => new Response("no handshake", { status: 404 }),
      GET: () => new Response("no stream", { status: 405 }),
    });
    await assert.rejects(connect(url, { http: { fetch: nothing.fetch } }), (error: McpError) => {
      for (const word of ["server/discover", "no discovery", "no handshake", "HTTP+SSE", "405"]) {
        assert.ok(error.message.includes(word), `${word} is not in: ${error.message}`);
      }
      return true;
    });
    const supported = ["2099-01-01", "2098-01-01"];
    const future = new FakeHttp({
      "server/discover": ({ id }) =>
        failure(400, id, { code: -32_022, message: "no", data: { supported, requested: latestStateless.id } }),
    });
    await assert.rejects(connect(url, { http: { fetch: future.fetch } }), (error: McpError) => {
      assert.equal(error.code, "MCP_UNSUPPORTED_REVISION");
      assert.deepEqual((error as unknown as { supported: unknown }).supported, supported);
      assert.match(error.message, new RegExp(`2099-01-01.*${latestStateless.id}`));
      return true;
    });
    assert.deepEqual(future.log, ["POST server/discover"]);
  });
});

/** What a program started and read so far. */
function notebook(context: TestContext): { readonly path: string; lines(): string[] } {
  const folder = mkdtempSync(join(tmpdir(), "parley-era-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "log");
  return { path, lines: () => readFileSync(path, "utf8").trim().split("\n") };
}

describe("connecting to a program", () => {
  const manners: readonly (readonly [manner: string, revision: string, before: readonly string[]])[] = [
    ["refuses", "2025-06-18", ["start", "server/discover"]],
    ["is-strange", "2025-03-26", ["start", "server/discover"]],
    ["keeps-silent", "2024-11-05", ["start", "server/discover"]],
    ["ends", "2025-11-25", ["start", "server/discover", "start"]],
  ];
  for (const [manner, revision, before] of manners) {
    it(`reaches one of ${revision} that ${manner.replace("-", " ")}, by one question or process more [M-VER-010] [M-VER-012] [M-VER-013] [M-VER-014]`, async (context) => {
      const { path, lines } = notebook(context);
      const program = runFixture("era-server.ts", manner, revision, path);
      // Only silence is waited for; a program that is slow to start must not count as silent.
      const options = manner === "keeps-silent" ? { probeTimeoutMs: 200 } : {};
      const client = await within(connectNode(program, options), manner, 20_000);
      assert.equal(client.server.revision, revision);
      assert.deepEqual(
        (await client.listTools().all()).map(({ name }) => name),
        ["only"],
      );
      await client.close();
      assert.deepEqual(lines(), [...before, "initialize", "notifications/initialized", "tools/list"]);
    });
  }
});

describe("connecting over a pipe", () => {
  it("asks our own server once, and stays with it [M-VER-010] [M-VER-011]", async () => {
    const app = createApp();
    const [clientEnd, serverEnd] = createMemoryPair();
    app.serve(serverEnd);
    const client = await connect(clientEnd);
    assert.equal(client.server.revision, latestStateless.id);
    await client.close();
    await app.close();
  });

  it("never falls back from a newer server, whatever it refuses, unless only an older revision is in common [M-VER-011]", async () => {
    for (const code of [-32_020, -32_021]) {
      const server = new FakeServer({
        answers: {
          "server/discover": () => {
            throw new RpcError(code, "no");
          },
        },
      });
      await assert.rejects(connect(server.channel), { rpcCode: code });
      assert.deepEqual(server.methods, ["server/discover"]);
    }
    for (const { id } of handshakeRevisions) {
      const server = new FakeServer({
        answers: {
          "server/discover": () => {
            throw new RpcError(-32_022, "no", { data: { supported: [id], requested: latestStateless.id } });
          },
        },
      });
      const client = await connect(server.channel);
      assert.equal(client.server.revision, id);
      assert.equal(server.paramsOf("initialize")[0]?.protocolVersion, id);
      await client.close();
    }
  });

  it("takes any older revision that a server answers the handshake with, and no unknown one [OLEG-002]", async () => {
    for (const { id } of handshakeRevisions) {
      const client = await connect(new FakeServer({ protocolVersion: id }).channel);
      assert.equal(client.server.revision, id);
      await client.close();
    }
    for (const id of ["1999-01-01", latestStateless.id]) {
      const server = new FakeServer({ protocolVersion: id });
      await assert.rejects(connect(server.channel), { code: "MCP_UNSUPPORTED_REVISION" });
      assert.equal(server.closed, true);
    }
  });
});

// Authorization over HTTP+SSE: the same answers as over Streamable HTTP, and any scheme of one's own.

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { ResourceGuard } from "parley-mcp/auth/resource";
import { connect } from "parley-mcp/connect";
import { createLegacyHttpChannel } from "parley-mcp/http/legacy/client";
import { createLegacyHttpHandler, type LegacyHttpServerOptions } from "parley-mcp/http/legacy/server";
import { createHttpHandler } from "parley-mcp/http/server";
import { defineServer, tool } from "parley-mcp/server";
import { ProtectedServer } from "../fixtures/auth/protected-server.ts";

const app = defineServer({
  name: "demo",
  version: "1.0.0",
  tools: { whoAmI: tool({ description: "Says who calls" }, (_args, ctx) => ctx.auth?.subject ?? "nobody") },
});
const allowedHosts = ["mcp.example"];
const endpoint = "https://mcp.example/mcp";

function serveLegacy(context: TestContext, auth: LegacyHttpServerOptions["auth"]) {
  const handler = createLegacyHttpHandler((channel, { auth: caller }) => app.serve(channel, { auth: caller }), {
    auth,
    allowedHosts,
    streamPath: "/mcp",
  });
  context.after(() => handler.close());
  return handler;
}

describe("HTTP+SSE", () => {
  it("refuses and publishes exactly as Streamable HTTP does [AUTHDRAFT-004]", async (context) => {
    let guard: ResourceGuard | undefined;
    const server = new ProtectedServer(
      (auth) => {
        guard = auth;
        return serveLegacy(context, auth);
      },
      { resource: { scopes: ["mcp"] } },
    );
    const streamable = createHttpHandler(app, { auth: guard, allowedHosts });
    context.after(() => streamable.close());
    const { state } = server.fake;
    const grant = state.begin({ clientId: "c", scopes: [], resource: endpoint, thumbprint: undefined });
    state.accessTokens.set("narrow", { grant, scopes: [], expiresAtMs: Number.POSITIVE_INFINITY });
    const ask = (url: string, headers: Record<string, string>, method = "GET") =>
      new Request(url, { method, headers: { accept: "text/event-stream", ...headers } });
    const describeReply = async (reply: Response) => [
      reply.status,
      reply.headers.get("www-authenticate"),
      await reply.text(),
    ];
    const legacy = serveLegacy(context, guard);
    for (const [headers, status] of [
      [{}, 401],
      [{ authorization: "Bearer wrong" }, 401],
      [{ authorization: "Bearer narrow" }, 403],
      [{ authorization: "Bearer two words" }, 400],
    ] as const) {
      const [old, current] = await Promise.all(
        [legacy, streamable].map(async ({ fetch }) => describeReply(await fetch(ask(endpoint, headers)))),
      );
      assert.deepEqual(old, current);
      assert.equal(old?.[0], status);
    }
    const place = "https://mcp.example/.well-known/oauth-protected-resource/mcp";
    const documents = await Promise.all(
      [legacy, streamable].map(async ({ fetch }) => (await fetch(ask(place, {}))).json()),
    );
    assert.deepEqual(documents[0], documents[1]);
    assert.match(JSON.stringify(documents[0]), /"authorization_servers":\["https:\/\/as\.example"\]/);
  });

  it("has a client log in on 401, and send the token with the stream and each message [O24-024] [AUTHDRAFT-004]", async (context) => {
    const server = new ProtectedServer((auth) => serveLegacy(context, auth));
    const fetch = server.createClient().fetchFor(server.url, server.fetch);
    const session = await connect<typeof app>(createLegacyHttpChannel(server.url, { fetch }), {
      revision: "2024-11-05",
    });
    assert.deepEqual(await session.tools.whoAmI(), [{ type: "text", text: "ada" }]);
    const accepted = server.passed.filter(({ status, url }) => status < 300 && !url.includes(".well-known"));
    assert.deepEqual([...new Set(accepted.map(({ method }) => method))], ["GET", "POST"]);
    assert.ok(accepted.every(({ headers }) => headers.authorization === "Bearer access-1"));
    await session.close();
  });

  it("takes any scheme of one's own, by headers that go with the stream and each message [O24-024]", async (context) => {
    const refusal = { kind: "text", status: 401, headers: {}, body: "" } as const;
    const legacy = serveLegacy(context, {
      authenticate: (request) =>
        request.header("x-api-key") === "blue"
          ? { ok: true, auth: { token: "", clientId: "key", scopes: [], subject: "blue" } }
          : { ok: false, reply: refusal },
    });
    const open = (headers: Record<string, string>) =>
      connect<typeof app>(
        createLegacyHttpChannel(endpoint, { headers, fetch: (url, init) => legacy.fetch(new Request(url, init)) }),
        { revision: "2024-11-05" },
      );
    const session = await open({ "x-api-key": "blue" });
    assert.deepEqual(await session.tools.whoAmI(), [{ type: "text", text: "blue" }]);
    await session.close();
    await assert.rejects(open({ "x-api-key": "red" }), { code: "MCP_HTTP", status: 401 });
  });
});

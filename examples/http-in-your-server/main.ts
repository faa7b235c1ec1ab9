// MCP inside a server that you already have: one route of node:http, and a fetch handler for everything web-standard
// (Hono, Workers, Deno, Bun, Next.js). One definition, both at once; each has its own sessions and limits.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "parley-mcp/connect";
import { createNodeHandler } from "parley-mcp/http/node";
import { createHttpHandler } from "parley-mcp/http/server";
import { defineServer, tool } from "parley-mcp/server";

const app = defineServer({
  name: "inside",
  version: "1.0.0",
  tools: { where: tool({ description: "Says who asks" }, (_args, ctx) => ctx.auth?.subject ?? "nobody in particular") },
});

// #region node
const handler = createHttpHandler(app, {
  sessions: { idleTimeoutMs: 600_000, maxSessions: 500 },
  maxBodyBytes: 1_000_000,
});
const mcp = createNodeHandler(handler);

const server = createServer((request, response) => {
  if (request.url?.startsWith("/mcp")) {
    mcp(request, response); // also as an Express or Fastify route
  } else {
    response.end("the rest of the site");
  }
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
// #endregion

const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const client = await connect<typeof app>(`${url}/mcp`);
assert.deepEqual(await client.tools.where(), [{ type: "text", text: "nobody in particular" }]);
assert.equal(await (await fetch(url)).text(), "the rest of the site");
assert.equal(handler.stats().sessions, 0); // sessions are for clients of older revisions

// Pages of other sites are refused before anything else is looked at.
const foreign = await fetch(`${url}/mcp`, { method: "POST", headers: { origin: "https://evil.example" } });
assert.equal(foreign.status, 403);
await client.close();

// #region fetch
const web = createHttpHandler(app, {
  allowedHosts: ["mcp.example.com"],
  allowedOrigins: ["https://app.example.com"],
  sessions: false, // every request stands for itself, on any instance
  auth: {
    authenticate: (request) =>
      request.header("authorization") === "Bearer for-this-example-only"
        ? { ok: true, auth: { token: "for-this-example-only", clientId: "cli", scopes: [], subject: "ada" } }
        : { ok: false, reply: { kind: "text", status: 401, headers: { "www-authenticate": "Bearer" }, body: "" } },
  },
});
// Hono: hono.all("/mcp", (c) => web.fetch(c.req.raw));   Workers, Deno, Bun: export default { fetch: web.fetch };
// #endregion

const remote = await connect<typeof app>("https://mcp.example.com/mcp", {
  http: {
    headers: { authorization: "Bearer for-this-example-only" },
    fetch: (address, init) => web.fetch(new Request(address, init)), // instead of a network
  },
});
assert.deepEqual(await remote.tools.where(), [{ type: "text", text: "ada" }]);
await remote.close();

handler.close();
web.close();
server.close();
server.closeAllConnections();

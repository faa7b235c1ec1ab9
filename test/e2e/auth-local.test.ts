// Authorization on one machine: programs get what they need from their environment, and local ports can be kept to those
// who have a token or the right to a socket.

import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, request } from "node:http";
import { join, relative } from "node:path";
import { describe, it } from "node:test";
import { createOAuthClient, type Grant } from "parley-mcp/auth/client";
import { connect } from "parley-mcp/connect/node";
import { createNodeHandler } from "parley-mcp/http/node";
import { createHttpHandler } from "parley-mcp/http/server";
import { serve } from "parley-mcp/serve";
import { defineServer, tool } from "parley-mcp/server";
import { root } from "../../scripts/files.ts";
import { createFolder, sourceArgs } from "../fixtures/programs.ts";

const program = `
import { defineServer, tool } from "parley-mcp/server";
export default defineServer({
  name: "local",
  version: "1.0.0",
  tools: {
    key: tool({}, () => process.env.API_KEY ?? "none"),
    other: tool({}, () => process.env.PARLEY_TEST_SECRET ?? "none"),
  },
});
`;

const app = defineServer({ name: "local", version: "1.0.0", tools: { hello: tool({}, () => "hello") } });

describe("a server that is a program", () => {
  it("gets its credentials from its environment, and is never logged in to [AUTH-002]", async (context) => {
    const folder = createFolder(context, {
      "app.mjs": program,
      "main.mjs": 'import { serve } from "parley-mcp/serve"; import app from "./app.mjs"; await serve(app);',
    });
    const never = (): never => assert.fail("somebody wanted to log in");
    const grant: Grant = { type: "none", isInteractive: false, obtain: never };
    const auth = createOAuthClient({ grant, fetch: never });
    process.env.PARLEY_TEST_SECRET = "of the host";
    context.after(() => delete process.env.PARLEY_TEST_SECRET);
    const args = sourceArgs(relative(root, join(folder, "main.mjs")));
    const session = await connect({ command: process.execPath, args, env: { API_KEY: "for this server" } }, { auth });
    const textOf = async (name: string) => (await session.callTool(name, {})).content;
    assert.deepEqual(await textOf("key"), [{ type: "text", text: "for this server" }]);
    assert.deepEqual(await textOf("other"), [{ type: "text", text: "none" }]);
    await session.close();
    assert.deepEqual(auth.explain("https://nobody.example/mcp"), []);
  });
});

describe("a local server over HTTP", () => {
  it("lets in only who has its token [SEC-023]", async (context) => {
    const token = crypto.randomUUID();
    const auth = {
      authenticate: (request: { header(name: string): string | undefined }) =>
        request.header("authorization") === `Bearer ${token}`
          ? ({ ok: true, auth: { token, clientId: "host", scopes: [] } } as const)
          : ({ ok: false, reply: { kind: "text", status: 401, headers: {}, body: "" } } as const),
    };
    const served = await serve(app, { http: { port: 0, auth }, ownsProcess: false, print: () => undefined });
    context.after(() => served.close());
    const url = served.url ?? "";
    await assert.rejects(connect(url), { code: "MCP_HTTP", status: 401 });
    const session = await connect<typeof app>(url, { http: { headers: { authorization: `Bearer ${token}` } } });
    assert.deepEqual(await session.tools.hello(), [{ type: "text", text: "hello" }]);
    await session.close();
  });

  it("listens on a socket of the file system, which has permissions [SEC-023]", {
    skip: process.platform === "win32",
  }, async (context) => {
    const socketPath = join(createFolder(context, {}), "mcp.sock");
    const handler = createHttpHandler(app);
    const server = createServer(createNodeHandler(handler)).listen(socketPath);
    await once(server, "listening");
    context.after(() => {
      handler.close();
      server.close();
      server.closeAllConnections();
    });
    const session = await connect<typeof app>("http://localhost/mcp", {
      http: { fetch: (url, init) => fetchOver(socketPath, url, init) },
    });
    assert.deepEqual(await session.tools.hello(), [{ type: "text", text: "hello" }]);
    await session.close();
  });
});

/** One request over a socket. */
async function fetchOver(
  socketPath: string,
  url: string,
  { method, headers, body }: { method: string; headers: Record<string, string>; body?: string | undefined },
): Promise<Response> {
  const sent = request(url, { socketPath, method, headers });
  sent.end(body);
  const [reply] = await once(sent, "response");
  const parts: Buffer[] = [];
  for await (const part of reply) {
    parts.push(part);
  }
  const { statusCode: status, headers: received } = reply;
  return new Response(Buffer.concat(parts), { status, headers: { "content-type": received["content-type"] ?? "" } });
}

// HTTP+SSE against the official SDK 1.x over real sockets: its client at our server, our client at its server.

import assert from "node:assert/strict";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { SSEServerTransport } from "@modelcontextprotocol/sdk/server/sse.js";
import { ListRootsRequestSchema } from "@modelcontextprotocol/sdk/types.js";
import { connect } from "parley-mcp/connect";
import { createCompatibleHttpLink, createLegacyHttpChannel } from "parley-mcp/http/legacy/client";
import { createLegacyHttpHandler } from "parley-mcp/http/legacy/server";
import { createNodeHandler } from "parley-mcp/http/node";
import { defineServer, tool } from "parley-mcp/server";
import { z } from "zod";

/** Runs something against a server on a port of its own. */
async function withServer(
  listener: RequestListener,
  run: (url: string, server: Server) => Promise<void>,
): Promise<void> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await run(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, server);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** A server of the official SDK with the old transport alone. */
function createOfficialServer(): { readonly listener: RequestListener; readonly log: string[] } {
  const transports = new Map<string, SSEServerTransport>();
  const log: string[] = [];
  const serve: RequestListener = async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    log.push(`${request.method} ${pathname}`);
    if (request.method === "GET" && pathname === "/sse") {
      const transport = new SSEServerTransport("/messages", response);
      transports.set(transport.sessionId, transport);
      const server = new McpServer({ name: "official", version: "1.0.0" });
      server.registerTool("add", { inputSchema: { a: z.number(), b: z.number() } }, ({ a, b }) => ({
        content: [{ type: "text", text: String(a + b) }],
      }));
      server.registerTool("roots", {}, async () => {
        const { roots } = await server.server.listRoots();
        return { content: [{ type: "text", text: roots.map(({ uri }) => uri).join() }] };
      });
      await server.connect(transport);
    } else if (request.method === "POST" && pathname === "/messages") {
      await transports.get(searchParams.get("sessionId") ?? "")?.handlePostMessage(request, response);
    } else {
      response.writeHead(pathname === "/sse" ? 405 : 404).end("nothing here");
    }
  };
  return { listener: (request, response) => void serve(request, response), log };
}

describe("parley-mcp/http/legacy/client against the official SDK's server", () => {
  const client = { name: "parley", version: "1", roots: [{ uri: "file:///work" }] };

  it("calls tools and answers requests [O24-001] [O24-003] [O24-004] [O24-007]", async () => {
    const { listener } = createOfficialServer();
    await withServer(listener, async (url) => {
      const session = await connect(createLegacyHttpChannel(`${url}/sse`), { client });
      const sums = await Promise.all([1, 2, 3].map((a) => session.callTool("add", { a, b: 1 })));
      assert.deepEqual(
        sums.map(({ content }) => content),
        ["2", "3", "4"].map((text) => [{ type: "text", text }]),
      );
      assert.deepEqual((await session.callTool("roots", {})).content, [{ type: "text", text: "file:///work" }]);
      await session.close();
    });
  });

  it("is found by a client that tries Streamable HTTP first [O24-011] [HTTP-053]", async () => {
    const { listener, log } = createOfficialServer();
    await withServer(listener, async (url) => {
      const link = createCompatibleHttpLink(`${url}/sse`);
      const session = await connect(link, { client });
      assert.deepEqual((await session.callTool("add", { a: 2, b: 2 })).content, [{ type: "text", text: "4" }]);
      assert.equal(link.transport, "legacy");
      // The question, the handshake, and then the way that older clients take.
      assert.deepEqual(log.slice(0, 4), ["POST /sse", "POST /sse", "GET /sse", "POST /messages"]);
      await session.close();
    });
  });

  it("ends with the connection, and connects again [O24-010]", async () => {
    const { listener } = createOfficialServer();
    await withServer(listener, async (url, server) => {
      const session = await connect(createLegacyHttpChannel(`${url}/sse`), { client });
      server.closeAllConnections();
      assert.equal((await session.closed)?.code, "MCP_CLOSED");
      const again = await connect(createLegacyHttpChannel(`${url}/sse`), { client });
      await again.callTool("add", { a: 1, b: 1 });
      await again.close();
    });
  });
});

describe("parley-mcp/http/legacy/server against the official SDK's client", () => {
  it("serves tools, asks the client, and notices that it left [HTTP-052] [O24-001] [O24-002] [O24-003] [O24-009]", async () => {
    const app = defineServer({
      name: "demo",
      version: "1.0.0",
      tools: {
        add: tool({ input: z.object({ a: z.number(), b: z.number() }) }, ({ a, b }) => String(a + b)),
        roots: tool({}, async (_, ctx) => (await ctx.roots()).map(({ uri }) => uri).join()),
      },
    });
    const handler = createLegacyHttpHandler((channel) => app.serve(channel));
    await withServer(createNodeHandler(handler), async (url) => {
      const client = new Client({ name: "official", version: "1.0.0" }, { capabilities: { roots: {} } });
      client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: "file:///official" }] }));
      await client.connect(new SSEClientTransport(new URL(`${url}/sse`)));
      const { tools } = await client.listTools();
      assert.deepEqual(tools.map(({ name }) => name).sort(), ["add", "roots"]);
      const sum = await client.callTool({ name: "add", arguments: { a: 40, b: 2 } });
      assert.deepEqual(sum.content, [{ type: "text", text: "42" }]);
      const roots = await client.callTool({ name: "roots", arguments: {} });
      assert.deepEqual(roots.content, [{ type: "text", text: "file:///official" }]);
      const [session] = app.sessions;
      const left = new Promise((resolve) => session?.signal.addEventListener("abort", resolve));
      await client.close();
      await left;
      assert.equal(handler.stats().sessions, 0);
      handler.close();
    });
  });
});

/** The link against real sockets: what a fake `fetch` cannot show. */
import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, it } from "node:test";
import { alone } from "../../../test/fixtures/http/fake-endpoint.ts";
import { createDeferred } from "../../base/deferred.ts";
import { ClosedError } from "../../base/error.ts";
import { createHttpLink, type HttpLink } from "./link.ts";
import type { HttpClientOptions } from "./options.ts";

type Serve = (request: IncomingMessage, response: ServerResponse, message: { id?: number; method?: string }) => void;

async function readBody(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += chunk;
  }
  return text;
}

/** Runs a link against a server, and both down again. */
async function withServer(
  serve: Serve,
  run: (link: HttpLink, server: Server) => Promise<void>,
  options: HttpClientOptions = {},
): Promise<void> {
  const server = createServer((request, response) => {
    void readBody(request).then((text) => serve(request, response, text === "" ? {} : JSON.parse(text)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const link = createHttpLink(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, options);
  await link.start({ dispatch: async () => undefined });
  try {
    await run(link, server);
  } finally {
    await link.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

function openStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
}

const resultOf = (id: number | undefined): string => JSON.stringify({ jsonrpc: "2.0", id, result: { text: "\u20ac" } });

describe("createHttpLink over real sockets", () => {
  it("resumes a stream whose socket was cut, and the request runs once [HTTP-023] [HTTP-036]", async () => {
    const methods: string[] = [];
    await withServer(
      (request, response, { id, method }) => {
        methods.push(`${request.method} ${method ?? request.headers["last-event-id"]}`);
        openStream(response);
        if (method !== undefined) {
          response.write(`id: 7\nretry: 1\ndata:\n\n: ${id}\n\n`, () => response.socket?.destroy());
        } else {
          response.end(`data: ${resultOf(0)}\n\n`);
        }
      },
      async (link) => {
        assert.deepEqual(await link.request({ method: "tools/call" }), { text: "\u20ac" });
        assert.deepEqual(methods, ["POST tools/call", "GET 7"]);
      },
    );
  });

  it("keeps one connection for calls that follow each other", async () => {
    const sockets = new Set<unknown>();
    await withServer(
      (request, response, { id, method }) => {
        sockets.add(request.socket);
        if (method === "note") {
          response.writeHead(202).end("taken");
        } else if (method === "stream") {
          openStream(response);
          response.end(`data: ${resultOf(id)}\n\n`);
        } else {
          response.writeHead(200, { "content-type": "application/json" }).end(resultOf(id));
        }
      },
      async (link) => {
        for (let round = 0; round < 5; round += 1) {
          await link.request({ method: "json" });
          await link.notify({ method: "note" });
          await link.request({ method: "stream" });
        }
        assert.ok(sockets.size <= 2, `${sockets.size} connections`);
      },
    );
  });

  it("closes the socket of a call that is given up", async () => {
    const opened = createDeferred();
    const gone = createDeferred();
    const cancelled = createDeferred();
    await withServer(
      (_request, response, { method }) => {
        if (method === "notifications/cancelled") {
          response.writeHead(202).end();
          cancelled.resolve();
          return;
        }
        response.on("close", gone.resolve);
        openStream(response);
        opened.resolve();
      },
      async (link) => {
        const controller = new AbortController();
        const result = assert.rejects(link.request({ method: "slow" }, { signal: controller.signal }), {
          name: "AbortError",
        });
        await opened.promise;
        controller.abort();
        await result;
        await Promise.all([gone.promise, cancelled.promise]);
      },
    );
  });

  it("closes the socket of a call that stands for itself, which is all that the server is told [M-HTTP-004]", async () => {
    for (const streams of [true, false]) {
      const methods: (string | undefined)[] = [];
      const opened = createDeferred();
      const gone = createDeferred();
      await withServer(
        (_request, response, { method }) => {
          methods.push(method);
          response.on("close", gone.resolve);
          if (streams) {
            openStream(response);
          }
          opened.resolve();
        },
        async (link) => {
          const controller = new AbortController();
          const result = assert.rejects(link.request(alone("tools/call"), { signal: controller.signal }), {
            name: "AbortError",
          });
          await opened.promise;
          controller.abort();
          await result;
          await gone.promise;
          await link.close();
          assert.deepEqual(methods, ["tools/call"]);
        },
      );
    }
  });

  it("leaves no socket when it is closed, though the server never answers [PP-038]", async () => {
    const received = createDeferred();
    const gone = createDeferred();
    await withServer(
      (request) => {
        request.socket.on("close", () => gone.resolve());
        received.resolve();
      },
      async (link) => {
        const result = assert.rejects(link.request({ method: "initialize" }), ClosedError);
        await received.promise;
        await link.close();
        await result;
        await gone.promise;
      },
    );
  });

  it("says that nobody listens", async () => {
    await withServer(
      () => undefined,
      async (link, server) => {
        await new Promise((resolve) => server.close(resolve));
        await assert.rejects(link.request({ method: "initialize" }), { code: "MCP_CLOSED", message: /ECONNREFUSED/ });
      },
    );
  });

  it("does not follow a redirect to another origin with what it carries [PP-100]", async () => {
    const hits: string[] = [];
    await withServer(
      (_request, response) => {
        hits.push("first");
        response.writeHead(307, { location: "http://127.0.0.1:1/mcp" }).end();
      },
      async (link) => {
        await assert.rejects(link.request({ method: "initialize" }), { code: "MCP_HTTP", status: 307 });
        assert.deepEqual(hits, ["first"]);
      },
      { headers: { authorization: "Bearer token-1" } },
    );
  });
});

/**
 * Entry "./http/node": the HTTP server on `node:http`, without building a `Request` or a `Response`.
 *
 * `createNodeHandler` fits into any server, framework or `node:http2`; `listen` starts a server of its own.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { ClosedError, UsageError } from "../../base/error.ts";
import type { McpDispatcher } from "../../revision/exchange.ts";
import { toPath } from "../message.ts";
import { createHttpHandler, type HttpHandler } from "../server/handler.ts";
import type { HttpServerOptions } from "../server/options.ts";
import { createRefusal } from "../status.ts";
import { writeReply } from "./reply.node.ts";
import { NodeRequest } from "./request.node.ts";

/** A request listener of `node:http`. Never throws, and leaves no rejected promise. */
export type NodeHandler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Makes a request listener of a server definition or of an HTTP handler. It serves every path it is given.
 *
 * @param target - a definition; or a handler, which can be closed and asked for its statistics
 * @param options - for a definition; a handler has its own
 * @throws UsageError for options that make no sense
 * @example
 * ```ts
 * import { createServer } from "node:http";
 * import { createNodeHandler } from "parley-mcp/http/node";
 * import { defineServer } from "parley-mcp/server";
 *
 * const app = defineServer({ name: "demo", version: "1.0.0" });
 * createServer(createNodeHandler(app)).listen(3000, "127.0.0.1");
 * ```
 */
export function createNodeHandler(target: McpDispatcher | HttpHandler, options: HttpServerOptions = {}): NodeHandler {
  const { handle } = toHandler(target, options);
  return (request, response) => {
    request.on("error", ignoreError);
    response.on("error", ignoreError);
    handle(new NodeRequest(request, response)).then(
      (reply) => {
        try {
          writeReply(response, reply);
        } catch {
          // Headers that were sent by somebody else: the answer cannot be given, and the client must not wait for it.
          response.destroy();
        }
      },
      () => response.destroy(),
    );
  };
}

/** Options of {@link listen}. */
export interface ListenOptions extends HttpServerOptions {
  /** Default 0: a free port. */
  port?: number | undefined;
  /** Address to listen on. Default `127.0.0.1`: this machine only. For another, set `allowedHosts` too. */
  host?: string | undefined;
  /** Path of the endpoint. Default `/mcp`. */
  path?: string | undefined;
}

/** A server that listens. */
export interface HttpListener {
  /** Where clients connect. */
  readonly url: string;
  readonly port: number;
  readonly server: Server;
  readonly handler: HttpHandler;
  /**
   * Stops listening and ends everything that is open here; resolves when every connection has ended, and what other nodes
   * need is in the store. See {@link HttpHandler.close}.
   *
   * @param reason - what signals abort with
   */
  close(reason?: unknown): Promise<void>;
}

/** How long connections get to take the end of their replies, in milliseconds, and how often they are looked at. */
const closeGraceMs = 1_000;
const closeStepMs = 20;

/**
 * Starts a server, on loopback unless told otherwise. Specification: Basic > Transports > Security warning [HTTP-004].
 *
 * @param target - a definition, or a handler with options of its own
 * @throws UsageError when the address cannot be had, and for a port that can be none
 * @example
 * ```ts
 * import { listen } from "parley-mcp/http/node";
 * import { defineServer } from "parley-mcp/server";
 *
 * const app = defineServer({ name: "demo", version: "1.0.0" });
 * const listener = await listen(app, { port: 3000 });
 * process.stderr.write(`${listener.url}\n`);
 * ```
 */
export async function listen(target: McpDispatcher | HttpHandler, options: ListenOptions = {}): Promise<HttpListener> {
  const { port = 0, host = "127.0.0.1", path = "/mcp", ...serverOptions } = options;
  // Node takes a text that is no number for the name of a pipe.
  if (!(Number.isInteger(port) && port >= 0 && port <= 65_535)) {
    throw new UsageError(`port: expected a whole number from 0 to 65535, got ${port}`);
  }
  const handler = toHandler(target, serverOptions);
  const serve = createNodeHandler(handler);
  const server = createServer((request, response) => {
    const asked = toPath(request.url ?? "/");
    if (asked === path || handler.documentPaths.includes(asked)) {
      serve(request, response);
    } else {
      response.on("error", ignoreError);
      writeReply(response, createRefusal("notFound", `there is no MCP endpoint here; it is at ${path}`));
    }
  });
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => reject(toListenError(error, host, port)));
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${address.port}${path}`,
    port: address.port,
    server,
    handler,
    close: async (reason = new ClosedError("the server was stopped")) => {
      handler.close(reason);
      await Promise.all([handler.closed, closeServer(server, sockets)]);
    },
  };
}

function closeServer(server: Server, sockets: Iterable<Socket>): Promise<void> {
  return new Promise((resolve) => {
    let leftMs = closeGraceMs;
    // Clients open connections to have them at hand. One that never carried a request counts as busy for node.
    for (const socket of sockets) {
      if (socket.bytesRead === 0) {
        socket.destroy();
      }
    }
    // Connections become idle one after the other, as each has taken the end of its reply.
    const timer = setInterval(() => {
      leftMs -= closeStepMs;
      if (leftMs > 0) {
        server.closeIdleConnections();
      } else {
        server.closeAllConnections();
      }
    }, closeStepMs);
    timer.unref();
    // The only error is that the server was closed before, which is what is wanted.
    server.close(() => {
      clearInterval(timer);
      resolve();
    });
  });
}

function toHandler(target: McpDispatcher | HttpHandler, options: HttpServerOptions): HttpHandler {
  return "handle" in target ? target : createHttpHandler(target, options);
}

function toListenError(error: NodeJS.ErrnoException, host: string, port: number): UsageError {
  const where = `port ${port} on ${host}`;
  const message =
    error.code === "EADDRINUSE"
      ? `${where} is in use by another program: choose another port, or 0 for a free one`
      : `cannot listen on ${where}: ${error.message}`;
  return new UsageError(message, { cause: error });
}

/** Whatever happens to a connection, the reply's owner learns by its end; an error has nobody else to go to. */
function ignoreError(): undefined {
  return undefined;
}

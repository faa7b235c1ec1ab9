/**
 * The ways to reach a server without leaving the process: what a test should hold over each of them.
 *
 * HTTP runs through its real handler and its real client, joined by a `fetch` that opens no socket.
 */
import type { Client } from "../client/client.ts";
import type { ClientOptions } from "../client/options.ts";
import type { ClientSession } from "../client/sessions/session.ts";
import { type ConnectOptions, connect } from "../connect/connect.ts";
import { createHttpHandler } from "../http/server/handler.ts";
import type { HttpServerOptions } from "../http/server/options.ts";
import type { Server } from "../server/server.ts";

/** One way to reach a server. */
export type Way = "memory" | "http" | "http-stream" | "http-stateless";

/**
 * All ways. `http-stateless` has no sessions, so nothing can be asked of the client there.
 *
 * @example
 * ```ts
 * import { ways } from "parley-mcp/test";
 *
 * // For tests in which the server asks the client something.
 * export const askingWays = ways.filter((way) => way !== "http-stateless");
 * ```
 */
export const ways: readonly Way[] = ["memory", "http", "http-stream", "http-stateless"];

const serverOptions: { readonly [way in Exclude<Way, "memory">]: HttpServerOptions } = {
  http: {},
  "http-stream": { response: "stream" },
  "http-stateless": { sessions: false },
};

/**
 * Connects to a definition in one of the ways. Closing the session closes all that was opened for it.
 *
 * @param client - who connects; default a client that serves nothing
 * @example
 * ```ts
 * import { defineServer } from "parley-mcp/server";
 * import { connectBy, ways } from "parley-mcp/test";
 *
 * const app = defineServer({ name: "demo", version: "1.0.0" });
 * for (const way of ways) {
 *   const client = await connectBy(way, app);
 *   await client.ping();
 *   await client.close();
 * }
 * ```
 */
export async function connectBy<App extends Server>(
  way: Way,
  app: App,
  client?: Client | ClientOptions,
): Promise<ClientSession<App>> {
  const options: ConnectOptions = { client };
  if (way === "memory") {
    return connect(app, options);
  }
  const handler = createHttpHandler(app, serverOptions[way]);
  const session = await connect<App>("http://localhost/mcp", {
    ...options,
    http: { fetch: (url, init) => handler.fetch(new Request(url, init)) },
  });
  void session.closed.then(() => handler.close());
  return session;
}

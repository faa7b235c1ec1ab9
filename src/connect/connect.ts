/**
 * Entry "./connect": a URL, a server definition, a link or a channel becomes a session.
 *
 * The portable half. Commands and files are connect.node.ts.
 */
import type { OAuthClient } from "../auth/client/oauth-client.ts";
import type { Client } from "../client/client.ts";
import type { ClientOptions } from "../client/options.ts";
import type { ConnectOptions as SessionOptions } from "../client/sessions/connect.ts";
import type { ClientSession } from "../client/sessions/session.ts";
import type { CompatibleHttpOptions } from "../http/legacy/client.ts";
import { describeOpening, explainOpening } from "./open-error.ts";
import { reach, resolveClient, type Servable, type Target } from "./target.ts";

/** Options of `connect`. */
export interface ConnectOptions extends SessionOptions {
  /** Who connects: a definition, or its options. Default: a client named `parley` that serves nothing. */
  client?: Client | ClientOptions | undefined;
  /** For URLs: headers, `fetch`, how streams are reconnected. */
  http?: CompatibleHttpOptions | undefined;
  /**
   * For URLs: logs in where a server asks for it, with what `createOAuthClient` of `parley-mcp/auth/client` made, or
   * `createLogin` of `parley-mcp/auth/client/node`. Specification: Basic > Authorization.
   */
  auth?: OAuthClient | undefined;
}

/**
 * Opens a session with a server.
 *
 * @param target - the URL of an MCP endpoint, a server definition in this process, a link, or a channel
 * @throws {@link UsageError} for what is none of these; {@link TimeoutError} after `connectTimeoutMs`; what the link
 * throws. Everything opened has been closed by then.
 * @example
 * ```ts
 * import { connect } from "parley-mcp/connect";
 *
 * export async function listTools(url: string): Promise<string[]> {
 *   const client = await connect(url);
 *   try {
 *     const names: string[] = [];
 *     for await (const tool of client.listTools()) {
 *       names.push(tool.name);
 *     }
 *     return names;
 *   } finally {
 *     await client.close();
 *   }
 * }
 * ```
 */
export function connect<App extends Servable>(target: App, options?: ConnectOptions): Promise<ClientSession<App>>;
export function connect<App = unknown>(target: Target, options?: ConnectOptions): Promise<ClientSession<App>>;
export async function connect<App>(target: Target, options: ConnectOptions = {}): Promise<ClientSession<App>> {
  const { client, http, auth, ...session } = options;
  const { link, ...known } = reach(target, { http, auth });
  try {
    return await resolveClient(client).connect<App>(link, { ...known, ...session });
  } catch (error) {
    throw explainOpening(error, describeOpening(target));
  }
}

/**
 * The OAuth client of an application: one for all its servers, which it keeps apart.
 *
 * Joins what each server needs; how tokens are kept and used is server-authorization.ts and authorized-fetch.ts.
 * Specification: Basic > Authorization.
 */
import { UsageError } from "../../base/error.ts";
import { Lru } from "../../base/lru.ts";
import { parseUrl } from "../../base/url.ts";
import type { Fetch } from "../fetch.ts";
import { CompletionContext, isDenial } from "./access/completion.ts";
import { ServerAccess, SharedParts } from "./access/server-access.ts";
import { canonicalResource } from "./discovery/resource-metadata.ts";
import { assertScopes, type OAuthClientOptions, type ResolvedOAuthOptions, resolveOAuthOptions } from "./options.ts";
import type { AuthorizationStep } from "./record.ts";

/** Most servers that are remembered. One that is in use stays in use when it is forgotten here. */
const maxServers = 1_000;

/** A wait that can be given up. */
export interface OAuthCallOptions {
  /** Gives up. */
  signal?: AbortSignal | undefined;
}

/**
 * Gets, keeps and sends the tokens of MCP servers. Made by {@link createOAuthClient}.
 * Specification: Basic > Authorization.
 *
 * @example
 * ```ts
 * import type { OAuthClient } from "parley-mcp/auth/client";
 *
 * // For an authorization page of the application's own, after its redirect address was visited.
 * export async function finishLogin(client: OAuthClient, callbackUrl: string): Promise<string> {
 *   const { server } = await client.complete(callbackUrl);
 *   return server;
 * }
 * ```
 */
export interface OAuthClient {
  /** What to announce among the client's extensions: that of the grant, where it belongs to one. */
  readonly extensions: { readonly [name: string]: Record<string, never> };
  /**
   * Wraps a `fetch` for one server. Its token goes to the server's origin alone, in the `authorization` header, where it
   * takes the place of a configured one, and never by plain `http:` to another machine: a server there that wants
   * authorization is refused before anybody logs in. Tokens that are about to end are renewed; a refused request is repeated with
   * others where that may help.
   *
   * The result rejects with `AuthorizationError`, with `AuthorizationRequiredError` where a person has to go to a page
   * first, with the signal's reason, and with what `fetch` rejects with.
   *
   * @param server - the URL of the MCP endpoint
   * @param fetch - sends the requests. Default the global `fetch`, looked up at each request
   * @throws {@link UsageError} where `server` is no URL that can be used
   */
  fetchFor(server: string | URL, fetch?: Fetch): Fetch;
  /**
   * Logs in without waiting for a refusal. Nothing is sent to the server but the question for its metadata. What was
   * denied, or tried too often, may be tried again afterwards.
   *
   * @param options - `scopes`: to be asked for beside those configured
   * @throws `AuthorizationError`; `AuthorizationRequiredError`; the signal's reason; {@link UsageError}
   */
  login(server: string | URL, options?: OAuthCallOptions & { scopes?: readonly string[] | undefined }): Promise<void>;
  /**
   * Ends the login that an `AuthorizationRequiredError` began.
   *
   * @param callbackUrl - the address that the browser was sent back to, with everything that was appended
   * @returns the endpoint that the login is for: calls to it can be made again
   * @throws `AuthorizationError`; the signal's reason; {@link UsageError} where the grant has no logins
   */
  complete(callbackUrl: string, options?: OAuthCallOptions): Promise<{ readonly server: string }>;
  /**
   * Forgets the tokens of a server, of every issuer that it named over time.
   *
   * @param options - `revoke`: whether the authorization server that it names now is told, after that, as far as the grant
   * can. Default false
   * @throws `AuthorizationError` where it could not be told; the signal's reason
   */
  logout(server: string | URL, options?: OAuthCallOptions & { revoke?: boolean | undefined }): Promise<void>;
  /** What was done for a server and what came of it, the oldest first; at most 200 steps. Never holds a secret. */
  explain(server: string | URL): readonly AuthorizationStep[];
  /**
   * Stands for the login whose tokens are in use; `undefined` before there are any. It stays when they are renewed, and is
   * another one after each login: what was cached under the former must not be shown any more.
   */
  grantOf(server: string | URL): string | undefined;
}

/**
 * Makes an OAuth client. Nothing is sent before a server refuses a request or {@link OAuthClient.login} is called.
 *
 * @throws {@link UsageError} where an option cannot work
 *
 * @example
 * ```ts
 * import { createOAuthClient, type Grant } from "parley-mcp/auth/client";
 * import { connect } from "parley-mcp/connect";
 *
 * export async function open(url: string, grant: Grant) {
 *   return await connect(url, { auth: createOAuthClient({ grant }) });
 * }
 * ```
 */
export function createOAuthClient(options: OAuthClientOptions): OAuthClient {
  if (typeof options?.grant?.obtain !== "function") {
    throw new UsageError("createOAuthClient: grant: expected a grant such as authorizationCode(...), got none");
  }
  return new GrantClient(resolveOAuthOptions(options));
}

class GrantClient implements OAuthClient {
  readonly extensions: { readonly [name: string]: Record<string, never> };
  readonly #options: ResolvedOAuthOptions;
  readonly #parts: SharedParts;
  readonly #servers: Lru<ServerAccess>;
  /** Those that a wrapped fetch still uses, so that each server has one owner of its tokens. */
  readonly #living = new Map<string, WeakRef<ServerAccess>>();
  readonly #ended = new FinalizationRegistry<string>((name) => {
    if (this.#living.get(name)?.deref() === undefined) {
      this.#living.delete(name);
    }
  });

  constructor(options: ResolvedOAuthOptions) {
    const { extension } = options.grant;
    this.extensions = extension === undefined ? {} : { [extension]: {} };
    this.#options = options;
    this.#parts = new SharedParts(options);
    this.#servers = new Lru(maxServers, () => options.clock.now());
  }

  fetchFor(server: string | URL, fetch: Fetch = (url, init) => globalThis.fetch(url, init)): Fetch {
    return this.#find(server).wrap(fetch);
  }

  async login(
    server: string | URL,
    { signal, scopes }: OAuthCallOptions & { scopes?: readonly string[] | undefined } = {},
  ): Promise<void> {
    assertScopes(scopes);
    const access = this.#find(server);
    access.stepUps?.clear();
    await access.authorization.logIn(scopes, { signal });
  }

  async complete(callbackUrl: string, { signal }: OAuthCallOptions = {}): Promise<{ readonly server: string }> {
    const { grant } = this.#options;
    if (grant.complete === undefined) {
      throw new UsageError(`complete: the grant ${grant.type} has no logins that end at an address`);
    }
    const giveUp = signal ?? new AbortController().signal;
    const context = new CompletionContext(this.#parts, (server) => this.#find(server), giveUp);
    try {
      const discover = ({ server }: { readonly server: string }) => context.discover(server);
      const { server, tokens } = await grant.complete(callbackUrl, discover, context, giveUp);
      await this.#find(server).adopt(tokens);
      return { server };
    } catch (error) {
      if (isDenial(error)) {
        context.access?.deny(error);
      }
      throw error;
    }
  }

  async logout(
    server: string | URL,
    { signal, revoke = false }: OAuthCallOptions & { revoke?: boolean | undefined } = {},
  ): Promise<void> {
    await this.#find(server).logOut(revoke, signal ?? new AbortController().signal);
  }

  explain(server: string | URL): readonly AuthorizationStep[] {
    return this.#find(server).record.steps;
  }

  grantOf(server: string | URL): string | undefined {
    return this.#find(server).authorization.grantName;
  }

  #find(server: string | URL): ServerAccess {
    const url = resolveServer(server);
    const name = canonicalResource(url);
    const known = this.#servers.get(name);
    if (known !== undefined) {
      return known;
    }
    const access = this.#living.get(name)?.deref() ?? new ServerAccess(url, this.#parts);
    this.#living.set(name, new WeakRef(access));
    this.#ended.register(access, name);
    this.#servers.set(name, access);
    return access;
  }
}

function resolveServer(server: string | URL): URL {
  const url = parseUrl(String(server));
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    throw new UsageError("server: expected the URL of an MCP endpoint, beginning with https: or http:");
  }
  if (url.username !== "" || url.password !== "") {
    throw new UsageError("server: expected a URL without user name and password");
  }
  url.hash = "";
  return url;
}

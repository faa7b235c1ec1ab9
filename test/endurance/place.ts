// Where the processes work: the real authorization server, and a server with one tool that counts who calls it.

import { protectResource } from "parley-mcp/auth/resource";
import { createHttpHandler } from "parley-mcp/http/server";
import { defineServer, tool } from "parley-mcp/server";
import { z } from "zod";
import { type OidcServer, startOidcServer } from "../fixtures/auth/oidc-server.node.ts";
import { type ProtectedHost, startHost } from "../fixtures/auth/protected-host.node.ts";

/** How long an access token lives, in seconds. */
export const tokenSeconds = 5;

/** What was counted at the authorization server and at the protected one. */
export interface Counts {
  readonly calls: ReadonlyMap<string, number>;
  readonly pages: number;
  readonly registrations: number;
  readonly logins: number;
  readonly refreshes: number;
  /** Requests for tokens that were refused. */
  readonly refused: number;
  /** How often a refresh token was presented that had been presented before. */
  readonly reuses: number;
  /** Requests with a token that the protected server refused. */
  readonly unauthorized: number;
}

interface Parts {
  readonly url: string;
  readonly oidc: OidcServer;
  readonly host: ProtectedHost;
  readonly calls: ReadonlyMap<string, number>;
  readonly refused: { readonly tokens: number };
}

/** See the head of this file. */
export class Place {
  readonly #parts: Parts;

  private constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Starts both servers. */
  static async start(): Promise<Place> {
    const calls = new Map<string, number>();
    const input = z.object({ who: z.string() });
    const count = tool({ description: "Counts", input }, ({ who }) => {
      calls.set(who, (calls.get(who) ?? 0) + 1);
    });
    const oidc = await startOidcServer({ accessTokenTtlSeconds: tokenSeconds });
    const refused = { tokens: 0 };
    const host = await startHost(({ status, headers }) => {
      refused.tokens += status === 401 && headers.authorization !== undefined ? 1 : 0;
    });
    const url = `${host.origin}/mcp`;
    // Without tolerance a token is over when it says so.
    const auth = protectResource({ issuer: oidc.issuer, audience: url, scopes: ["mcp"], clockToleranceSeconds: 0 });
    host.mount(
      createHttpHandler(defineServer({ name: "counter", version: "1.0.0", tools: { count } }), { auth }),
      "/mcp",
    );
    return new Place({ url, oidc, host, calls, refused });
  }

  /** Where the tool is. */
  get url(): string {
    return this.#parts.url;
  }

  get counts(): Counts {
    const { oidc, calls, refused } = this.#parts;
    const { stats, tokenRequests } = oidc;
    const spent = tokenRequests.flatMap(({ spent: token }) => token ?? []);
    return {
      calls,
      pages: stats.get("GET /auth") ?? 0,
      registrations: stats.get("POST /reg") ?? 0,
      logins: oidc.granted("authorization_code"),
      refreshes: oidc.granted("refresh_token"),
      refused: tokenRequests.filter(({ error }) => error !== undefined).length,
      reuses: spent.length - new Set(spent).size,
      unauthorized: refused.tokens,
    };
  }

  async close(): Promise<void> {
    const { host, oidc } = this.#parts;
    await Promise.all([host.close(), oidc.close()]);
  }
}

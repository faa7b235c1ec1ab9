/**
 * Requests and replies as the guard of a resource sees them, and what it hands to an HTTP edge.
 *
 * Structural on purpose: requests and replies of `parley-mcp/http/server` fit, and so does a framework's own with a few
 * lines around it. Bodies are never read here.
 */
import type { AuthInfo } from "../../protocol/types/auth.ts";

/** Headers of a reply; names in lower case. */
export type ReplyHeaders = { readonly [name: string]: string };

/** What is read of a request. */
export interface ResourceRequest {
  /** In upper case. */
  readonly method: string;
  /** Path and query as received; may also be absolute. */
  readonly url: string;
  /** Host and port that the client addressed; `undefined` where it named none. */
  readonly authority: string | undefined;
  /**
   * A header's value; several values are joined by a comma.
   *
   * @param name - in lower case
   */
  header(name: string): string | undefined;
}

/** A whole reply. */
export interface ResourceReply {
  readonly kind: "text";
  readonly status: number;
  readonly headers: ReplyHeaders;
  /** Empty for a reply without a body. */
  readonly body: string;
}

/** Who calls, or the reply that refuses. */
export type ResourceAuthentication =
  | { readonly ok: true; readonly auth: AuthInfo; readonly headers: ReplyHeaders }
  | { readonly ok: false; readonly reply: ResourceReply };

/**
 * What protects a resource: fits the option `auth` of `createHttpHandler`, and any other edge by its three members.
 * Specification: Basic > Authorization.
 *
 * @example
 * ```ts
 * import { protectResource, type ResourceGuard } from "parley-mcp/auth/resource";
 * import { createHttpHandler } from "parley-mcp/http/server";
 * import { defineServer } from "parley-mcp/server";
 *
 * const auth: ResourceGuard = protectResource({
 *   issuer: "https://login.example.com",
 *   audience: "https://mcp.example.com/mcp",
 * });
 * const app = defineServer({ name: "demo", version: "1.0.0" });
 * export const handler = createHttpHandler(app, { auth, allowedHosts: ["mcp.example.com"] });
 * ```
 */
export interface ResourceGuard {
  /** Verifies the token of a request. Needed for every request, sessions or not; never rejects for what a caller sent. */
  authenticate(request: ResourceRequest): Promise<ResourceAuthentication>;
  /**
   * Headers of the 403 for a caller whose token lacks scopes.
   *
   * @param scopes - all that the request needs
   * @param auth - who calls, where that is known
   */
  challengeScopes(scopes: readonly string[], auth: AuthInfo | undefined, request: ResourceRequest): ReplyHeaders;
  /** The resource metadata, by path on this server. Anybody may read it, without a token. */
  readonly documents: ReadonlyMap<string, (request: ResourceRequest) => ResourceReply>;
}

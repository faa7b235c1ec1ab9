/** Tokens of Clerk: JWTs or opaque ones, as set there, and mostly without an audience. */
import { UsageError } from "../../../base/error.ts";
import type { IntrospectionChecks } from "../introspection.ts";
import type { TokenChecks } from "../options.ts";
import { type ProviderPreset, toList, toOrigin } from "./preset.ts";

/** Options of {@link clerk}. One of `audience` and `clientIds` is needed. */
export interface ClerkOptions {
  /** The Frontend API URL, such as `https://clerk.example.com`. */
  frontendApi: string;
  /** Names under which tokens are issued for this server, where Clerk puts any into them. */
  audience?: string | readonly string[] | undefined;
  /** OAuth applications of this server alone, whose tokens are accepted without `aud`. */
  clientIds?: string | readonly string[] | undefined;
  /** The client that this server is at Clerk, where tokens are opaque. Default: they are JWTs. */
  introspection?: Pick<IntrospectionChecks, "clientId" | "clientSecret"> | undefined;
}

/**
 * What `protectResource` needs for OAuth access tokens of Clerk. A token with `aud` must be for one of `audience`; one
 * without must have been issued to one of `clientIds`, so clients that register themselves need an audience.
 * Specification: Basic > Authorization > Token Handling.
 *
 * @throws UsageError for an address that is none, and without audience and clients
 * @example
 * ```ts
 * import { clerk, protectResource } from "parley-mcp/auth/resource";
 *
 * export const auth = protectResource({
 *   ...clerk({ frontendApi: "https://clerk.example.com", clientIds: ["client_2xhFjEI5X2qWRvtV"] }),
 *   resource: "https://mcp.example.com/mcp",
 *   scopes: ["profile"],
 * });
 * ```
 */
export function clerk({ frontendApi, audience, clientIds, introspection }: ClerkOptions): ProviderPreset {
  const clients = toList(clientIds);
  const audiences = [...toList(audience), ...clients];
  if (audiences.length === 0) {
    throw new UsageError("clerk: expected an audience or clientIds, got none; without them every token is accepted");
  }
  const audienceFallback = clients.length === 0 ? undefined : "client";
  const verify: TokenChecks =
    introspection === undefined
      ? {
          kind: "jwt",
          profile: "tolerant",
          scopeClaims: ["scope"],
          clientIdClaims: ["client_id"],
          audienceFallback,
        }
      : { kind: "introspection", ...introspection, audienceFallback };
  return { issuer: toOrigin("frontendApi", frontendApi), audience: audiences, verify };
}

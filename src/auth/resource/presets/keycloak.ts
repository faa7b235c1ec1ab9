/** Tokens of Keycloak: the type in a claim, the client in `azp`, and an audience only where a mapper puts one. */
import { UsageError } from "../../../base/error.ts";
import type { Claims } from "../claims.ts";
import type { TokenReading } from "../token-reading.ts";
import { type ProviderPreset, toBaseUrl, toList, toSegment } from "./preset.ts";

/** Options of {@link keycloak}. */
export interface KeycloakOptions {
  /** Where Keycloak lies, with the path it has in front of `/realms`, if any, such as `https://login.example.com`. */
  url: string;
  realm: string;
  /** What an audience mapper of a client scope puts into tokens for this server. Not `account`, which nearly all have. */
  audience: string | readonly string[];
}

/**
 * What `protectResource` needs for tokens of Keycloak.
 *
 * Keycloak itself puts no audience for this server into tokens: add a client scope with an audience mapper.
 * Specification: Basic > Authorization > Token Handling.
 *
 * @throws UsageError for an address or a realm that is none, and for the audience `account`
 * @example
 * ```ts
 * import { keycloak, protectResource } from "parley-mcp/auth/resource";
 *
 * export const auth = protectResource({
 *   ...keycloak({ url: "https://login.example.com", realm: "main", audience: "https://mcp.example.com/mcp" }),
 *   scopes: ["files:read"],
 * });
 * ```
 */
export function keycloak({ url, realm, audience }: KeycloakOptions): ProviderPreset {
  const names = toList(audience);
  if (names.includes("account")) {
    throw new UsageError(
      'audience: expected a name for this server alone, got "account", which tokens for every client of the realm have; add an audience mapper',
    );
  }
  return {
    issuer: `${toBaseUrl("url", url)}/realms/${toSegment("realm", realm)}`,
    audience: names,
    verify: {
      kind: "jwt",
      profile: "tolerant",
      scopeClaims: ["scope"],
      clientIdClaims: ["azp", "client_id"],
      expectedClaims: { typ: ["Bearer", "DPoP"] },
      interpret: withoutServiceAccount,
    },
  };
}

/** A client that acts for itself does so as a user of its own. */
function withoutServiceAccount(reading: TokenReading, claims: Claims): TokenReading {
  const account = `service-account-${reading.clientId}`.toLowerCase();
  const isOwn = Object.hasOwn(claims, "preferred_username") && claims.preferred_username === account;
  return isOwn ? { ...reading, subject: undefined } : reading;
}

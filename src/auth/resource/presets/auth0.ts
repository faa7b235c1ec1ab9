/** Tokens of Auth0: the issuer ends with a slash, and clients that act for themselves are named `<client>@clients`. */
import type { TokenReading } from "../token-reading.ts";
import { type ProviderPreset, toList, toOrigin } from "./preset.ts";

/** Options of {@link auth0}. */
export interface Auth0Options {
  /** The domain of the tenant, or a custom one, such as `example.eu.auth0.com`. */
  domain: string;
  /** The identifier of the API, best the public URL of the endpoint. */
  audience: string | readonly string[];
  /**
   * Whether `permissions` count as scopes. They say what the user may do, also beyond what the client asked for.
   * Default false.
   */
  permissionsAsScopes?: boolean | undefined;
}

/**
 * What `protectResource` needs for tokens of Auth0, in both of its token dialects.
 *
 * Without an audience Auth0 issues opaque tokens, which are refused: switch on its resource parameter compatibility, or
 * set a default audience. Specification: Basic > Authorization > Token Handling.
 *
 * @throws UsageError for a domain that is none
 * @example
 * ```ts
 * import { auth0, protectResource } from "parley-mcp/auth/resource";
 *
 * export const auth = protectResource({
 *   ...auth0({ domain: "example.eu.auth0.com", audience: "https://mcp.example.com/mcp" }),
 *   scopes: ["files:read"],
 * });
 * ```
 */
export function auth0({ domain, audience, permissionsAsScopes = false }: Auth0Options): ProviderPreset {
  return {
    issuer: `${toOrigin("domain", domain)}/`,
    audience: toList(audience),
    verify: {
      kind: "jwt",
      profile: "tolerant",
      scopeClaims: permissionsAsScopes ? ["scope", "permissions"] : ["scope"],
      clientIdClaims: ["azp", "client_id"],
      interpret: withoutClientSubject,
    },
  };
}

function withoutClientSubject(reading: TokenReading): TokenReading {
  return reading.subject === `${reading.clientId}@clients` ? { ...reading, subject: undefined } : reading;
}

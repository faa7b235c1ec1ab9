/** Tokens of Okta's custom authorization servers: without a type, with the client in `cid` and scopes in `scp`. */
import { type ProviderPreset, toList, toOrigin, toSegment } from "./preset.ts";

/** Options of {@link okta}. */
export interface OktaOptions {
  /** The domain of the organization, or a custom one, such as `example.okta.com`. */
  domain: string;
  /** The custom authorization server. Default `default`. Tokens of the organization's own one are for Okta alone. */
  authorizationServer?: string | undefined;
  /** The audience set at the authorization server; `api://default` only if nothing else uses that server. */
  audience: string | readonly string[];
}

/**
 * What `protectResource` needs for tokens of Okta.
 * Specification: Basic > Authorization > Token Handling.
 *
 * @throws UsageError for a domain or a server that is none
 * @example
 * ```ts
 * import { okta, protectResource } from "parley-mcp/auth/resource";
 *
 * export const auth = protectResource({
 *   ...okta({ domain: "example.okta.com", authorizationServer: "aus1", audience: "https://mcp.example.com/mcp" }),
 *   scopes: ["files:read"],
 * });
 * ```
 */
export function okta({ domain, authorizationServer = "default", audience }: OktaOptions): ProviderPreset {
  const server = toSegment("authorizationServer", authorizationServer);
  return {
    issuer: `${toOrigin("domain", domain)}/oauth2/${server}`,
    audience: toList(audience),
    verify: { kind: "jwt", profile: "tolerant", scopeClaims: ["scp"], clientIdClaims: ["cid"] },
  };
}

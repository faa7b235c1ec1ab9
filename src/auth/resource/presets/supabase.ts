/** Tokens of the OAuth server of a Supabase project: those of its clients name one, those of its own logins do not. */
import { type ProviderPreset, toList, toOrigin } from "./preset.ts";

/** Options of {@link supabase}. */
export interface SupabaseOptions {
  /** The URL of the project, such as `https://abcdefgh.supabase.co`. */
  projectUrl: string;
  /** The audience of its tokens. Default `authenticated`, which all of the project have. */
  audience?: string | readonly string[] | undefined;
  /** OAuth clients whose tokens are accepted, where the project has others too. Default: all of the project. */
  clientIds?: string | readonly string[] | undefined;
}

/**
 * What `protectResource` needs for tokens of the OAuth server of a Supabase project. The project needs asymmetric signing
 * keys; tokens of a plain login, which no OAuth client was issued, are refused.
 *
 * All tokens of a project have the same audience, unless a hook of it changes that: use the project for this server alone,
 * or say `clientIds`. Specification: Basic > Authorization > Token Handling.
 *
 * @throws UsageError for an address that is none
 * @example
 * ```ts
 * import { protectResource, supabase } from "parley-mcp/auth/resource";
 *
 * export const auth = protectResource({
 *   ...supabase({ projectUrl: "https://abcdefgh.supabase.co" }),
 *   resource: "https://mcp.example.com/mcp",
 * });
 * ```
 */
export function supabase({ projectUrl, audience = "authenticated", clientIds }: SupabaseOptions): ProviderPreset {
  return {
    issuer: `${toOrigin("projectUrl", projectUrl)}/auth/v1`,
    audience: toList(audience),
    verify: {
      kind: "jwt",
      profile: "tolerant",
      scopeClaims: ["scope"],
      clientIdClaims: ["client_id"],
      expectedClaims: clientIds === undefined ? undefined : { client_id: clientIds },
    },
  };
}

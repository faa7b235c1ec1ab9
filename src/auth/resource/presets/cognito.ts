/** Tokens of Amazon Cognito: `aud` only where the client asked for a resource, and identity tokens of the same issuer. */
import { UsageError } from "../../../base/error.ts";
import { type ProviderPreset, toList, toSegment } from "./preset.ts";

/** Options of {@link cognito}. One of `audience` and `clientIds` is needed. */
export interface CognitoOptions {
  /** The region of the user pool, such as `eu-central-1`. */
  region: string;
  /** The user pool, such as `eu-central-1_AbCdEf123`. */
  userPoolId: string;
  /** The resource that clients ask tokens for, best the public URL of the endpoint. Needs managed login. */
  audience?: string | readonly string[] | undefined;
  /** App clients of this server alone, whose tokens are accepted without `aud`. */
  clientIds?: string | readonly string[] | undefined;
}

/**
 * What `protectResource` needs for access tokens of Amazon Cognito. A token with `aud` must be for one of `audience`; one
 * without must have been issued to one of `clientIds`, which then proves that it is for this server.
 * Specification: Basic > Authorization > Token Handling.
 *
 * @throws UsageError for a pool that is none, and without audience and clients
 * @example
 * ```ts
 * import { cognito, protectResource } from "parley-mcp/auth/resource";
 *
 * export const auth = protectResource({
 *   ...cognito({ region: "eu-central-1", userPoolId: "eu-central-1_AbCdEf123", clientIds: ["1example23456789"] }),
 *   resource: "https://mcp.example.com/mcp",
 *   scopes: ["files/read"],
 * });
 * ```
 */
export function cognito({ region, userPoolId, audience, clientIds }: CognitoOptions): ProviderPreset {
  const place = toSegment("region", region);
  const suffix = place.startsWith("cn-") ? "amazonaws.com.cn" : "amazonaws.com";
  const clients = toList(clientIds);
  const audiences = [...toList(audience), ...clients];
  if (audiences.length === 0) {
    throw new UsageError("cognito: expected an audience or clientIds, got none; without them every token is accepted");
  }
  return {
    issuer: `https://cognito-idp.${place}.${suffix}/${toSegment("userPoolId", userPoolId)}`,
    audience: audiences,
    verify: {
      kind: "jwt",
      profile: "tolerant",
      scopeClaims: ["scope"],
      clientIdClaims: ["client_id"],
      expectedClaims: { token_use: "access" },
      audienceFallback: clients.length === 0 ? undefined : "client",
    },
  };
}

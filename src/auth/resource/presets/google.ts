/** Tokens of Google, which say nothing by themselves and are looked up; each is for the client it was issued to. */
import { type ProviderPreset, toList } from "./preset.ts";

/** Options of {@link google}. */
export interface GoogleOptions {
  /** OAuth clients of this server alone: the token of another client, or of another product of yours, is not for it. */
  clientIds: string | readonly string[];
}

/**
 * What `protectResource` needs for access tokens of Google. Each token is looked up at Google, for 30 seconds at most
 * once. Specification: Basic > Authorization > Token Handling.
 *
 * @example
 * ```ts
 * import { google, protectResource } from "parley-mcp/auth/resource";
 *
 * export const auth = protectResource({
 *   ...google({ clientIds: ["1234-abc.apps.googleusercontent.com"] }),
 *   resource: "https://mcp.example.com/mcp",
 *   scopes: ["https://www.googleapis.com/auth/userinfo.email"],
 * });
 * ```
 */
export function google({ clientIds }: GoogleOptions): ProviderPreset {
  return {
    issuer: "https://accounts.google.com",
    audience: toList(clientIds),
    verify: { kind: "tokeninfo", endpoint: "https://oauth2.googleapis.com/tokeninfo" },
  };
}

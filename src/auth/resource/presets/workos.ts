/** Tokens of WorkOS AuthKit: `aud` is the resource that was asked for, and most name no client. */
import { type Claims, findText } from "../claims.ts";
import type { TokenReading } from "../token-reading.ts";
import { type ProviderPreset, toList, toOrigin } from "./preset.ts";

/** Options of {@link workos}. */
export interface WorkosOptions {
  /** The AuthKit domain, or a custom one, such as `example.authkit.app`. */
  domain: string;
  /** The resource indicator set for this server, best the public URL of the endpoint. */
  audience: string | readonly string[];
}

/**
 * What `protectResource` needs for tokens of WorkOS AuthKit. The client of a token that names none is `unknown`.
 * Specification: Basic > Authorization > Token Handling.
 *
 * @throws UsageError for a domain that is none
 * @example
 * ```ts
 * import { protectResource, workos } from "parley-mcp/auth/resource";
 *
 * export const auth = protectResource(
 *   workos({ domain: "example.authkit.app", audience: "https://mcp.example.com/mcp" }),
 * );
 * ```
 */
export function workos({ domain, audience }: WorkosOptions): ProviderPreset {
  return {
    issuer: toOrigin("domain", domain),
    audience: toList(audience),
    verify: {
      kind: "jwt",
      profile: "tolerant",
      scopeClaims: ["scope"],
      clientIdClaims: ["client_id", "azp"],
      interpret: readClient,
    },
  };
}

/** An application that acts for itself is the subject of its tokens. */
function readClient(reading: TokenReading, claims: Claims): TokenReading {
  const subject = findText(claims, "sub");
  return subject?.startsWith("client_") === true
    ? { ...reading, clientId: subject, subject: undefined }
    : { ...reading, clientId: reading.clientId ?? "unknown" };
}

/**
 * Assertions that somebody else signed and a token endpoint will judge: what can be seen of them beforehand.
 *
 * Nothing is verified here. A text that cannot be read is sent to nobody: it may be any secret, and says not for whom it
 * is. RFC 7519, RFC 7523 section 3.
 */
import { decodeBase64Url } from "../../../base/base64url.ts";
import { isObject, parseJson } from "../../../base/json.ts";
import type { ServerMetadata } from "../discovery/discovery.ts";

/** The grant type that takes one. RFC 7523 section 2.1. */
export const jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/** Longest assertion that is read, in characters. */
const maxLength = 64 * 1024;
/** Deepest nesting of claims that is read. */
const maxDepth = 16;
/** How far two clocks may be apart. */
const clockToleranceMs = 30_000;

/** Claims of a JWT, unverified; `undefined` where the text is none. */
export function findClaims(jwt: string): { readonly [name: string]: unknown } | undefined {
  const parts = jwt.length > maxLength ? [] : jwt.split(".");
  const bytes = parts.length === 3 ? decodeBase64Url(parts[1] ?? "") : undefined;
  const parsed = bytes === undefined ? undefined : parseJson(new TextDecoder().decode(bytes), maxDepth);
  return parsed?.ok && isObject(parsed.value) ? parsed.value : undefined;
}

/** Whether a token has said itself that it is no longer valid. */
export function isExpired(claims: { readonly [name: string]: unknown }, nowMs: number): boolean {
  return typeof claims.exp === "number" && claims.exp * 1_000 + clockToleranceMs <= nowMs;
}

/**
 * What speaks against sending an assertion to a server, without a word of the assertion [X-WIF-004].
 *
 * @param nowMs - milliseconds since the epoch
 */
export function checkAssertion(jwt: string, server: ServerMetadata, nowMs: number): string | undefined {
  if (jwt === "") {
    return "its source gave an empty one";
  }
  const claims = findClaims(jwt);
  if (claims === undefined) {
    return `expected a signed JWT of at most ${maxLength} characters, got what cannot be read as one`;
  }
  if (isExpired(claims, nowMs)) {
    return "it has expired; its source has to give a fresh one";
  }
  const names = [server.issuer, server.token_endpoint].map(withoutSlash);
  const audiences = typeof claims.aud === "string" ? [claims.aud] : Array.isArray(claims.aud) ? claims.aud : [];
  const isMeant = audiences.some((audience) => typeof audience === "string" && names.includes(withoutSlash(audience)));
  return isMeant
    ? undefined
    : `its audience (aud) names neither ${server.issuer} nor the token endpoint of that server`;
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, "");
}

/**
 * What a resource asks of a verified token beside scopes, and the one such requirement that comes with the library: how
 * and how recently the user logged in.
 *
 * Specification: Basic > Authorization > Error Handling; RFC 9470.
 */
import { UsageError } from "../../base/error.ts";
import type { AuthInfo } from "../../protocol/types/auth.ts";
import type { Claims } from "./claims.ts";
import { findNumber, findText } from "./claims.ts";
import type { Denial } from "./denial.ts";
import type { ResourceRequest } from "./message.ts";

/**
 * Decides whether a caller whose token is valid may go on. Scopes say what a user let a client do, not what the user
 * may do: rights of one's own belong here, or into the handlers.
 *
 * @returns why not, or `undefined`
 * @example
 * ```ts
 * import type { TokenRequirement } from "parley-mcp/auth/resource";
 *
 * export const employeesOnly: TokenRequirement = (auth) =>
 *   auth.claims?.department === undefined
 *     ? { status: 403, message: "this server is for employees" }
 *     : undefined;
 * ```
 */
export type TokenRequirement = (
  auth: AuthInfo,
  request: ResourceRequest,
  nowMs: number,
) => Promise<Denial | undefined> | Denial | undefined;

/** Options of {@link requireUserAuthentication}. */
export interface UserAuthentication {
  /** Ways of logging in that suffice, the preferred one first; the claim `acr` must be one of them. */
  acrValues?: readonly string[] | undefined;
  /** How long ago the user may have logged in, in seconds, by the claim `auth_time`. */
  maxAgeSeconds?: number | undefined;
}

/**
 * Asks for a certain way of logging in, or a recent one. Otherwise the client is told by a challenge what to ask the
 * authorization server for, and comes back with another token. RFC 9470.
 *
 * @throws UsageError where neither is given
 * @example
 * ```ts
 * import { protectResource, requireUserAuthentication } from "parley-mcp/auth/resource";
 *
 * export const auth = protectResource({
 *   issuer: "https://login.example.com",
 *   audience: "https://mcp.example.com/mcp",
 *   requirements: [requireUserAuthentication({ acrValues: ["phr"], maxAgeSeconds: 3_600 })],
 * });
 * ```
 */
export function requireUserAuthentication(wanted: UserAuthentication): TokenRequirement {
  const { acrValues = [], maxAgeSeconds } = wanted;
  const acr = acrValues.join(" ");
  if (acrValues.length === 0 && maxAgeSeconds === undefined) {
    throw new UsageError("requireUserAuthentication: expected acrValues, maxAgeSeconds or both, got neither");
  }
  if (acrValues.some((value) => !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value))) {
    throw new UsageError("acrValues: expected values of visible ASCII without spaces, quotes and backslashes");
  }
  if (maxAgeSeconds !== undefined && !(Number.isInteger(maxAgeSeconds) && maxAgeSeconds >= 0)) {
    throw new UsageError(`maxAgeSeconds: expected a whole number of seconds, got ${maxAgeSeconds}`);
  }
  const denial: Denial = {
    status: 401,
    error: "insufficient_user_authentication",
    message: "the user has to log in again, in the way or within the time that the challenge names",
    parameters: {
      acr_values: acr === "" ? undefined : acr,
      max_age: maxAgeSeconds === undefined ? undefined : String(maxAgeSeconds),
    },
  };
  return ({ claims = {} }, _, nowMs) =>
    isStrong(claims, acrValues) && isRecent(claims, maxAgeSeconds, nowMs) ? undefined : denial;
}

function isStrong(claims: Claims, acrValues: readonly string[]): boolean {
  return acrValues.length === 0 || acrValues.includes(findText(claims, "acr") ?? "");
}

function isRecent(claims: Claims, maxAgeSeconds: number | undefined, nowMs: number): boolean {
  const at = findNumber(claims, "auth_time") ?? Number.NEGATIVE_INFINITY;
  return maxAgeSeconds === undefined || nowMs / 1_000 - at <= maxAgeSeconds;
}

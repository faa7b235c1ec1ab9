/**
 * Reads what tokens say in the spellings of different authorization servers.
 *
 * Claims are untrusted in shape, even when their signature is right: own properties only, each with its type checked.
 */
import { isObject } from "../../base/json.ts";
import { TokenRejectedError } from "./verifier.ts";

/** Claims of a token, or the answer to an introspection. */
export type Claims = { readonly [claim: string]: unknown };

/** Values of which a claim must have one, by its name. */
export type ExpectedClaims = { readonly [claim: string]: string | readonly string[] };

/** Claims that name scopes where nothing else is said: the standard one, and that of Okta and Microsoft. */
export const commonScopeClaims: readonly string[] = ["scope", "scp"];

/** Claims that name the client where nothing else is said: the standard one, and those of other servers. */
export const commonClientIdClaims: readonly string[] = ["client_id", "azp", "cid", "appid"];

/** A claim that is a text and not empty. */
export function findText(claims: Claims, claim: string): string | undefined {
  const value = findClaim(claims, claim);
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** A claim that is a finite number. */
export function findNumber(claims: Claims, claim: string): number | undefined {
  const value = findClaim(claims, claim);
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

/** All scopes that the claims name, each as a text with spaces or as a list. */
export function readScopes(claims: Claims, names: readonly string[]): readonly string[] {
  return [...new Set(names.flatMap((name) => toWords(findClaim(claims, name))))];
}

/**
 * A claim that names somebody. One that is there in another shape must not pass for nobody, as then all such are the same.
 *
 * @param takesNumbers - whether integers count as texts, as some servers write them, and `null` as nothing
 * @throws {@link TokenRejectedError} for every other shape
 */
export function findName(claims: Claims, claim: string, takesNumbers: boolean): string | undefined {
  const value = findClaim(claims, claim);
  if (typeof value === "string" && (value !== "" || takesNumbers)) {
    return value === "" ? undefined : value;
  }
  if (takesNumbers && Number.isSafeInteger(value)) {
    return String(value);
  }
  if (value === undefined || (takesNumbers && value === null)) {
    return undefined;
  }
  throw new TokenRejectedError(`expected the claim ${claim} of the token to be a text that is not empty`);
}

/** The first of the claims that names the client. */
export function findClientId(claims: Claims, names: readonly string[], takesNumbers: boolean): string | undefined {
  for (const name of names) {
    const clientId = findName(claims, name, takesNumbers);
    if (clientId !== undefined) {
      return clientId;
    }
  }
  return undefined;
}

/**
 * The audience as a list, empty where there is none.
 *
 * @param fallback - what stands for it in claims that have no `aud` at all; one that is there counts, whatever it is
 */
export function readAudience(claims: Claims, fallback?: string): readonly string[] {
  const audience = Object.hasOwn(claims, "aud") ? claims.aud : fallback;
  return [audience].flat().filter((item) => typeof item === "string");
}

/** The first claim that is none of the values it may have, alone or, in a list, beside others. */
export function findUnexpected(claims: Claims, expected: ExpectedClaims): string | undefined {
  return Object.keys(expected).find((name) => {
    const accepted = [expected[name] ?? []].flat();
    return ![findClaim(claims, name)].flat().some((value) => typeof value === "string" && accepted.includes(value));
  });
}

/**
 * The thumbprint of the key that a token is bound to. RFC 9449 section 6.
 *
 * @returns an empty text, which no key has, where it is there and is no text: such a token must not pass for unbound
 */
export function findKeyThumbprint(claims: Claims): string | undefined {
  const confirmation = findClaim(claims, "cnf");
  return isObject(confirmation) && Object.hasOwn(confirmation, "jkt")
    ? (findText(confirmation, "jkt") ?? "")
    : undefined;
}

/** Whether a token is bound to anything else than a key for proofs, such as a certificate. RFC 8705 section 3.1. */
export function isBoundOtherwise(claims: Claims): boolean {
  const confirmation = findClaim(claims, "cnf");
  return (
    confirmation !== undefined &&
    !(isObject(confirmation) && Object.keys(confirmation).every((method) => method === "jkt"))
  );
}

/** The user. A client that acts for itself is named there too, and is no user [X-CC-014]. */
export function findSubject(claims: Claims, clientId: string | undefined, takesNumbers: boolean): string | undefined {
  const subject = findName(claims, "sub", takesNumbers);
  return subject === clientId ? undefined : subject;
}

function findClaim(claims: Claims, claim: string): unknown {
  return Object.hasOwn(claims, claim) ? claims[claim] : undefined;
}

function toWords(value: unknown): readonly string[] {
  if (typeof value === "string") {
    return value.split(" ").filter((word) => word !== "");
  }
  return Array.isArray(value) ? value.filter((word) => typeof word === "string" && word !== "") : [];
}

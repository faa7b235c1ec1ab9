/**
 * Verifies tokens that are JWTs by the keys of their issuer: signature, issuer, audience, time, and what a profile asks for.
 *
 * Keys are key-set.ts. Specification: Basic > Authorization > Token Handling; RFC 9068 section 4, RFC 8725.
 */
import { decodeJwt, errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from "jose";
import { UsageError } from "../../base/error.ts";
import { type Clock, systemClock } from "../../base/timer.ts";
import type { Fetch, GuardedFetch } from "../fetch.ts";
import { resolveAlgorithms } from "./algorithms.ts";
import {
  commonClientIdClaims,
  commonScopeClaims,
  type ExpectedClaims,
  findKeyThumbprint,
  findNumber,
  findText,
  findUnexpected,
  readAudience,
} from "./claims.ts";
import { assertDuration } from "./duration.ts";
import { assertSecureUrl, resolveAudiences, resolveIssuers } from "./issuer.ts";
import { KeySet } from "./key-set.ts";
import { createOutboundFetch } from "./outbound.ts";
import { type InterpretClaims, type ReadingRules, readToken } from "./token-reading.ts";
import { TokenRejectedError, type VerifiedToken, type Verifier } from "./verifier.ts";

/** What is asked of a JWT beside signature, issuer, audience and time. */
export interface JwtChecks {
  /**
   * `rfc9068` takes tokens of that profile only: of type `at+jwt`, with subject, client and identifier. `tolerant` takes
   * other types and claims too, as most large providers need. Default `rfc9068`.
   */
  profile?: "rfc9068" | "tolerant" | undefined;
  /** Where the keys lie. Default: as the metadata of the issuer says. */
  jwksUri?: string | undefined;
  /** Signing algorithms, asymmetric only. Default: all that are. */
  algorithms?: readonly string[] | undefined;
  /** Claims that name scopes, as text or list; all are read. Default `scope`; for `tolerant` also `scp`. */
  scopeClaims?: readonly string[] | undefined;
  /** Claims that name the client; the first counts. Default `client_id`; for `tolerant` also `azp`, `cid`, `appid`. */
  clientIdClaims?: readonly string[] | undefined;
  /** Claims that must be there, beside those of the profile. Default none. */
  requiredClaims?: readonly string[] | undefined;
  /** Claims that must be one of these texts; a list must hold one. Default none. */
  expectedClaims?: { readonly [claim: string]: string | readonly string[] } | undefined;
  /**
   * What stands for the audience of tokens that have no `aud` at all. `client`: the client they were issued to, so that
   * `audience` lists clients of one's own too. Default: nothing, such tokens are refused.
   */
  audienceFallback?: "client" | undefined;
  /** Corrects what was read from the claims, where an authorization server has spellings of its own. */
  interpret?: InterpretClaims | undefined;
  /** Least time between two fetches of keys, in milliseconds. Default 30 000. */
  keyCooldownMs?: number | undefined;
}

/** Options of {@link jwtVerifier}. */
export interface JwtVerifierOptions extends JwtChecks {
  /** Authorization servers whose tokens are accepted, each exactly as it names itself. */
  issuer: string | readonly string[];
  /** Names under which tokens are issued for this server; one of them must be in `aud`. */
  audience: string | readonly string[];
  /** By how many seconds clocks may differ. Default 30. */
  clockToleranceSeconds?: number | undefined;
  /** What metadata and keys are fetched by. Default: the global one. */
  fetch?: Fetch | undefined;
  /** The source of time. */
  clock?: Clock | undefined;
}

/** {@link JwtChecks} with the defaults of the profile. */
interface Profile extends ReadingRules {
  readonly type: string | undefined;
  readonly requiredClaims: string[];
  readonly expectedClaims: ExpectedClaims;
  readonly audiences: readonly string[];
  readonly takesClientAsAudience: boolean;
}

/** Most keys that a token without a key identifier is tried with. */
const maxTriedKeys = 8;

/**
 * Makes a verifier of JWTs. `protectResource` makes one by itself; this is for what needs it alone.
 * Specification: Basic > Authorization > Token Handling; RFC 9068 section 4.
 *
 * @throws UsageError for options that make no sense, such as a symmetric algorithm or no audience
 * @example
 * ```ts
 * import { jwtVerifier } from "parley-mcp/auth/resource";
 *
 * export const verify = jwtVerifier({
 *   issuer: "https://login.example.com",
 *   audience: "https://mcp.example.com/mcp",
 *   profile: "tolerant",
 * });
 * ```
 */
export function jwtVerifier(options: JwtVerifierOptions): Verifier {
  const clock = options.clock ?? systemClock;
  const profile = resolveProfile(options);
  const keySets = createKeySets(options, createOutboundFetch(options.fetch, clock), clock);
  const fixed = {
    algorithms: resolveAlgorithms("algorithms", options.algorithms),
    requiredClaims: profile.requiredClaims,
    clockTolerance: options.clockToleranceSeconds ?? 30,
    ...(profile.type === undefined ? undefined : { typ: profile.type }),
  };
  return async (token) => {
    try {
      const issuer = readIssuer(token);
      const keys = keySets.get(issuer);
      if (keys === undefined) {
        throw new TokenRejectedError("the token was issued by an authorization server that this resource does not use");
      }
      const payload = await verifySignature(token, keys, { ...fixed, issuer, currentDate: new Date(clock.now()) });
      return toVerifiedToken(payload, issuer, profile);
    } catch (error) {
      throw error instanceof errors.JOSEError ? new TokenRejectedError(describe(error), { cause: error }) : error;
    }
  };
}

function resolveProfile(checks: JwtVerifierOptions): Profile {
  const profile: string = checks.profile ?? "rfc9068";
  if (profile !== "rfc9068" && profile !== "tolerant") {
    throw new UsageError(`profile: expected rfc9068 or tolerant, got "${String(profile)}"`);
  }
  const isStrict = profile === "rfc9068";
  const takesClientAsAudience = checks.audienceFallback === "client";
  const required = [
    "iss",
    "exp",
    ...(takesClientAsAudience ? [] : ["aud"]),
    ...(isStrict ? ["sub", "client_id", "iat", "jti"] : []),
  ];
  return {
    type: isStrict ? "at+jwt" : undefined,
    scopeClaims: checks.scopeClaims ?? (isStrict ? ["scope"] : commonScopeClaims),
    clientIdClaims: checks.clientIdClaims ?? (isStrict ? ["client_id"] : commonClientIdClaims),
    requiredClaims: [...required, ...(checks.requiredClaims ?? [])],
    expectedClaims: checks.expectedClaims ?? {},
    interpret: checks.interpret,
    takesNumbers: !isStrict,
    audiences: resolveAudiences(checks.audience),
    takesClientAsAudience,
  };
}

function createKeySets(options: JwtVerifierOptions, fetch: GuardedFetch, clock: Clock): ReadonlyMap<string, KeySet> {
  const { jwksUri, keyCooldownMs: cooldownMs = 30_000 } = options;
  assertDuration("keyCooldownMs", cooldownMs);
  if (jwksUri !== undefined) {
    assertSecureUrl("jwksUri", jwksUri);
  }
  const issuers = resolveIssuers(options.issuer);
  return new Map(
    issuers.map((issuer) => [issuer, new KeySet({ issuer, jwksUri, cooldownMs, fetch, now: () => clock.now() })]),
  );
}

/** Unverified: it only chooses the keys, and is checked again with the signature. */
function readIssuer(token: string): string {
  return findText(decodeJwt(token), "iss") ?? "";
}

async function verifySignature(token: string, keys: KeySet, options: JWTVerifyOptions): Promise<JWTPayload> {
  try {
    return (await jwtVerify(token, keys.find, options)).payload;
  } catch (error) {
    if (!(error instanceof errors.JWKSMultipleMatchingKeys)) {
      throw error;
    }
    return await tryKeys(token, error, options);
  }
}

/** A token may name no key although there are several. */
async function tryKeys(
  token: string,
  candidates: errors.JWKSMultipleMatchingKeys,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  let tried = 0;
  for await (const key of candidates) {
    try {
      return (await jwtVerify(token, key, options)).payload;
    } catch (error) {
      tried += 1;
      if (!(error instanceof errors.JWSSignatureVerificationFailed) || tried === maxTriedKeys) {
        throw error;
      }
    }
  }
  throw new errors.JWSSignatureVerificationFailed();
}

function toVerifiedToken(claims: JWTPayload, issuer: string, profile: Profile): VerifiedToken {
  const unexpected = findUnexpected(claims, profile.expectedClaims);
  if (unexpected !== undefined) {
    throw new TokenRejectedError(`the claim ${unexpected} of the token is not as expected`);
  }
  const { clientId, scopes, subject } = readToken(claims, profile);
  const audience = readAudience(claims, profile.takesClientAsAudience ? clientId : undefined);
  if (!audience.some((name) => profile.audiences.includes(name))) {
    throw new TokenRejectedError("the token was issued for another resource");
  }
  if (clientId === undefined) {
    throw new TokenRejectedError(`the token names no client; expected one of ${profile.clientIdClaims.join(", ")}`);
  }
  return {
    clientId,
    scopes,
    audience,
    subject,
    issuer,
    expiresAtMs: (findNumber(claims, "exp") ?? 0) * 1_000,
    keyThumbprint: findKeyThumbprint(claims),
    claims,
  };
}

/** Which check failed, in words for the caller. */
function describe(error: errors.JOSEError): string {
  if (error instanceof errors.JWTExpired) {
    return "the token has expired";
  }
  if (error instanceof errors.JWTClaimValidationFailed) {
    return describeClaim(error.claim, error.reason);
  }
  if (error instanceof errors.JOSEAlgNotAllowed || error instanceof errors.JOSENotSupported) {
    return "the token is signed by an algorithm that is not accepted";
  }
  if (error instanceof errors.JWKSNoMatchingKey) {
    return "the token is signed by a key that the authorization server does not publish";
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return "the signature of the token is wrong";
  }
  return "the token is not a well-formed signed JWT";
}

function describeClaim(claim: string, reason: string): string {
  if (reason === "missing") {
    return `the token lacks the claim ${claim}`;
  }
  switch (claim) {
    case "typ":
      return "the token is not of the type at+jwt";
    case "nbf":
      return "the token is not valid yet";
    default:
      return `the claim ${claim} of the token is not as expected`;
  }
}

/**
 * Runs a verifier and checks what holds for every token whoever verified it: audience, issuer, time and shape.
 *
 * Specification: Basic > Authorization > Token Handling; RFC 6750 section 3.1.
 */

import { raceAbort } from "../../base/abort.ts";
import type { OnDiagnostic } from "../../base/diagnostic.ts";
import { isObject } from "../../base/json.ts";
import type { Clock } from "../../base/timer.ts";
import { findKeyThumbprint, isBoundOtherwise } from "./claims.ts";
import { invalidToken, type Outcome } from "./denial.ts";
import {
  isTokenRejected,
  isVerifierUnavailable,
  type VerifiedToken,
  type Verifier,
  type VerifierContext,
  VerifierUnavailableError,
} from "./verifier.ts";

/** What a token is checked against. */
export interface TokenRules {
  readonly verify: Verifier;
  readonly issuers: readonly string[];
  readonly audiences: readonly string[];
  /** Whether `audience` of the verifier's result is left alone. */
  readonly skipsAudience: boolean;
  readonly clockToleranceMs: number;
  readonly clock: Clock;
  /** Longest wait for the verifier, in milliseconds. */
  readonly verifyTimeoutMs: number;
  readonly onDiagnostic: OnDiagnostic | undefined;
}

/** A token that passed, and for which of our names it was issued. */
export interface AcceptedToken extends VerifiedToken {
  readonly resource: string | undefined;
}

/**
 * Verifies a token and checks the result.
 *
 * @throws {@link VerifierUnavailableError} as the verifier threw it, or where it takes too long; nothing else
 */
export async function checkToken(
  token: string,
  context: VerifierContext,
  rules: TokenRules,
): Promise<Outcome<AcceptedToken>> {
  let verified: unknown;
  try {
    verified = await verifyInTime(token, context, rules);
  } catch (error) {
    if (isVerifierUnavailable(error)) {
      throw error;
    }
    if (isTokenRejected(error)) {
      return invalidToken(error.message);
    }
    reportFault(error, token, rules);
    return invalidToken("the token could not be verified");
  }
  return verified === undefined || verified === null
    ? invalidToken("the token is not valid")
    : checkVerified(verified, token, rules);
}

/** A verifier that hangs must not keep its caller for ever. */
async function verifyInTime(token: string, context: VerifierContext, rules: TokenRules): Promise<unknown> {
  const { verify, verifyTimeoutMs, clock } = rules;
  const ended = new AbortController();
  const cancel = clock.after(verifyTimeoutMs, () =>
    ended.abort(new VerifierUnavailableError(`the token verifier gave no answer within ${verifyTimeoutMs} ms`)),
  );
  try {
    return await raceAbort(Promise.resolve(verify(token, { ...context, signal: ended.signal })), ended.signal);
  } finally {
    cancel();
  }
}

function checkVerified(verified: unknown, token: string, rules: TokenRules): Outcome<AcceptedToken> {
  if (!isVerifiedToken(verified)) {
    const expected = "expected from the verifier an object with clientId, scopes and audience, got something else";
    reportFault(new TypeError(expected), token, rules);
    return invalidToken("the token could not be verified");
  }
  const { issuer, expiresAtMs } = verified;
  if (issuer !== undefined && !rules.issuers.includes(issuer)) {
    return invalidToken("the token was issued by an authorization server that this resource does not use");
  }
  if (expiresAtMs !== undefined && !(rules.clock.now() < expiresAtMs + rules.clockToleranceMs)) {
    return invalidToken("the token has expired");
  }
  if (verified.claims !== undefined && isBoundOtherwise(verified.claims)) {
    return invalidToken("the token is bound to something, such as a certificate, that this resource cannot check");
  }
  const named = [verified.audience].flat();
  const resource = rules.audiences.find((audience) => named.includes(audience));
  return resource === undefined && !rules.skipsAudience
    ? invalidToken("the token was issued for another resource")
    : { ok: true, value: { ...verified, keyThumbprint: toThumbprint(verified), resource } };
}

/** A verifier may hand on the claims and think no more of a binding, which must not make the token a plain one. */
function toThumbprint({ keyThumbprint, claims }: VerifiedToken): string | undefined {
  return keyThumbprint ?? (claims && findKeyThumbprint(claims));
}

/** Verifiers come from users, and not all of them are compiled. */
function isVerifiedToken(value: unknown): value is VerifiedToken {
  return (
    isObject(value) &&
    typeof value.clientId === "string" &&
    isTexts(value.scopes) &&
    (value.audience === undefined || typeof value.audience === "string" || isTexts(value.audience)) &&
    isOptional(value.subject, "string") &&
    isOptional(value.issuer, "string") &&
    isOptional(value.expiresAtMs, "number") &&
    isOptional(value.keyThumbprint, "string") &&
    (value.claims === undefined || isObject(value.claims))
  );
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

function isOptional(value: unknown, type: "string" | "number"): boolean {
  return value === undefined || typeof value === type;
}

/** Says to the operator what the caller is not told. Messages of strangers may repeat the token. */
function reportFault(error: unknown, token: string, { onDiagnostic }: TokenRules): void {
  const said = error instanceof Error ? `${error.name}: ${error.message}` : typeof error;
  onDiagnostic?.({
    code: "MCP_D_VERIFIER_FAULT",
    message: `the token verifier failed, and the request was refused with 401: ${said.replaceAll(token, "<token>")}`,
  });
}

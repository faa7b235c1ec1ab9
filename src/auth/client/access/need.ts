/**
 * Why tokens are needed, and whether some that are there will do. Pure; how they are come by is acquisition.ts.
 */
import type { AuthChallenge } from "../../challenge.ts";
import { isCovered, unionScopes } from "../discovery/scope-choice.ts";
import type { TokenSet } from "../storage/credential.ts";
import type { Waiter } from "./flight.ts";
import { isExpired } from "./renewal.ts";

/**
 * What made them needed: the application asked, the ones there end soon, they are over, the server refused them, it wants
 * the user authenticated more strongly, or it wants more scopes.
 */
export type NeedKind = "login" | "ahead" | "stale" | "rejected" | "authentication" | "scopes";

/** Who needs them. */
export interface Caller extends Waiter {
  /** Whether a person may be asked for its sake: nobody logs in only to end a session. Default true. */
  readonly mayAsk?: boolean | undefined;
}

/** Tokens that are needed. */
export interface Need {
  readonly kind: NeedKind;
  /** The access token that will not do. */
  readonly unfit?: string | undefined;
  /** What the server said. */
  readonly challenge?: AuthChallenge | undefined;
  /** Scopes that the application asks for beside those configured. */
  readonly scopes?: readonly string[] | undefined;
  /** Whether a refresh token may help. It brings neither more scopes [PP-088] nor a stronger authentication. */
  readonly mayRenew: boolean;
  /** Whether the grant may be gone through anew, by a person where it takes one. */
  readonly mayObtain: boolean;
}

/** What two needs have in common when the outcome of one is that of the other. Holds secrets: never shown. */
export function toNeedKey({ kind, unfit, challenge, scopes, mayObtain }: Need): string {
  const wanted =
    kind === "scopes" || kind === "authentication"
      ? [challenge?.scopes, challenge?.acrValues, challenge?.maxAge]
      : [scopes];
  return JSON.stringify([kind, unfit, mayObtain, ...wanted]);
}

/** Whether tokens that somebody else got are what is needed. */
export function isFit(tokens: TokenSet, { kind, unfit, challenge }: Need, nowMs: number): boolean {
  if (kind === "login" || tokens.accessToken === unfit || isExpired(tokens, nowMs)) {
    return false;
  }
  return kind !== "scopes" || isCovered(challenge?.scopes ?? [], tokens);
}

/**
 * Scopes to be asked for whatever is configured; empty where there is nothing in particular.
 *
 * @param before - the tokens that will not do
 * @param listed - what the resource says it has, for a server that wants more and does not say what
 */
export function toDemandedScopes(
  { kind, challenge }: Need,
  before: TokenSet | undefined,
  listed: readonly string[],
): readonly string[] {
  const demanded = challenge?.scopes ?? [];
  const requested = before?.requestedScopes ?? [];
  const granted = before?.grantedScopes ?? [];
  switch (kind) {
    case "login":
      return [];
    case "scopes":
      // All there were, whether the server granted them or not, since it may name them differently [M-AUTH-018].
      return unionScopes(unionScopes(requested, granted), demanded.length > 0 ? demanded : listed);
    default:
      return demanded.length > 0 ? demanded : requested;
  }
}

/**
 * When tokens are renewed: how old they are, and how long before their end another one is fetched.
 *
 * Only spans of the local clock count, from the arrival of a token on, so that a clock that is wrong does no harm; what it
 * still gets wrong the server's refusal corrects.
 */
import type { TokenSet } from "../storage/credential.ts";

/** Largest part of a token's life that may remain when it is renewed: tokens of a few seconds are used, too. */
const largestPart = 0.25;

/** How it stands with a token: good, good but soon to end, or known to be over. */
export type Freshness = "fresh" | "due" | "expired";

/** What the moment of a renewal depends on. */
export interface RenewalTiming {
  /** How long before the end at most, in milliseconds. */
  readonly renewAheadMs: number;
  /** From 0 to 1, so that many clients do not come at once. */
  readonly random: () => number;
}

/** From when on a token is to be renewed, in milliseconds since the epoch; never where its end is unknown. */
export function chooseDueTime(
  { receivedAtMs, expiresAtMs }: Pick<TokenSet, "receivedAtMs" | "expiresAtMs">,
  { renewAheadMs, random }: RenewalTiming,
): number {
  if (expiresAtMs === undefined) {
    return Number.POSITIVE_INFINITY;
  }
  const lifeMs = Math.max(0, expiresAtMs - receivedAtMs);
  const aheadMs = Math.min(renewAheadMs, lifeMs * largestPart);
  return expiresAtMs - aheadMs * (0.5 + random() / 2);
}

/** Whether a token is known to be over [PP-091]. */
export function isExpired({ expiresAtMs }: Pick<TokenSet, "expiresAtMs">, nowMs: number): boolean {
  return expiresAtMs !== undefined && nowMs >= expiresAtMs;
}

/** How it stands with a token that is due from a certain time on. */
export function findFreshness(tokens: Pick<TokenSet, "expiresAtMs">, dueAtMs: number, nowMs: number): Freshness {
  if (isExpired(tokens, nowMs)) {
    return "expired";
  }
  return nowMs >= dueAtMs ? "due" : "fresh";
}

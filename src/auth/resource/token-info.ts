/**
 * Verifies opaque tokens at an endpoint of Google's kind: it says for which client a token was issued, and until when.
 *
 * It is no introspection after RFC 7662: nobody has to say who asks, numbers come as texts, and what is not valid is
 * answered with an error. Specification: Basic > Authorization > Token Handling.
 */

import type { Clock } from "../../base/timer.ts";
import { systemClock } from "../../base/timer.ts";
import type { Fetch, GuardedFetch } from "../fetch.ts";
import { type Answer, Answers } from "./answers.ts";
import { type Claims, findKeyThumbprint, findNumber, findText, readAudience } from "./claims.ts";
import { assertSecureUrl, fetchText, readJson, resolveAudiences, resolveIssuers } from "./issuer.ts";
import { createOutboundFetch } from "./outbound.ts";
import { readToken } from "./token-reading.ts";
import type { Verifier } from "./verifier.ts";

/** Where tokens are looked up. */
export interface TokenInfoChecks {
  /** Where to ask. It gets the tokens. */
  endpoint: string;
  /** How long an answer is kept, in milliseconds; 0 asks each time. Answers that say no: at most 5 000. Default 30 000. */
  cacheMs?: number | undefined;
}

/** Options of {@link tokenInfoVerifier}. */
export interface TokenInfoVerifierOptions extends TokenInfoChecks {
  /** The authorization server whose tokens they are. */
  issuer: string;
  /** Clients whose tokens are accepted; one of them must be in `aud`. */
  audience: string | readonly string[];
  /** By how many seconds clocks may differ. Default 30. */
  clockToleranceSeconds?: number | undefined;
  /** What is asked by. Default: the global one. */
  fetch?: Fetch | undefined;
  /** The source of time. */
  clock?: Clock | undefined;
}

/** How an endpoint says that a token is not valid; every other failure is its own. */
const refusals: readonly number[] = [400, 401];

const reading = { scopeClaims: ["scope"], clientIdClaims: ["azp", "aud"], takesNumbers: true };

/**
 * Makes a verifier that looks tokens up.
 *
 * @throws {@link UsageError} for options that make no sense, such as no audience
 */
export function tokenInfoVerifier(options: TokenInfoVerifierOptions): Verifier {
  const { endpoint, cacheMs, clock = systemClock } = options;
  resolveIssuers(options.issuer);
  assertSecureUrl("endpoint", endpoint);
  const fetch = createOutboundFetch(options.fetch, clock);
  const rules = { ...options, audiences: resolveAudiences(options.audience), now: () => clock.now() };
  const ask = async (token: string): Promise<Answer> => {
    const claims = await lookUp(token, endpoint, fetch);
    return claims === undefined
      ? { problem: "the authorization server says that the token is not valid" }
      : toAnswer(claims, rules);
  };
  const answers = new Answers({ ask, cacheMs, now: rules.now });
  return (token) => answers.verify(token);
}

/** The token goes in a header rather than in the address, which logs keep. */
async function lookUp(token: string, endpoint: string, fetch: GuardedFetch): Promise<Claims | undefined> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/x-www-form-urlencoded" };
  const answer = await fetchText(endpoint, { method: "POST", headers }, fetch);
  return refusals.includes(answer.status) ? undefined : readJson(endpoint, answer);
}

interface TokenInfoRules {
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly clockToleranceSeconds?: number | undefined;
  readonly now: () => number;
}

function toAnswer(claims: Claims, { issuer, audiences, clockToleranceSeconds = 30, now }: TokenInfoRules): Answer {
  const { clientId, subject, scopes } = readToken(claims, reading);
  const audience = readAudience(claims);
  if (clientId === undefined || !audience.some((name) => audiences.includes(name))) {
    return { problem: "the token was issued for another resource" };
  }
  const expiresAtMs = findExpiry(claims);
  if (expiresAtMs === undefined) {
    return { problem: "the token lacks the claim exp" };
  }
  return expiresAtMs + clockToleranceSeconds * 1_000 <= now()
    ? { problem: "the token has expired" }
    : {
        token: {
          clientId,
          scopes,
          audience,
          subject,
          issuer,
          expiresAtMs,
          keyThumbprint: findKeyThumbprint(claims),
          claims,
        },
      };
}

/** The time comes as a number or as a text of digits. */
function findExpiry(claims: Claims): number | undefined {
  const text = findText(claims, "exp");
  const seconds = text === undefined ? findNumber(claims, "exp") : /^\d{1,12}$/.test(text) ? Number(text) : undefined;
  return seconds === undefined ? undefined : seconds * 1_000;
}

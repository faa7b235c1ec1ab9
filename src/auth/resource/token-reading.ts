/**
 * Who a token speaks for and what it allows, read from its claims.
 *
 * Spellings that are only names of claims are data; what is more than that, a provider corrects itself.
 */
import { type Claims, findClientId, findSubject, readScopes } from "./claims.ts";

/** What the claims of a token say. */
export interface TokenReading {
  /** The OAuth client. A token without one is refused. */
  readonly clientId: string | undefined;
  /** The user; none for a client that acts for itself [X-CC-014]. */
  readonly subject: string | undefined;
  readonly scopes: readonly string[];
}

/** Corrects what was read, by the claims of a token whose signature was checked. Claims are untrusted in shape. */
export type InterpretClaims = (reading: TokenReading, claims: { readonly [claim: string]: unknown }) => TokenReading;

/** By which names claims are read. */
export interface ReadingRules {
  readonly scopeClaims: readonly string[];
  readonly clientIdClaims: readonly string[];
  /** Whether numbers may name a user or a client. */
  readonly takesNumbers: boolean;
  readonly interpret?: InterpretClaims | undefined;
}

/**
 * Reads the claims of a token.
 *
 * @throws {@link TokenRejectedError} where a user or a client is named by no text
 */
export function readToken(claims: Claims, rules: ReadingRules): TokenReading {
  const { scopeClaims, clientIdClaims, takesNumbers, interpret } = rules;
  const clientId = findClientId(claims, clientIdClaims, takesNumbers);
  const subject = findSubject(claims, clientId, takesNumbers);
  const reading = { clientId, subject, scopes: readScopes(claims, scopeClaims) };
  return interpret === undefined ? reading : interpret(reading, claims);
}

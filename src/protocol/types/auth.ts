/**
 * Who is calling, as handlers see it. How that was found out belongs to `auth/`.
 */

/** A verified access token and what it says. Specification: Basic > Authorization > Access Token Usage. */
export interface AuthInfo {
  /** The token as it arrived. Never pass it on to another service. */
  token: string;
  /** The OAuth client the token was issued to. */
  clientId: string;
  scopes: readonly string[];
  /** The user the token speaks for, unique within the issuer. */
  subject?: string;
  /** The authorization server that issued the token. */
  issuer?: string;
  /** Milliseconds since the epoch after which the token is no longer valid. */
  expiresAtMs?: number;
  /** The resource the token was issued for. */
  resource?: string;
  /** Further claims, as the verifier found them. */
  claims?: { readonly [claim: string]: unknown };
}

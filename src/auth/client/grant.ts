/**
 * The contract of a grant: one way to come to tokens once it is known where they come from. Nothing here fetches.
 *
 * The four of them are authorization-code.ts, client-credentials.ts, enterprise.ts and workload-identity.ts.
 */
import type { OnDiagnostic } from "../../base/diagnostic.ts";
import type { Clock } from "../../base/timer.ts";
import type { GuardedFetch } from "../fetch.ts";
import type { Discovery } from "./discovery/discovery.ts";
import type { AuthorizationRecord } from "./record.ts";
import type { TokenSet } from "./storage/credential.ts";
import type { Credentials } from "./storage/credentials.ts";
import type { DpopKeys } from "./tokens/dpop-keys.ts";

/** What every grant works with. */
export interface GrantContext {
  readonly fetch: GuardedFetch;
  readonly credentials: Credentials;
  readonly record: AuthorizationRecord;
  readonly clock: Clock;
  /** Keys that tokens are bound to; `undefined` where tokens are plain bearer tokens. */
  readonly dpop: DpopKeys | undefined;
  /** Whether `resource` is sent. False only for servers that reject the parameter [PP-098]. */
  readonly sendsResource: boolean;
  readonly report: OnDiagnostic;
}

/** Tokens that are needed. */
export interface TokenRequest {
  /** The MCP endpoint, canonical. */
  readonly server: string;
  readonly discovery: Discovery;
  /** Scopes to ask for; `undefined` leaves the parameter out. */
  readonly scopes: readonly string[] | undefined;
  /** How strongly the user has to be authenticated, from a challenge. RFC 9470. */
  readonly acrValues?: string | undefined;
  /** How old the user's authentication may be, in seconds, from a challenge. RFC 9470. */
  readonly maxAge?: number | undefined;
  readonly signal: AbortSignal;
  /** Stops the clocks of those who wait, as while a person is asked; gives what lets them run again. */
  readonly hold: () => () => void;
}

/** Tokens to be renewed. */
export interface RenewalRequest {
  readonly discovery: Discovery;
  readonly tokens: TokenSet & { readonly refreshToken: string };
  readonly signal: AbortSignal;
}

/** Tokens that are no longer wanted. */
export interface RevocationRequest {
  readonly discovery: Discovery;
  readonly tokens: TokenSet;
  readonly signal: AbortSignal;
}

/** One way to come to tokens. */
export interface Grant {
  /** The grant type of OAuth, for records and messages. */
  readonly type: string;
  /** The extension of the protocol that it belongs to, which the client then announces. */
  readonly extension?: string | undefined;
  /** Whether a person takes part, so that waiting is no fault and asking twice is a nuisance. */
  readonly isInteractive: boolean;
  /**
   * Obtains tokens.
   *
   * @throws {@link AuthorizationError}; {@link AuthorizationRequiredError} where a person has to go elsewhere first; the
   * signal's reason
   */
  obtain(request: TokenRequest, context: GrantContext): Promise<TokenSet>;
  /**
   * Renews tokens by their refresh token. Absent where there never is one.
   *
   * @throws {@link AuthorizationError} with `oauthError` as the server named it
   */
  renew?(request: RenewalRequest, context: GrantContext): Promise<TokenSet>;
  /**
   * Tells the authorization server, as the client that got them, that tokens are no longer wanted. Absent where it is not
   * told.
   *
   * @throws {@link AuthorizationError}; the signal's reason
   */
  revoke?(request: RevocationRequest, context: GrantContext): Promise<void>;
  /**
   * Ends a login whose answer arrived at an address of the application's own. Absent where nobody logs in.
   *
   * @param callbackUrl - the address with everything the authorization server appended
   */
  complete?(
    callbackUrl: string,
    discover: (pending: { server: string; issuer: string }) => Promise<Discovery>,
    context: GrantContext,
    signal: AbortSignal,
  ): Promise<{ readonly server: string; readonly tokens: TokenSet }>;
}

/**
 * What is kept of a login, as plain data: tokens, client registrations, logins in progress. Where it is kept is
 * credentials.ts; every record names the issuer it belongs to [M-AUTH-010].
 */

/** Tokens of one resource, from one issuer. */
export interface TokenSet {
  readonly issuer: string;
  /** What the tokens were asked for, byte for byte. */
  readonly resource: string;
  /** The client that they were issued to. */
  readonly clientId: string;
  readonly accessToken: string;
  readonly tokenType: "Bearer" | "DPoP";
  readonly refreshToken?: string | undefined;
  /** Milliseconds since the epoch when they arrived. */
  readonly receivedAtMs: number;
  /** Milliseconds since the epoch from which the access token is no longer valid; `undefined` where nobody said. */
  readonly expiresAtMs?: number | undefined;
  /** What was asked for; empty where nothing was. */
  readonly requestedScopes: readonly string[];
  /** What was granted: as the server says, or as asked for. */
  readonly grantedScopes: readonly string[];
}

/** How a client came to its id. */
export type RegistrationKind = "preregistered" | "metadata-document" | "dynamic";

/** What a client is to one authorization server. */
export interface Registration {
  readonly kind: RegistrationKind;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  /** Milliseconds since the epoch from which the secret is no longer valid. */
  readonly secretExpiresAtMs?: number | undefined;
  /** The method the server named at registration; `undefined` where it is chosen by its metadata. */
  readonly tokenEndpointAuthMethod?: string | undefined;
  /** Redirect addresses that it covers. */
  readonly redirectUris: readonly string[];
}

/** A login that was begun and has not come back yet. Good for one answer [AUTH-050] [M-AUTH-001]. */
export interface PendingLogin {
  readonly state: string;
  readonly codeVerifier: string;
  readonly issuer: string;
  readonly resource: string;
  /** The MCP endpoint. */
  readonly server: string;
  readonly clientId: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  /** The page to open. */
  readonly url: string;
  /** Milliseconds since the epoch. */
  readonly expiresAtMs: number;
  /** Whether a browser was sent there already. */
  readonly isOpened: boolean;
}

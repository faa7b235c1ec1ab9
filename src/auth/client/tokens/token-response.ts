/**
 * The answer of a token endpoint as a set of tokens, read as tolerantly as is safe.
 *
 * Own reading, because oauth4webapi refuses what servers do send, such as an empty `refresh_token` or no `token_type`, and
 * its errors carry the whole answer. No message here repeats a value.
 * Specification: RFC 6749 section 5.1, RFC 9449 section 5.
 */
import { parseScope } from "../../scope.ts";
import type { TokenSet } from "../storage/credential.ts";

/** What the answer is read with. */
export interface TokenReadingContext {
  readonly issuer: string;
  readonly resource: string;
  readonly clientId: string;
  /** Scopes that were asked for; `undefined` where none were named. */
  readonly scopes: readonly string[] | undefined;
  /** The tokens that are renewed. */
  readonly previous?: TokenSet | undefined;
  /** Whether the request carried a DPoP proof. */
  readonly hasProof: boolean;
  /** Milliseconds since the epoch. */
  readonly receivedAtMs: number;
}

/** Tokens, or what is wrong with the answer. */
export type TokenReading =
  | { readonly ok: true; readonly tokens: TokenSet }
  | { readonly ok: false; readonly problem: string };

/** Longest lifetime that is taken as meant: a hundred years, in seconds. */
const maxLifetimeSeconds = 100 * 366 * 24 * 60 * 60;

/** Longest text of scopes that is read, in characters, and most scopes of it that are kept. */
const maxScopeLength = 16_384;
const maxScopes = 1_000;

/** Reads the answer of a token endpoint. */
export function readTokens(body: { readonly [field: string]: unknown }, context: TokenReadingContext): TokenReading {
  const { issuer, resource, clientId, scopes, previous, receivedAtMs } = context;
  const accessToken = body.access_token;
  if (typeof accessToken !== "string" || !/^[\x21-\x7e]+$/.test(accessToken)) {
    return { ok: false, problem: "expected an access_token of visible ASCII characters, got none" };
  }
  const type = readType(body.token_type, context.hasProof);
  if (!type.ok) {
    return type;
  }
  const lifetimeSeconds = readLifetime(body.expires_in);
  const requestedScopes = scopes ?? previous?.requestedScopes ?? [];
  const tokens: TokenSet = {
    issuer,
    resource,
    clientId,
    accessToken,
    tokenType: type.tokenType,
    refreshToken: readText(body.refresh_token) ?? previous?.refreshToken,
    receivedAtMs,
    expiresAtMs: lifetimeSeconds === undefined ? undefined : receivedAtMs + lifetimeSeconds * 1_000,
    requestedScopes,
    grantedScopes: readScopes(body.scope) ?? scopes ?? previous?.grantedScopes ?? [],
  };
  return { ok: true, tokens };
}

type TypeReading =
  | { readonly ok: true; readonly tokenType: TokenSet["tokenType"] }
  | { readonly ok: false; readonly problem: string };

function readType(value: unknown, hasProof: boolean): TypeReading {
  const type = typeof value === "string" ? value.toLowerCase() : value;
  if (type === undefined || type === null || type === "" || type === "bearer") {
    return { ok: true, tokenType: "Bearer" };
  }
  if (type !== "dpop") {
    return { ok: false, problem: 'expected a token_type of "Bearer" or "DPoP", got another one' };
  }
  return hasProof
    ? { ok: true, tokenType: "DPoP" }
    : {
        ok: false,
        problem: 'got the token_type "DPoP", though no proof of a key was sent: nothing could use such a token',
      };
}

/** Also as text. What is no positive number says nothing: whether the token is good then shows when it is used. */
function readLifetime(value: unknown): number | undefined {
  const seconds = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  return typeof seconds === "number" && seconds > 0 ? Math.min(seconds, maxLifetimeSeconds) : undefined;
}

/** A text too long to be meant says nothing. */
function readScopes(value: unknown): readonly string[] | undefined {
  const isText = typeof value === "string" && value.length <= maxScopeLength;
  const scopes = isText ? parseScope(value).slice(0, maxScopes) : [];
  return scopes.length === 0 ? undefined : scopes;
}

function readText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

/**
 * The contract of a token verifier, and how it says that it cannot work at the moment.
 *
 * The two that come with the library are jwt.ts and introspection.ts. What is checked of every result, whoever made it,
 * is token-check.ts. Specification: Basic > Authorization > Token Handling.
 */
import type { ResourceRequest } from "./message.ts";

/** What a verifier found out about a token. */
export interface VerifiedToken {
  /** The OAuth client the token was issued to. */
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** For which resources it was issued. Checked against `audience` of the guard. */
  readonly audience: string | readonly string[];
  /** The user it speaks for; none for a client of its own [X-CC-014]. */
  readonly subject?: string | undefined;
  /** The authorization server that issued it. Where given, checked against `issuer` of the guard. */
  readonly issuer?: string | undefined;
  /** Milliseconds since the epoch after which it is no longer valid. Where given, checked. */
  readonly expiresAtMs?: number | undefined;
  /** The thumbprint of the key it is bound to (`cnf.jkt`). Where given, a proof of that key is needed. RFC 9449 section 6. */
  readonly keyThumbprint?: string | undefined;
  /** Everything else it says. A token whose `cnf` names another binding than `jkt` is refused: leave out what was checked. */
  readonly claims?: { readonly [claim: string]: unknown } | undefined;
}

/** What a verifier is told beside the token. */
export interface VerifierContext {
  /** The identifier of the resource, as the public knows it. */
  readonly resource: string;
  readonly request: ResourceRequest;
  /** Aborts once `verifyTimeoutMs` of the guard has passed and nobody waits for the result. The guard always gives it. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Verifies one token. Implementors promise to look at signature or liveness, issuer and time.
 *
 * `undefined` and `null` mean that the token is not valid; so does whatever is thrown, as the caller needs a new token
 * either way. Only a {@link VerifierUnavailableError} means that nothing is known about the token: the reply is then 503,
 * and the caller keeps it. The message of a {@link TokenRejectedError} is shown to the caller.
 *
 * @example
 * ```ts
 * import { protectResource, type Verifier, VerifierUnavailableError } from "parley-mcp/auth/resource";
 *
 * declare const sessions: { find(token: string): Promise<{ app: string; user: string; rights: string[] } | undefined> };
 *
 * const verify: Verifier = async (token, { resource }) => {
 *   const found = await sessions.find(token).catch((cause: unknown) => {
 *     throw new VerifierUnavailableError("the session database does not answer", { cause });
 *   });
 *   return found && { clientId: found.app, subject: found.user, scopes: found.rights, audience: resource };
 * };
 * export const auth = protectResource({
 *   issuer: "https://login.example.com",
 *   audience: "https://mcp.example.com/mcp",
 *   verify,
 * });
 * ```
 */
export type Verifier = (
  token: string,
  context: VerifierContext,
) => Promise<VerifiedToken | undefined | null> | VerifiedToken | undefined | null;

const unavailable = "MCP_VERIFIER_UNAVAILABLE";

/**
 * Thrown by a verifier that cannot say anything about a token, because what it depends on is out of reach or set up
 * wrongly. The caller gets 503 with `Retry-After`, not 401, and need not log in again.
 *
 * @example
 * ```ts
 * import { isVerifierUnavailable, VerifierUnavailableError } from "parley-mcp/auth/resource";
 *
 * const error = new VerifierUnavailableError("the key server does not answer", { retryAfterSeconds: 30 });
 * isVerifierUnavailable(error); // true
 * ```
 */
export class VerifierUnavailableError extends Error {
  /** Stable, also between copies of this package. */
  readonly code = unavailable;
  /** After how many seconds to try again. Default 5. */
  readonly retryAfterSeconds: number;

  constructor(message: string, options: { cause?: unknown; retryAfterSeconds?: number | undefined } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "VerifierUnavailableError";
    this.retryAfterSeconds = options.retryAfterSeconds ?? 5;
  }
}

/**
 * Whether something thrown means that nothing is known about the token, also when another copy of this package made it.
 *
 * @param value - anything that was caught
 * @example
 * ```ts
 * import { isVerifierUnavailable } from "parley-mcp/auth/resource";
 *
 * isVerifierUnavailable(new Error("no")); // false
 * ```
 */
export function isVerifierUnavailable(value: unknown): value is VerifierUnavailableError {
  return typeof value === "object" && value !== null && "code" in value && value.code === unavailable;
}

const rejected = "MCP_TOKEN_REJECTED";

/**
 * Thrown by a verifier for a token that is not valid; the message says to the caller which check failed, and never
 * repeats anything of the token.
 *
 * @example
 * ```ts
 * import { TokenRejectedError, type Verifier } from "parley-mcp/auth/resource";
 *
 * export const verify: Verifier = () => {
 *   throw new TokenRejectedError("the token was revoked");
 * };
 * ```
 */
export class TokenRejectedError extends Error {
  /** Stable, also between copies of this package. */
  readonly code = rejected;

  constructor(message: string, options: { cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "TokenRejectedError";
  }
}

/** Whether something thrown has a message for the caller, also when another copy of this package made it. */
export function isTokenRejected(value: unknown): value is TokenRejectedError {
  return (
    typeof value === "object" &&
    value !== null &&
    "code" in value &&
    value.code === rejected &&
    "message" in value &&
    typeof value.message === "string"
  );
}

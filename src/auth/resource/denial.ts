/**
 * Why a request is refused, and the reply that says so: status, challenge and a JSON-RPC error as the body.
 *
 * Every challenge names the metadata document and the scopes that would do. Nothing of a token ever stands in one.
 * Specification: Basic > Authorization > Error Handling; RFC 6750 section 3, RFC 9728 section 5.1, RFC 9449 section 7.1.
 */
import { rpcCodes } from "../../jsonrpc/error.ts";
import { createErrorResponse } from "../../jsonrpc/message.ts";
import { encodeChallenge } from "./challenge-header.ts";
import type { ReplyHeaders, ResourceReply } from "./message.ts";
import type { PublicAddress } from "./public-url.ts";

/** The two ways of presenting a token. */
export type TokenScheme = "bearer" | "dpop";

/** Why a request is refused. */
export interface Denial {
  readonly status: 400 | 401 | 403;
  /** The error code of RFC 6750, RFC 9449 or RFC 9470; none where no token came. */
  readonly error?: string | undefined;
  /** What was expected, what came and what to do; shown to the caller. */
  readonly message: string;
  /** Further parameters of the challenge. */
  readonly parameters?: { readonly [name: string]: string | undefined } | undefined;
  /** Scopes that would do, where they are not those that every request needs. */
  readonly scopes?: readonly string[] | undefined;
}

/** A value, or why the request is refused. */
export type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly denial: Denial };

/** A token that is not accepted. */
export function invalidToken(message: string): { readonly ok: false; readonly denial: Denial } {
  return { ok: false, denial: { status: 401, error: "invalid_token", message } };
}

/** What all challenges of one guard have in common. */
export interface ChallengeContext {
  /** Schemes that are taken, the preferred one first. */
  readonly schemes: readonly TokenScheme[];
  /** Signing algorithms of proofs, where the second scheme is taken. */
  readonly proofAlgorithms: readonly string[];
  /** Scopes that every request needs. */
  readonly scopes: readonly string[];
}

/**
 * The `WWW-Authenticate` header for a denial.
 *
 * @param used - the scheme the caller used, which an error is about; without an error every scheme taken is offered
 */
export function challenge(
  denial: Denial,
  used: TokenScheme | undefined,
  address: PublicAddress,
  context: ChallengeContext,
): ReplyHeaders {
  const { status, error, message, parameters } = denial;
  const scopes = denial.scopes ?? (status === 400 ? [] : context.scopes);
  const [preferred = "bearer"] = context.schemes;
  const named = used !== undefined && context.schemes.includes(used) ? used : preferred;
  const schemes = error === undefined ? context.schemes : [named];
  const challenges = schemes.map((scheme) =>
    encodeChallenge(scheme === "dpop" ? "DPoP" : "Bearer", {
      error,
      error_description: error === undefined ? undefined : message,
      ...parameters,
      scope: scopes.length === 0 ? undefined : scopes.join(" "),
      algs: scheme === "dpop" ? context.proofAlgorithms.join(" ") : undefined,
      resource_metadata: address.metadataUrl,
    }),
  );
  return { "www-authenticate": challenges.join(", ") };
}

/** A refusal with its challenge. */
export function createDenialReply(denial: Denial, headers: ReplyHeaders): ResourceReply {
  return createErrorReply(denial.status, rpcCodes.invalidRequest, denial.message, headers);
}

/** The reply while tokens cannot be verified: the caller keeps its token and comes back later [PP-103]. */
export function createUnavailableReply(retryAfterSeconds: number): ResourceReply {
  return createErrorReply(503, rpcCodes.internalError, "tokens cannot be verified at the moment; try again later", {
    "retry-after": String(retryAfterSeconds),
  });
}

function createErrorReply(status: number, code: number, message: string, headers: ReplyHeaders): ResourceReply {
  return {
    kind: "text",
    status,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(createErrorResponse(undefined, { code, message })),
  };
}

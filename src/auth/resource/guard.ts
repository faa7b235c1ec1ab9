/**
 * Protects a resource: every request needs a token that was issued for it and is good enough, or is told how to get one.
 *
 * Joins the parts beside it and knows no transport. Specification: Basic > Authorization; RFC 6750, RFC 9728.
 */
import type { AuthInfo } from "../../protocol/types/auth.ts";
import { type Presented, parseAuthorization } from "./bearer.ts";
import {
  type ChallengeContext,
  challenge,
  createDenialReply,
  createUnavailableReply,
  type Denial,
  invalidToken,
  type Outcome,
  type TokenScheme,
} from "./denial.ts";
import { checkProof } from "./dpop.ts";
import type { ReplyHeaders, ResourceAuthentication, ResourceGuard, ResourceRequest } from "./message.ts";
import { createDocuments } from "./metadata.ts";
import { type ResolvedResourceOptions, type ResourceOptions, resolveResourceOptions } from "./options.ts";
import { createPublicUrl, listDocumentPaths, type PublicAddress } from "./public-url.ts";
import { type AcceptedToken, checkToken } from "./token-check.ts";
import { isVerifierUnavailable } from "./verifier.ts";

/** How long clients and caches may keep the metadata of a configured address, in seconds. */
const documentMaxAgeSeconds = 3_600;

/** After how many seconds to try again, where the failure does not say. */
const retryAfterSeconds = 5;

/**
 * Protects a resource by OAuth access tokens. Tokens are verified on every request, for issuer, audience, time and
 * scopes; what fails is answered with the challenge that leads clients to the authorization server. Nobody logs in here.
 *
 * A token is for this server alone: pass it to no other service, but get a token of its own for each [AUTH-064]. Scopes
 * say what a client may do in the name of its user; what that user may do is for `requirements` and handlers [SEC-031].
 * Specification: Basic > Authorization.
 *
 * @throws UsageError for options that make no sense, above all without an audience
 * @example
 * ```ts
 * import { protectResource } from "parley-mcp/auth/resource";
 * import { createHttpHandler } from "parley-mcp/http/server";
 * import { defineServer } from "parley-mcp/server";
 *
 * const auth = protectResource({
 *   issuer: "https://login.example.com",
 *   audience: "https://mcp.example.com/mcp",
 *   scopes: ["files:read"],
 * });
 * const app = defineServer({ name: "files", version: "1.0.0" });
 * export const handler = createHttpHandler(app, { auth, allowedHosts: ["mcp.example.com"] });
 * ```
 */
export function protectResource(options: ResourceOptions): ResourceGuard {
  const guard = new OAuthGuard(resolveResourceOptions(options));
  return {
    authenticate: (request) => guard.authenticate(request),
    challengeScopes: (scopes, auth, request) => guard.challengeScopes(scopes, auth, request),
    documents: guard.documents,
  };
}

type PresentedToken = Presented & { readonly kind: "token" };

class OAuthGuard {
  readonly documents: ResourceGuard["documents"];
  readonly #options: ResolvedResourceOptions;
  readonly #addressOf: (request: ResourceRequest) => PublicAddress;
  readonly #context: ChallengeContext;

  constructor(options: ResolvedResourceOptions) {
    const { address, proofs, scopes, requiresProofs, authorizationServers: issuers } = options;
    const { resourceName: name, documentationUrl } = options;
    const proofAlgorithms = proofs?.algorithms ?? [];
    this.#options = options;
    this.#addressOf = createPublicUrl(address);
    this.#context = {
      schemes: requiresProofs ? ["dpop"] : proofs === undefined ? ["bearer"] : ["bearer", "dpop"],
      proofAlgorithms,
      scopes: scopes.needed,
    };
    this.documents = createDocuments(
      listDocumentPaths(address, options.rootDocument),
      this.#addressOf,
      { issuers, scopes: scopes.supported, name, documentationUrl, proofAlgorithms, requiresProofs },
      address.resource === undefined ? 0 : documentMaxAgeSeconds,
    );
  }

  async authenticate(request: ResourceRequest): Promise<ResourceAuthentication> {
    const address = this.#addressOf(request);
    const nonce = await this.#options.proofs?.nonces?.current();
    const headers: ReplyHeaders = nonce === undefined ? {} : { "dpop-nonce": nonce };
    const presented = parseAuthorization(request);
    try {
      const outcome = await this.#decide(presented, request, address);
      return outcome.ok
        ? { ok: true, auth: outcome.value, headers }
        : this.#refuse(outcome.denial, presented, address, headers);
    } catch (error) {
      return this.#giveUp(error, presented);
    }
  }

  challengeScopes(scopes: readonly string[], auth: AuthInfo | undefined, request: ResourceRequest): ReplyHeaders {
    const presented = parseAuthorization(request);
    const denial = this.#denyScopes(scopes, auth?.scopes ?? []);
    return challenge(denial, schemeOf(presented), this.#addressOf(request), this.#context);
  }

  async #decide(presented: Presented, request: ResourceRequest, address: PublicAddress): Promise<Outcome<AuthInfo>> {
    if (presented.kind === "malformed") {
      return { ok: false, denial: presented.denial };
    }
    if (presented.kind === "none" || !this.#takes(presented.scheme)) {
      const schemes = this.#context.schemes.map((scheme) => (scheme === "dpop" ? "DPoP" : "Bearer")).join(" or ");
      const message = `expected an Authorization header with an access token of the scheme ${schemes}, got none`;
      return { ok: false, denial: { status: 401, message } };
    }
    const checked = await checkToken(presented.token, { resource: address.resource, request }, this.#options.tokens);
    if (!checked.ok) {
      return checked;
    }
    const bound = await this.#checkBinding(presented, checked.value, request, address);
    return bound.ok ? this.#checkRights(toAuthInfo(presented.token, checked.value), request) : bound;
  }

  #takes(scheme: TokenScheme): boolean {
    return this.#context.schemes.includes(scheme);
  }

  /** A token that is bound to a key is worth nothing without a proof of it, and one that is not cannot have a proof. */
  async #checkBinding(
    { scheme, token }: PresentedToken,
    { keyThumbprint }: AcceptedToken,
    request: ResourceRequest,
    { requestUrl }: PublicAddress,
  ): Promise<Outcome<undefined>> {
    const { proofs } = this.#options;
    if (scheme === "bearer" || proofs === undefined) {
      return keyThumbprint === undefined
        ? { ok: true, value: undefined }
        : invalidToken("the token is bound to a key and was presented without a proof of that key");
    }
    return keyThumbprint === undefined
      ? invalidToken("the token is not bound to a key, so no proof can go with it")
      : checkProof(request, { token, keyThumbprint, requestUrl }, proofs);
  }

  async #checkRights(auth: AuthInfo, request: ResourceRequest): Promise<Outcome<AuthInfo>> {
    const { scopes, requirements, now } = this.#options;
    const expanded = scopes.expand(auth.scopes);
    if (!scopes.suffices(expanded)) {
      return { ok: false, denial: this.#denyScopes([], auth.scopes) };
    }
    const caller = { ...auth, scopes: expanded };
    for (const requirement of requirements) {
      const denial = await requirement(caller, request, now());
      if (denial !== undefined) {
        return { ok: false, denial };
      }
    }
    return { ok: true, value: caller };
  }

  #denyScopes(needed: readonly string[], granted: readonly string[]): Denial {
    const scopes = this.#options.scopes.toChallenge(needed, granted);
    const message = `the request needs scopes that the token lacks; get a token with ${scopes.join(" ")}`;
    return { status: 403, error: "insufficient_scope", message, scopes };
  }

  #refuse(denial: Denial, presented: Presented, address: PublicAddress, headers: ReplyHeaders): ResourceAuthentication {
    const challenged = challenge(denial, schemeOf(presented), address, this.#context);
    return { ok: false, reply: createDenialReply(denial, { ...challenged, ...headers }) };
  }

  /** Nothing is known about the token, whether a verifier says so or a store or a requirement failed [PP-103]. */
  #giveUp(error: unknown, presented: Presented): ResourceAuthentication {
    const said = listMessages(error).join(": ");
    const secret = presented.kind === "token" ? presented.token : "";
    const leaks = secret !== "" && said.includes(secret);
    const message = leaks ? said.replaceAll(secret, "<token>") : said;
    this.#options.onDiagnostic?.({
      code: "MCP_D_VERIFIER_UNAVAILABLE",
      message: `a token could not be verified, and the request was refused with 503: ${message}`,
      ...(leaks ? undefined : { detail: error }),
    });
    const asked = isVerifierUnavailable(error) ? Number(error.retryAfterSeconds) : retryAfterSeconds;
    return { ok: false, reply: createUnavailableReply(asked >= 1 ? Math.ceil(asked) : retryAfterSeconds) };
  }
}

/** How deep causes are looked into: they may go in circles. */
const maxCauses = 8;

/** What failed, and why in the end. */
function listMessages(error: unknown): readonly string[] {
  const said: string[] = [];
  for (let cause = error; cause !== undefined && said.length < maxCauses; ) {
    said.push(cause instanceof Error ? cause.message : String(cause));
    cause = cause instanceof Error ? cause.cause : undefined;
  }
  return said;
}

function schemeOf(presented: Presented): TokenScheme | undefined {
  return presented.kind === "none" ? undefined : presented.scheme;
}

function toAuthInfo(token: string, verified: AcceptedToken): AuthInfo {
  const { clientId, scopes, subject, issuer, expiresAtMs, resource, claims } = verified;
  return {
    token,
    clientId,
    scopes,
    ...(subject === undefined ? undefined : { subject }),
    ...(issuer === undefined ? undefined : { issuer }),
    ...(expiresAtMs === undefined ? undefined : { expiresAtMs }),
    ...(resource === undefined ? undefined : { resource }),
    ...(claims === undefined ? undefined : { claims }),
  };
}

/**
 * A `fetch` that sends the tokens of one server to that server's origin, and nowhere else, and does what its refusals ask.
 *
 * Every request carries the token in a header, never in the URL [AUTH-057] [AUTH-058]. A token takes the place of an
 * `authorization` header that the caller configured; without one, the caller's goes out [PP-100].
 * Specification: Basic > Authorization > Access Token Usage, Error Handling; RFC 6750, RFC 9449, RFC 9470.
 */
import { parseUrl } from "../../../base/url.ts";
import { AuthorizationError, AuthorizationRequiredError } from "../../../protocol/authorization-errors.ts";
import { type AuthChallenge, readAuthChallenge } from "../../challenge.ts";
import type { Fetch, FetchInit } from "../../fetch.ts";
import type { Caller } from "./need.ts";
import { createRefusalError } from "./refusal-error.ts";
import type { Held, Pass, ServerAuthorization } from "./server-authorization.ts";
import { nameOperation, type StepUpLedger } from "./step-up.ts";

/** What an authorized fetch is made from. */
export interface AuthorizedFetchOptions {
  /** Of the MCP endpoint. */
  readonly origin: string;
  readonly authorization: ServerAuthorization;
  /** `undefined` where more scopes are never asked for. */
  readonly stepUps: StepUpLedger | undefined;
  /** Told of the operation that a person was sent away for, to grant more scopes. */
  readonly onAsked: (operation: string, granted: readonly string[]) => void;
  readonly fetch: Fetch;
}

/** Why the server refused a request, as far as anything can be done about it. */
interface Refusal {
  readonly kind: "rejected" | "authentication" | "scopes" | "nonce";
  readonly challenge: AuthChallenge | undefined;
}

/** Most refusals of one request that are answered by other tokens that had been there already. */
const maxReplacements = 3;

/** Wraps a `fetch`. */
export function createAuthorizedFetch(options: AuthorizedFetchOptions): Fetch {
  return async (url, init) =>
    parseUrl(url)?.origin === options.origin
      ? await new AuthorizedRequest(options, url, init).send()
      : await options.fetch(url, init);
}

/** One request until it is answered, or refused for good. */
class AuthorizedRequest {
  readonly #options: AuthorizedFetchOptions;
  readonly #url: string;
  readonly #init: FetchInit;
  readonly #caller: Caller;
  #replacements = 0;
  /** What came in place of refused tokens. */
  #replacement: Held | undefined;
  #isRaised = false;
  /** Set once more scopes were asked for. */
  #operation: string | undefined;

  constructor(options: AuthorizedFetchOptions, url: string, init: FetchInit) {
    this.#options = options;
    this.#url = url;
    this.#init = init;
    this.#caller = { signal: init.signal, hold: init.hold, mayAsk: init.method !== "DELETE" };
  }

  /**
   * @throws {@link AuthorizationError}; {@link AuthorizationRequiredError}, untouched; the signal's reason; what the wrapped
   * `fetch` throws
   */
  async send(): Promise<Response> {
    let pass = await this.#options.authorization.prepare(this.#caller);
    for (;;) {
      const response = await this.#transmit(pass.held);
      const refusal = readRefusal(response, pass.held);
      if (response.ok || refusal?.kind === "scopes") {
        this.#options.authorization.accept(pass);
      }
      if (refusal === undefined) {
        this.#settle(response);
        return response;
      }
      discard(response);
      pass = await this.#answer(refusal, pass);
    }
  }

  /** Sends once, and once more where a proof lacks only the server's newest nonce [X-DPOP-006]. */
  async #transmit(held: Held | undefined): Promise<Response> {
    const response = await this.#sendOnce(held);
    if (readRefusal(response, held)?.kind !== "nonce" || !response.headers.has("dpop-nonce")) {
      return response;
    }
    discard(response);
    return this.#sendOnce(held);
  }

  async #sendOnce(held: Held | undefined): Promise<Response> {
    if (held === undefined) {
      return this.#options.fetch(this.#url, this.#init);
    }
    const { tokens, keys } = held;
    const { method, body } = this.#init;
    const url = this.#url;
    const request = { audience: "resource", method, url, accessToken: tokens.accessToken, body } as const;
    const proof = await keys?.prove(request);
    const response = await this.#options.fetch(url, {
      ...this.#init,
      headers: {
        ...this.#init.headers,
        authorization: `${tokens.tokenType} ${tokens.accessToken}`,
        ...(proof === undefined ? undefined : { dpop: proof }),
      },
    });
    keys?.takeNonce("resource", url, response);
    return response;
  }

  /** What to send the request with instead. */
  async #answer({ kind, challenge }: Refusal, pass: Pass): Promise<Pass> {
    switch (kind) {
      case "nonce":
        throw createRefusalError(challenge, pass.held?.tokens, "the server refused a proof that had its newest nonce");
      case "authentication":
        return this.#authenticate(challenge, pass);
      case "scopes":
        return this.#stepUp(challenge, pass);
      case "rejected":
        return this.#replace(challenge, pass);
    }
  }

  /** One attempt for each request; tokens that were there already, as from another process, do not count [AUTH-055]. */
  async #replace(challenge: AuthChallenge | undefined, pass: Pass): Promise<Pass> {
    const isSpent = this.#replacement !== undefined && pass.held === this.#replacement && pass.held.isReplacement;
    const isLast = isSpent || this.#replacements === maxReplacements;
    this.#replacements += 1;
    const next = await this.#options.authorization.replace(pass, challenge, { ...this.#caller, isLast });
    this.#replacement = next.held;
    return next;
  }

  /** The user has to be authenticated more strongly, or again [AUTHDRAFT-027]. */
  async #authenticate(challenge: AuthChallenge | undefined, pass: Pass): Promise<Pass> {
    if (challenge === undefined || this.#isRaised) {
      const what = "the server still wants the user authenticated in another way after a new login";
      throw createRefusalError(challenge, pass.held?.tokens, what);
    }
    this.#isRaised = true;
    return this.#options.authorization.raise("authentication", pass, challenge, this.#caller);
  }

  /** The operation needs more scopes [AUTH-067]. */
  async #stepUp(challenge: AuthChallenge | undefined, pass: Pass): Promise<Pass> {
    const { stepUps, authorization, onAsked } = this.#options;
    const tokens = pass.held?.tokens;
    const operation = nameOperation(this.#init.method, this.#init.body);
    const needed = challenge?.scopes ?? [];
    const objection =
      stepUps === undefined ? "asking for more is turned off" : stepUps.check(operation, tokens, needed);
    if (challenge === undefined || stepUps === undefined || objection !== undefined) {
      const what = `"${operation}" needs more scopes than were granted, and they are not asked for: ${objection}`;
      throw createRefusalError(challenge, tokens, what);
    }
    const granted = tokens?.grantedScopes ?? [];
    try {
      const next = await authorization.raise("scopes", pass, challenge, this.#caller);
      if (next.held !== undefined && next.held.origin === "grant") {
        stepUps.addSuccess(operation, next.held.tokens, granted);
      }
      this.#operation = operation;
      return next;
    } catch (error) {
      if (error instanceof AuthorizationRequiredError) {
        onAsked(operation, granted);
      } else if (error instanceof AuthorizationError && !error.isTransient) {
        stepUps.addFailure(operation, error, error.oauthError === "access_denied");
      }
      throw error;
    }
  }

  #settle(response: Response): void {
    if (this.#operation !== undefined && response.ok) {
      this.#options.stepUps?.settle(this.#operation);
    }
  }
}

/** Challenges of other schemes are for somebody else, and so are refusals that say nothing of scopes [PP-086]. */
function readRefusal(response: Response, held: Held | undefined): Refusal | undefined {
  const { status, headers } = response;
  if (status !== 401 && status !== 403) {
    return undefined;
  }
  const challenge = readAuthChallenge(response);
  const error = challenge?.error;
  if (error === "insufficient_scope") {
    return { kind: "scopes", challenge };
  }
  if (status === 403 || (challenge === undefined && headers.has("www-authenticate"))) {
    return undefined;
  }
  if (error === "use_dpop_nonce" && held?.keys !== undefined) {
    return { kind: "nonce", challenge };
  }
  return { kind: error === "insufficient_user_authentication" ? "authentication" : "rejected", challenge };
}

/** Lets a refusal go unread, which frees its connection. */
function discard(response: Response): void {
  response.body?.cancel().catch(() => {
    // A body that broke off is gone as well.
  });
}

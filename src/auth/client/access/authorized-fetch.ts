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
import { toShown } from "../tokens/shown-text.ts";
import type { Held, Pass } from "./held.ts";
import type { Caller } from "./need.ts";
import { createRefusalError } from "./refusal-error.ts";
import type { ServerAuthorization } from "./server-authorization.ts";
import { nameOperation, type StepUpLedger } from "./step-up.ts";

/** What an authorized fetch is made from. */
export interface AuthorizedFetchOptions {
  /** Of the MCP endpoint. */
  readonly origin: string;
  readonly authorization: ServerAuthorization;
  /** `undefined` where neither more scopes nor a stronger authentication are ever asked for. */
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

/** Something that is worth more than what the tokens of a request have. */
interface Demand {
  readonly kind: "scopes" | "authentication";
  readonly challenge: AuthChallenge | undefined;
  /** What its attempts are counted under. */
  readonly name: string;
  /** What the operation wants, for the message. */
  readonly what: string;
}

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
  /** What the attempts made for this request are counted under. */
  readonly #asked: string[] = [];

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
    const name = JSON.stringify([this.#name(), challenge.acrValues, challenge.maxAge]);
    return this.#raise(
      { kind: "authentication", challenge, name, what: "the user authenticated in another way" },
      pass,
    );
  }

  /** The operation needs more scopes [AUTH-067]. */
  async #stepUp(challenge: AuthChallenge | undefined, pass: Pass): Promise<Pass> {
    return this.#raise({ kind: "scopes", challenge, name: this.#name(), what: "more scopes than were granted" }, pass);
  }

  /** Asks for more, as long as the ledger has nothing against it [AUTH-069]. */
  async #raise(demand: Demand, pass: Pass): Promise<Pass> {
    const { stepUps, authorization, onAsked } = this.#options;
    const { kind, challenge, name } = demand;
    const want = JSON.stringify([kind, challenge?.scopes, challenge?.acrValues, challenge?.maxAge]);
    const objection = this.#findObjection(demand, want, pass);
    if (challenge === undefined || stepUps === undefined || objection !== undefined) {
      throw this.#toRefusal(demand, pass, objection);
    }
    const granted = pass.held?.tokens.grantedScopes ?? [];
    const end = stepUps.begin(want);
    try {
      const next = await authorization.raise(kind, pass, challenge, this.#caller);
      if (next.held !== undefined && next.held.origin === "grant") {
        stepUps.addSuccess(name, next.held.tokens, granted);
      }
      this.#asked.push(name);
      return next;
    } catch (error) {
      if (error instanceof AuthorizationRequiredError) {
        onAsked(name, granted);
      } else if (error instanceof AuthorizationError && !error.isTransient) {
        stepUps.addFailure(name, error, error.oauthError === "access_denied");
      }
      throw error;
    } finally {
      end();
    }
  }

  #findObjection({ kind, challenge, name }: Demand, want: string, pass: Pass): string | undefined {
    const { stepUps } = this.#options;
    if (stepUps === undefined) {
      return "asking for more is turned off";
    }
    // Whether scopes came of it says nothing about an authentication.
    const tokens = kind === "scopes" ? pass.held?.tokens : undefined;
    return stepUps.check(name, tokens, challenge?.scopes ?? []) ?? stepUps.checkServer(want);
  }

  #toRefusal({ challenge, what }: Demand, pass: Pass, objection: string | undefined): AuthorizationError {
    const operation = toShown(this.#name());
    const message = `"${operation}" at ${this.#options.origin} needs ${what}, and that is not asked for: ${objection}`;
    return createRefusalError(challenge, pass.held?.tokens, message);
  }

  #name(): string {
    return nameOperation(this.#init.method, this.#init.body);
  }

  #settle(response: Response): void {
    if (response.ok) {
      for (const name of this.#asked) {
        this.#options.stepUps?.settle(name);
      }
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

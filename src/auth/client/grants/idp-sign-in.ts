/**
 * Signing in at an enterprise's identity provider in a browser, once for all MCP servers: gives the ID token that the
 * enterprise grant trades. The token is kept in memory until it ends, and goes to the identity provider only.
 *
 * Specification: Extensions > Enterprise-Managed Authorization > User Sign-In; OpenID Connect Core section 3.1.
 */
import {
  allowInsecureRequests,
  calculatePKCECodeChallenge,
  clockSkew,
  customFetch,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
  processAuthorizationCodeResponse,
  validateApplicationLevelSignature,
} from "oauth4webapi";
import { raceAbort } from "../../../base/abort.ts";
import { createDeferred } from "../../../base/deferred.ts";
import { UsageError } from "../../../base/error.ts";
import { type Clock, systemClock } from "../../../base/timer.ts";
import { isLoopbackHost, parseUrl } from "../../../base/url.ts";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import { checkBrowserUrl } from "../../browser-url.ts";
import { checkIssuer } from "../discovery/address.ts";
import type { ServerMetadata } from "../discovery/discovery.ts";
import { assertExtraParameters, toLoginUrl } from "../login/authorization-request.ts";
import { readCallback } from "../login/callback.ts";
import { prepareUserAgent, showPage } from "../login/login-page.ts";
import type { Redirection, UserAgent } from "../login/user-agent.ts";
import { checkRedirectUri } from "../registration/client-metadata.ts";
import { askEndpoint, toRefusalError } from "../tokens/endpoint-answer.ts";
import { findSecrets } from "../tokens/request-secrets.ts";
import { findClaims, isExpired } from "./assertion.ts";
import { ConfiguredClient, type ConfiguredClientOptions } from "./configured-client.ts";
import type { SubjectTokenContext, SubjectTokenSource } from "./enterprise.ts";
import { findIdentityProvider } from "./identity-provider.ts";
import { toScopeParameter } from "./scope-parameter.ts";

/** How long an ID token has to be good for still, beyond what clocks may differ by, in milliseconds. */
const minLifetimeMs = 60_000;

/** Where and how users sign in. */
export interface IdpSignInOptions extends ConfiguredClientOptions {
  /** The identity provider as it names itself: `https:`, or `http:` on loopback. */
  readonly issuer: string;
  /** Shows the sign-in page and brings back the answer. Its redirect URI has to be registered. */
  readonly userAgent: UserAgent;
  /** Scopes besides `openid`. Default: none. */
  readonly scopes?: readonly string[] | undefined;
  /** How long a person may take, in milliseconds. Default 300,000. */
  readonly loginTimeoutMs?: number | undefined;
  /** The `prompt` of OpenID Connect. Default: none. */
  readonly prompt?: string | undefined;
  /** Parameters of the page that this provider wants besides. */
  readonly extraParameters?: Readonly<Record<string, string>> | undefined;
}

/** One sign-in, until its answer is there. */
interface SignIn {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  readonly redirectUri: string;
}

/**
 * Signs a user in at an identity provider, in a browser, whenever there is no ID token that is still good.
 *
 * State, PKCE with S256 and a nonce are used, and the ID token is verified with the provider's published keys.
 * Specification: Extensions > Enterprise-Managed Authorization.
 *
 * @returns what {@link enterpriseManaged} takes as `subjectToken`
 * @throws {@link UsageError} for options that cannot be used; later {@link AuthorizationError}
 * @example
 * ```ts
 * import { enterpriseManaged, signInAtIdp, type UserAgent } from "parley-mcp/auth/client";
 *
 * export function forEmployee(userAgent: UserAgent) {
 *   const idp = { issuer: "https://idp.example", clientId: "chat-app" };
 *   return enterpriseManaged({ idp, subjectToken: signInAtIdp({ ...idp, userAgent }), client: { clientId: "chat-app-2" } });
 * }
 * ```
 */
export function signInAtIdp(options: IdpSignInOptions): SubjectTokenSource {
  const signIn = new IdpSignIn(options);
  return Object.assign((context: SubjectTokenContext) => signIn.findToken(context), { isInteractive: true });
}

class IdpSignIn {
  readonly #options: IdpSignInOptions;
  readonly #client: ConfiguredClient;
  #token: string | undefined;
  /** Settles when those who came before have signed in or given up. */
  #last: Promise<void> = Promise.resolve();

  constructor(options: IdpSignInOptions) {
    const problem = checkIssuer(options.issuer);
    if (problem !== undefined) {
      throw new UsageError(`signInAtIdp: ${problem}`);
    }
    assertExtraParameters(options.extraParameters ?? {});
    this.#options = options;
    this.#client = new ConfiguredClient(options, "signInAtIdp");
  }

  /** One after the other, so that several who need a token have the user sign in once. */
  async findToken(context: SubjectTokenContext): Promise<string> {
    const before = this.#last;
    const done = createDeferred();
    this.#last = before.then(() => done.promise);
    try {
      await raceAbort(before, context.signal);
      const isGood = this.#token !== undefined && !isEnding(this.#token, context.clock);
      this.#token = isGood ? this.#token : await this.#signIn(context);
      return this.#token ?? "";
    } finally {
      done.resolve();
    }
  }

  async #signIn(context: SubjectTokenContext): Promise<string> {
    const { issuer, userAgent, loginTimeoutMs: timeoutMs = 300_000 } = this.#options;
    const idp = await findIdentityProvider(issuer, context, context.signal);
    const redirection = await prepareUserAgent(userAgent, issuer, context.signal);
    try {
      const signIn = toSignIn(redirection);
      const url = await this.#toPage(signIn, idp);
      const page = { url, state: signIn.state, issuer, isOpened: false, timeoutMs };
      const answer = await showPage(redirection, page, context);
      const code = readCallback(answer, { ...signIn, issuer }, idp);
      return await this.#exchange(code, signIn, idp, context);
    } finally {
      await redirection.close();
    }
  }

  async #toPage({ state, nonce, codeVerifier, redirectUri }: SignIn, idp: ServerMetadata): Promise<string> {
    const { issuer, scopes = [], prompt, extraParameters } = this.#options;
    const endpoint = idp.authorization_endpoint ?? "";
    const problem = checkBrowserUrl(endpoint) ?? checkRedirectUri(redirectUri);
    if (problem !== undefined) {
      throw new AuthorizationError(`nobody was sent to sign in at ${issuer}: ${problem}`, {
        stage: "authorization",
        issuer,
      });
    }
    return toLoginUrl(endpoint, {
      ...extraParameters,
      response_type: "code",
      client_id: this.#client.id,
      redirect_uri: redirectUri,
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: "S256",
      prompt,
      ...toScopeParameter(["openid", ...scopes]),
    });
  }

  async #exchange(code: string, signIn: SignIn, idp: ServerMetadata, context: SubjectTokenContext): Promise<string> {
    const { fetch, record, clock, signal } = context;
    const { redirectUri, codeVerifier } = signIn;
    const url = idp.token_endpoint;
    const parameters = {
      grant_type: "authorization_code",
      code,
      redirect_uri: redirectUri,
      code_verifier: codeVerifier,
    };
    const body = new URLSearchParams(parameters);
    const headers = new Headers({ accept: "application/json", "content-type": "application/x-www-form-urlencoded" });
    const { authenticate } = await this.#client.authenticateAt(idp, clock);
    await authenticate(idp, { client_id: this.#client.id }, body, headers);
    const sent = Object.fromEntries(headers);
    const answer = await askEndpoint({
      send: () => fetch(url, { method: "POST", headers: sent, body: body.toString(), signal }),
      signal,
      secrets: () => findSecrets(sent, body),
    });
    const about = { stage: "token", issuer: idp.issuer, url, what: "no ID token from" } as const;
    if (!answer.ok) {
      throw toRefusalError(about, answer, record);
    }
    const verified = await verifyIdToken(answer.body, { clientId: this.#client.id, idp, nonce: signIn.nonce, context });
    if (!verified.ok) {
      throw toRefusalError(about, { problem: verified.problem, isTransient: false }, record);
    }
    record.add("token", "ok", `a person signed in at the identity provider ${idp.issuer}`);
    return verified.token;
  }
}

function toSignIn({ redirectUri }: Redirection): SignIn {
  return {
    state: generateRandomState(),
    nonce: generateRandomNonce(),
    codeVerifier: generateRandomCodeVerifier(),
    redirectUri,
  };
}

/** Whether a token has ended, or does before the provider has read it. */
function isEnding(token: string, clock: Clock): boolean {
  return isExpired(findClaims(token) ?? {}, clock.now() + minLifetimeMs);
}

/** What an ID token is verified with. */
interface Verification {
  readonly clientId: string;
  readonly idp: ServerMetadata;
  readonly nonce: string;
  readonly context: SubjectTokenContext;
}

type Verified = { readonly ok: true; readonly token: string } | { readonly ok: false; readonly problem: string };

/** What oauth4webapi throws has the whole answer in its cause, so that only its message goes on. */
async function verifyIdToken(
  body: { readonly [field: string]: unknown },
  { clientId, idp, nonce, context }: Verification,
): Promise<Verified> {
  const { clock, fetch, signal } = context;
  // The library goes by the system's clock.
  const skewSeconds = Math.round((clock.now() - systemClock.now()) / 1_000);
  const client = { client_id: clientId, [clockSkew]: skewSeconds };
  try {
    const response = Response.json(body);
    const { id_token: token = "" } = await processAuthorizationCodeResponse(idp, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    await validateApplicationLevelSignature(idp, response, {
      signal,
      [allowInsecureRequests]: isLoopbackHost(parseUrl(idp.jwks_uri ?? "")?.hostname ?? ""),
      [customFetch]: (url, { headers }) => fetch(url, { method: "GET", headers, signal }),
    });
    return { ok: true, token };
  } catch (error) {
    signal.throwIfAborted();
    const reason = error instanceof Error ? error.message : String(error);
    return { ok: false, problem: `expected an ID token of this sign-in, signed by the identity provider: ${reason}` };
  }
}

/**
 * The grant in which a person logs in: register, send them to the login page, take the code they come back with, and
 * trade it for tokens.
 *
 * Specification: Basic > Authorization > Authorization Flow; OAuth 2.1 section 4.1.
 */
import type { ClientAuth } from "oauth4webapi";
import { UsageError } from "../../../base/error.ts";
import { AuthorizationError, AuthorizationRequiredError } from "../../../protocol/authorization-errors.ts";
import type { Discovery } from "../discovery/discovery.ts";
import type { Grant, GrantContext, RenewalRequest, RevocationRequest, TokenRequest } from "../grant.ts";
import {
  assertExtraParameters,
  createLogin,
  findLoginPage,
  type LoginOptions,
} from "../login/authorization-request.ts";
import { assertUnchanged, awaitAnswer, beginLogin, takeCode, takeLogin } from "../login/login.ts";
import { prepareUserAgent } from "../login/login-page.ts";
import type { Redirection, UserAgent } from "../login/user-agent.ts";
import { type ClientMetadata, checkRedirectUri } from "../registration/client-metadata.ts";
import { Registrar, type RegistrarOptions } from "../registration/registration.ts";
import type { PendingLogin, Registration, TokenSet } from "../storage/credential.ts";
import { type ClientKey, chooseClientAuth } from "../tokens/client-auth.ts";
import { revokeTokens } from "../tokens/revocation.ts";
import { renewTokens, requestTokens } from "../tokens/token-endpoint.ts";

/** How a person logs in. Exactly one of `userAgent` and `redirectUri` is given. */
export interface AuthorizationCodeOptions {
  /** What the client says of itself when it registers. */
  readonly client: ClientMetadata;
  /** Shows the login page and brings back the answer, as a browser on the person's own machine. */
  readonly userAgent?: UserAgent | undefined;
  /**
   * An address of the application's own that the answer comes to, `https:`, or `http:` on loopback. What needs a login
   * then fails with {@link AuthorizationRequiredError}, whose `url` is where the application sends the person. The address
   * is the same for every authorization server, so that only one that names itself in its answers (`iss`) is safe from
   * another one that passes off its login page: use `approveIssuer` or `issuer` where servers are not trusted.
   */
  readonly redirectUri?: string | undefined;
  /** Client ids agreed on beforehand, each with its issuer. They come first. */
  readonly preregistered?: RegistrarOptions["preregistered"];
  /** An `https:` address at which the client publishes its metadata, and which is then its id. */
  readonly clientIdUrl?: string | undefined;
  /** What the client proves itself by where its registration or its document says `private_key_jwt`. */
  readonly key?: ClientKey | undefined;
  /** Whether the client may register itself where it has no other id. Default true, unless `preregistered` is given. */
  readonly dynamicRegistration?: boolean | undefined;
  /** How long a person may take, in milliseconds. Default 300,000. */
  readonly loginTimeoutMs?: number | undefined;
  /** The `prompt` of OpenID Connect. Default: `consent` where `offline_access` is asked for, otherwise none. */
  readonly prompt?: string | undefined;
  /** Parameters of the login page that a particular server wants besides those of the protocol. */
  readonly extraParameters?: Readonly<Record<string, string>> | undefined;
}

/**
 * Tokens by a person's login.
 *
 * Code exchanges use PKCE with S256 and are never repeated with the same code. A client id that the server no longer
 * knows is replaced once if the client registered itself, and otherwise reported.
 * Specification: Basic > Authorization > Authorization Flow.
 *
 * @throws {@link UsageError} for options that contradict each other
 * @example
 * ```ts
 * import { type AuthorizationCodeOptions, authorizationCode } from "parley-mcp/auth/client";
 *
 * // A web application: its users come back to a page of its own.
 * export function logInAt(client: AuthorizationCodeOptions["client"]) {
 *   return authorizationCode({ client, redirectUri: "https://app.example/callback" });
 * }
 * ```
 */
export function authorizationCode(options: AuthorizationCodeOptions): Grant {
  assertOptions(options);
  return new AuthorizationCodeGrant(options);
}

/** The client that a person logs in to, and how it will prove itself. */
interface LoginClient {
  readonly registration: Registration;
  readonly clientAuth: ClientAuth;
}

/** What a login that was answered has come to. */
interface AnsweredLogin {
  readonly pending: PendingLogin;
  readonly clientAuth: ClientAuth;
  readonly code: string;
}

class AuthorizationCodeGrant implements Grant {
  readonly type = "authorization_code";
  readonly isInteractive = true;
  readonly #options: AuthorizationCodeOptions;
  readonly #registrar: Registrar;

  constructor(options: AuthorizationCodeOptions) {
    this.#options = options;
    this.#registrar = new Registrar({
      metadata: options.client,
      preregistered: options.preregistered,
      clientIdUrl: options.clientIdUrl,
      dynamic: options.dynamicRegistration,
    });
  }

  async obtain(request: TokenRequest, context: GrantContext): Promise<TokenSet> {
    const { userAgent, redirectUri } = this.#options;
    const { discovery, signal } = request;
    findLoginPage(discovery, context);
    if (userAgent === undefined) {
      return this.#sendAway(redirectUri ?? "", request, context);
    }
    const issuer = this.#registrar.registersItself(discovery) ? discovery.issuer : undefined;
    const redirection = await prepareUserAgent(userAgent, discovery.issuer, signal, { issuer });
    try {
      const answered = await this.#logIn(redirection, request, context);
      return await this.#exchangeCode(answered, discovery, context);
    } finally {
      await redirection.close();
    }
  }

  async renew({ discovery, tokens, signal }: RenewalRequest, context: GrantContext): Promise<TokenSet> {
    const registration = await this.#findClient(tokens, "refresh", context);
    const clientAuth = this.#authenticate(discovery, registration, context);
    try {
      return await renewTokens({ discovery, tokens, registration, clientAuth, signal }, context);
    } catch (error) {
      if (isLostClient(error, registration)) {
        await this.#registrar.discard(registration, context);
      }
      throw error;
    }
  }

  async revoke({ discovery, tokens, signal }: RevocationRequest, context: GrantContext): Promise<void> {
    const { issuer, clientId } = tokens;
    // A registration that was forgotten leaves the bare id, which is all that public clients have.
    const registration: Registration = (await this.#registrar.find(issuer, clientId, context)) ?? {
      kind: "preregistered",
      issuer,
      clientId,
      redirectUris: [],
    };
    const clientAuth = this.#authenticate(discovery, registration, context);
    await revokeTokens({ discovery, tokens, clientAuth, signal }, context);
  }

  async complete(
    callbackUrl: string,
    discover: (pending: { server: string; issuer: string }) => Promise<Discovery>,
    context: GrantContext,
  ): Promise<{ readonly server: string; readonly tokens: TokenSet }> {
    const { discovery, answered } = await takeLogin(callbackUrl, context, async (pending) => {
      const found = await discover({ server: pending.server, issuer: pending.issuer });
      assertUnchanged(found, pending);
      const code = takeCode(callbackUrl, pending, found, context);
      const registration = await this.#findClient(pending, "authorization", context);
      const clientAuth = this.#authenticate(found, registration, context);
      return { discovery: found, answered: { pending, clientAuth, code } };
    });
    const tokens = await this.#exchangeCode(answered, discovery, context);
    return { server: answered.pending.server, tokens };
  }

  /**
   * Where the answer comes to the application: it sends the person, and `complete` gets what comes back. Each caller may be
   * another person, so that nobody goes on with a login that somebody else began.
   */
  async #sendAway(redirectUri: string, request: TokenRequest, context: GrantContext): Promise<never> {
    const { registration } = await this.#register(redirectUri, request, context);
    const login = await createLogin(this.#toLogin(registration, redirectUri, request), context);
    await context.credentials.savePending({ ...login, isOpened: true });
    context.record.add("authorization", "ok", "a person has to log in before tokens can be had");
    throw new AuthorizationRequiredError(
      login.url,
      `a person has to log in at ${login.issuer} first: send them to the "url" of this error`,
    );
  }

  /** Asks the person, and once more with another client id where the server has forgotten ours [PP-094]. */
  async #logIn(redirection: Redirection, request: TokenRequest, context: GrantContext): Promise<AnsweredLogin> {
    const { redirectUri } = redirection;
    const client = await this.#register(redirectUri, request, context);
    try {
      return await this.#ask(client, redirection, request, context);
    } catch (error) {
      if (!isLostClient(error, client.registration)) {
        throw error;
      }
      context.record.add("registration", "failed", "the server no longer knows the client, which registers anew");
      await this.#registrar.discard(client.registration, context);
      return await this.#ask(await this.#register(redirectUri, request, context), redirection, request, context);
    }
  }

  async #ask(
    { registration, clientAuth }: LoginClient,
    redirection: Redirection,
    request: TokenRequest,
    context: GrantContext,
  ): Promise<AnsweredLogin> {
    const login = await beginLogin(this.#toLogin(registration, redirection.redirectUri, request), context);
    const answer = await awaitAnswer(redirection, login, request, context);
    const pending = await context.credentials.takePending(login.state);
    if (pending === undefined) {
      throw new AuthorizationError(`the login at ${login.issuer} was answered, but somebody else has used the answer`, {
        stage: "authorization",
        issuer: login.issuer,
      });
    }
    return { pending, clientAuth, code: takeCode(answer, pending, request.discovery, context) };
  }

  /** The client, once it is clear that the server will take its proof: before a person logs in. */
  async #register(redirectUri: string, request: TokenRequest, context: GrantContext): Promise<LoginClient> {
    const { discovery, signal } = request;
    const registration = await this.#registrar.register({ discovery, redirectUri, signal }, context);
    return { registration, clientAuth: this.#authenticate(discovery, registration, context) };
  }

  #authenticate({ server }: Discovery, registration: Registration, { clock }: GrantContext): ClientAuth {
    return chooseClientAuth(server, registration, this.#options.key, clock).authenticate;
  }

  /**
   * Trades a code for tokens, once: where that fails the code is spent [PP-094]. It runs to its end, whoever still waits:
   * what the server gives for the code it gives once.
   */
  async #exchangeCode(
    { pending, clientAuth, code }: AnsweredLogin,
    discovery: Discovery,
    context: GrantContext,
  ): Promise<TokenSet> {
    return requestTokens(
      {
        discovery,
        clientId: pending.clientId,
        clientAuth,
        grantType: "authorization_code",
        parameters: { code, redirect_uri: pending.redirectUri, code_verifier: pending.codeVerifier },
        scopes: pending.scopes,
        stage: "token",
        signal: new AbortController().signal,
      },
      context,
    );
  }

  #toLogin({ clientId }: Registration, redirectUri: string, request: TokenRequest): LoginOptions {
    const { loginTimeoutMs: timeoutMs = 300_000, prompt, extraParameters } = this.#options;
    return { request, clientId, redirectUri, timeoutMs, prompt, extraParameters };
  }

  async #findClient(
    { issuer, clientId }: { readonly issuer: string; readonly clientId: string },
    stage: "authorization" | "refresh",
    context: GrantContext,
  ): Promise<Registration> {
    const registration = await this.#registrar.find(issuer, clientId, context);
    if (registration === undefined) {
      throw new AuthorizationError(
        `the client that began at ${issuer} is no longer registered; a person must log in anew`,
        { stage, issuer },
      );
    }
    return registration;
  }
}

/** Whether a server no longer knows a client that registered itself. */
function isLostClient(error: unknown, registration: Registration): boolean {
  return (
    error instanceof AuthorizationError && error.oauthError === "invalid_client" && registration.kind === "dynamic"
  );
}

function assertOptions(options: AuthorizationCodeOptions): void {
  const { client, userAgent, redirectUri, loginTimeoutMs, extraParameters } = options;
  if (typeof client?.clientName !== "string" || client.clientName.trim() === "") {
    throw new UsageError("authorizationCode: client.clientName: expected the name of the program, got none");
  }
  if ((userAgent === undefined) === (redirectUri === undefined)) {
    throw new UsageError("authorizationCode: expected either userAgent or redirectUri, and not both");
  }
  const problem = redirectUri === undefined ? undefined : checkRedirectUri(redirectUri);
  if (problem !== undefined) {
    throw new UsageError(`authorizationCode: redirectUri cannot be used: ${problem}`);
  }
  if (loginTimeoutMs !== undefined && !(loginTimeoutMs > 0)) {
    throw new UsageError(`authorizationCode: loginTimeoutMs: expected a positive number, got ${loginTimeoutMs}`);
  }
  assertExtraParameters(extraParameters ?? {});
}

/**
 * The page a person is sent to in order to log in, and what has to be remembered until they come back.
 *
 * Only says what the address is: who opens it is the user agent, what comes back is read by callback.ts.
 * Specification: Basic > Authorization > Authorization Code Protection; OAuth 2.1 section 4.1.1, RFC 7636, RFC 8707, RFC 9470.
 */
import { calculatePKCECodeChallenge, generateRandomCodeVerifier, generateRandomState } from "oauth4webapi";
import { UsageError } from "../../../base/error.ts";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import { checkBrowserUrl } from "../../browser-url.ts";
import type { Discovery } from "../discovery/discovery.ts";
import { checkPkce } from "../discovery/server-metadata.ts";
import type { GrantContext, TokenRequest } from "../grant.ts";
import { toScopeParameter } from "../grants/scope-parameter.ts";
import { checkRedirectUri } from "../registration/client-metadata.ts";
import type { PendingLogin } from "../storage/credential.ts";

/** What a login is made from. */
export interface LoginOptions {
  readonly request: TokenRequest;
  readonly clientId: string;
  readonly redirectUri: string;
  /** How long it may take, in milliseconds. */
  readonly timeoutMs: number;
  /** The `prompt` parameter; `undefined` leaves it out, unless the scopes demand one. */
  readonly prompt?: string | undefined;
  /** Parameters that a particular server wants besides. */
  readonly extraParameters?: Readonly<Record<string, string>> | undefined;
}

/** Parameters that are the protocol's own. */
const protocolParameters: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "acr_values",
  "client_id",
  "code_challenge",
  "code_challenge_method",
  "max_age",
  "nonce",
  "prompt",
  "redirect_uri",
  "request",
  "request_uri",
  "resource",
  "response_mode",
  "response_type",
  "scope",
  "state",
]);

/**
 * Refuses extra parameters that would take the place of the protocol's own.
 *
 * @throws {@link UsageError}
 */
export function assertExtraParameters(parameters: Readonly<Record<string, string>>): void {
  for (const name of Object.keys(parameters)) {
    if (protocolParameters.has(name)) {
      throw new UsageError(`extraParameters: "${name}" is set by the protocol and cannot be given here; leave it out`);
    }
  }
}

/**
 * The address of a server's login page, once it is clear that a login there is of use: asked before anything is
 * registered and before anybody logs in.
 *
 * @throws {@link AuthorizationError} where the server does not announce S256 [AUTH-046], or has no page that a browser can
 * be sent to [SEC-024]
 */
export function findLoginPage({ issuer, server }: Discovery, context: Pick<GrantContext, "record">): string {
  const page =
    server.authorization_endpoint ??
    fail(issuer, "its metadata names no authorization_endpoint, so it has no page", context);
  const addressProblem = checkBrowserUrl(page);
  if (addressProblem !== undefined) {
    fail(issuer, `its authorization_endpoint cannot be used: ${addressProblem}`, context);
  }
  const pkceProblem = checkPkce(server);
  return pkceProblem === undefined ? page : fail(issuer, pkceProblem, context);
}

function fail(issuer: string, problem: string, { record }: Pick<GrantContext, "record">): never {
  record.add("authorization", "failed", problem);
  throw new AuthorizationError(`nobody was sent to log in at ${issuer}: ${problem}`, {
    stage: "authorization",
    issuer,
  });
}

/**
 * Makes a login: its page, with a state and a code verifier of its own [AUTH-045] [AUTH-050], bound to the issuer that
 * was found [M-AUTH-001].
 *
 * @throws {@link AuthorizationError} as {@link findLoginPage} does, or where the redirect URI is none [AUTH-048]
 */
export async function createLogin(options: LoginOptions, context: GrantContext): Promise<PendingLogin> {
  const { request, clientId, redirectUri } = options;
  const { discovery, server, scopes } = request;
  const endpoint = findLoginPage(discovery, context);
  const problem = checkRedirectUri(redirectUri);
  if (problem !== undefined) {
    fail(discovery.issuer, `its redirect URI cannot be used: ${problem}`, context);
  }
  const state = generateRandomState();
  const codeVerifier = generateRandomCodeVerifier();
  const url = toLoginUrl(endpoint, {
    ...options.extraParameters,
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: "S256",
    resource: context.sendsResource ? discovery.resource : undefined,
    ...toScopeParameter(scopes),
    acr_values: request.acrValues,
    max_age: request.maxAge?.toString(),
    prompt: options.prompt ?? defaultPrompt(scopes),
  });
  return {
    state,
    codeVerifier,
    issuer: discovery.issuer,
    resource: discovery.resource,
    server,
    clientId,
    redirectUri,
    scopes: scopes ?? [],
    url,
    expiresAtMs: context.clock.now() + options.timeoutMs,
    isOpened: false,
  };
}

/** An endpoint with parameters added to the query it has; an `undefined` one is left out. */
export function toLoginUrl(endpoint: string, parameters: Readonly<Record<string, string | undefined>>): string {
  const url = new URL(endpoint);
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) {
      url.searchParams.set(name, value);
    }
  }
  return url.href;
}

/** Access while the person is away needs their consent each time: OpenID Connect Core section 11. */
function defaultPrompt(scopes: readonly string[] | undefined): string | undefined {
  return scopes?.includes("offline_access") ? "consent" : undefined;
}

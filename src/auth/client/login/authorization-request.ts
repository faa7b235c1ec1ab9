/**
 * The page a person is sent to in order to log in, and what has to be remembered until they come back.
 *
 * Only says what the address is: who opens it is the user agent, what comes back is read by callback.ts.
 * Specification: Basic > Authorization > Authorization Code Protection; OAuth 2.1 section 4.1.1, RFC 7636, RFC 8707, RFC 9470.
 */
import { calculatePKCECodeChallenge, generateRandomCodeVerifier, generateRandomState } from "oauth4webapi";
import { UsageError } from "../../../base/error.ts";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import { checkAddress } from "../discovery/address.ts";
import { checkPkce } from "../discovery/server-metadata.ts";
import type { GrantContext, TokenRequest } from "../grant.ts";
import { toScopeParameter } from "../grants/scope-parameter.ts";
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
 * Makes a login: its page, with a state and a code verifier of its own [AUTH-045] [AUTH-050], bound to the issuer that
 * was found [M-AUTH-001].
 *
 * @throws {@link AuthorizationError} where the server does not announce S256 [AUTH-046], or one of the two addresses is
 * none to send a browser to [AUTH-048] [SEC-024]
 */
export async function createLogin(options: LoginOptions, context: GrantContext): Promise<PendingLogin> {
  const { request, clientId, redirectUri } = options;
  const { discovery, server, scopes } = request;
  const fail = (problem: string): never => {
    context.record.add("authorization", "failed", problem);
    throw new AuthorizationError(`nobody was sent to log in at ${discovery.issuer}: ${problem}`, {
      stage: "authorization",
      issuer: discovery.issuer,
    });
  };
  const endpoint =
    discovery.server.authorization_endpoint ?? fail("its metadata names no authorization_endpoint, so it has no page");
  for (const [name, address] of [
    ["authorization_endpoint", endpoint],
    ["redirect URI", redirectUri],
  ] as const) {
    const problem = checkAddress(address);
    if (problem !== undefined) {
      fail(`its ${name} cannot be used: ${problem}`);
    }
  }
  const pkceProblem = checkPkce(discovery.server);
  if (pkceProblem !== undefined) {
    fail(pkceProblem);
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

/**
 * One exchange at the token endpoint, whatever the grant: something goes in, a set of tokens comes out.
 *
 * When to ask, and what for, is the business of grants; how requests get out is that of the guarded fetch.
 * Specification: Basic > Authorization > Resource Parameter Implementation; RFC 6749 section 5, RFC 8707, RFC 9449.
 */
import { allowInsecureRequests, type ClientAuth, customFetch, genericTokenEndpointRequest } from "oauth4webapi";
import { isLoopbackHost, parseUrl } from "../../../base/url.ts";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import { toShownUrl } from "../../strict-url.ts";
import type { Discovery } from "../discovery/discovery.ts";
import type { GrantContext } from "../grant.ts";
import type { Registration, TokenSet } from "../storage/credential.ts";
import { askEndpoint, type EndpointAnswer, type Refusal, toRefusalError } from "./endpoint-answer.ts";
import { findSecrets } from "./request-secrets.ts";
import { toShown } from "./shown-text.ts";
import { readTokens } from "./token-response.ts";

/** What is to be exchanged for tokens. */
export interface TokenExchange {
  readonly discovery: Discovery;
  readonly clientId: string;
  readonly clientAuth: ClientAuth;
  readonly grantType: string;
  /** Parameters of the grant, `scope` among them where it is wanted. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The scopes asked for, to be noted with the tokens. */
  readonly scopes: readonly string[] | undefined;
  readonly stage: "token" | "refresh";
  /** The tokens that are renewed: what the answer does not mention stays as it was. */
  readonly previous?: TokenSet | undefined;
  readonly signal: AbortSignal;
}

/** Tokens to be renewed. */
export interface TokenRenewal {
  readonly discovery: Discovery;
  readonly tokens: TokenSet & { readonly refreshToken: string };
  /** Who the tokens were issued to. */
  readonly registration: Registration;
  readonly clientAuth: ClientAuth;
  readonly signal: AbortSignal;
}

/** What helps against the refusals that are often met. */
const advice: ReadonlyMap<string, string> = /* @__PURE__ */ new Map([
  ["invalid_client", "check the client's id, its secret or key, and how it is to authenticate"],
  ["invalid_grant", "what was exchanged is used up, expired or revoked: a new login is needed"],
  ["invalid_scope", "ask for other scopes"],
  ["invalid_target", "the server does not issue tokens for this resource"],
  ["unauthorized_client", "allow the grant type for this client at the authorization server"],
  ["unsupported_grant_type", "the server does not offer this grant type"],
]);

/**
 * Exchanges something for tokens.
 *
 * @throws {@link AuthorizationError}, transient where the server was out of reach or failing; the signal's reason
 */
export async function requestTokens(exchange: TokenExchange, context: GrantContext): Promise<TokenSet> {
  const { discovery, clientId, grantType, scopes, previous, stage } = exchange;
  const { issuer, resource, server } = discovery;
  const url = server.token_endpoint;
  const fail = (refusal: Refusal): never => {
    throw toRefusalError({ stage, issuer, url, what: `no tokens by ${grantType} from` }, refusal, context.record);
  };
  const answer = await ask(exchange, context, true);
  if (!answer.ok) {
    const hint = advice.get(answer.oauthError ?? "");
    return fail(hint === undefined ? answer : { ...answer, problem: `${answer.problem}; ${hint}` });
  }
  const receivedAtMs = context.clock.now();
  const hasProof = context.dpop !== undefined;
  const reading = readTokens(answer.body, { issuer, resource, clientId, scopes, previous, hasProof, receivedAtMs });
  if (!reading.ok) {
    return fail({ problem: reading.problem, isTransient: false });
  }
  context.record.add(stage, "ok", describeTokens(grantType, reading.tokens), toShownUrl(url));
  return reading.tokens;
}

/**
 * Renews tokens by their refresh token. No scope is named, so that the grant stays whole.
 *
 * @throws {@link AuthorizationError} with `oauthError` as the server named it; the signal's reason
 */
export async function renewTokens(renewal: TokenRenewal, context: GrantContext): Promise<TokenSet> {
  const { discovery, tokens, registration, clientAuth, signal } = renewal;
  const { issuer } = discovery;
  const isOfBoth =
    tokens.issuer === issuer && registration.issuer === issuer && registration.clientId === tokens.clientId;
  if (!isOfBoth) {
    throw new AuthorizationError(
      `tokens of ${tokens.issuer} for client "${toShown(tokens.clientId)}" are not renewed at ${issuer} by client "${toShown(registration.clientId)}" of ${registration.issuer}: they belong to another issuer or client; log in anew`,
      { stage: "refresh", issuer },
    );
  }
  return requestTokens(
    {
      discovery,
      clientId: tokens.clientId,
      clientAuth,
      grantType: "refresh_token",
      parameters: { refresh_token: tokens.refreshToken },
      scopes: undefined,
      stage: "refresh",
      previous: tokens,
      signal,
    },
    context,
  );
}

/** Asks once, and once more with a new proof where the server wants a nonce in it and gives one [X-DPOP-005]. */
async function ask(exchange: TokenExchange, context: GrantContext, mayRepeat: boolean): Promise<EndpointAnswer> {
  const { discovery, clientId, clientAuth, grantType, signal } = exchange;
  const { server } = discovery;
  const url = server.token_endpoint;
  const resource = context.sendsResource ? { resource: discovery.resource } : undefined;
  let secrets = findSecrets({}, Object.entries(exchange.parameters));
  let bringsNonce = false;
  const send = async (): Promise<Response> => {
    const proof = await context.dpop?.prove({ audience: "authorization-server", method: "POST", url });
    const parameters = { ...exchange.parameters, ...resource };
    const response = await genericTokenEndpointRequest(
      server,
      { client_id: clientId },
      clientAuth,
      grantType,
      parameters,
      {
        headers: proof === undefined ? {} : { dpop: proof },
        signal,
        [allowInsecureRequests]: isLoopbackHost(parseUrl(url)?.hostname ?? ""),
        [customFetch]: (address, { headers, body }) => {
          secrets = findSecrets(headers, body);
          return context.fetch(address, { method: "POST", headers, body: body.toString(), signal });
        },
      },
    );
    context.dpop?.takeNonce("authorization-server", url, response);
    // Also one that is known by now, from the answer to another request: this one's proof did not have it yet.
    bringsNonce = context.dpop !== undefined && response.headers.has("dpop-nonce");
    return response;
  };
  const answer = await askEndpoint({ send, signal, secrets: () => secrets });
  const wantsNonce = !answer.ok && answer.oauthError === "use_dpop_nonce" && bringsNonce;
  return wantsNonce && mayRepeat ? ask(exchange, context, false) : answer;
}

function describeTokens(grantType: string, tokens: TokenSet): string {
  const { tokenType, expiresAtMs, receivedAtMs, grantedScopes, refreshToken } = tokens;
  const lifetime =
    expiresAtMs === undefined ? "no stated end" : `${Math.round((expiresAtMs - receivedAtMs) / 1_000)} s`;
  const scopes = grantedScopes.length === 0 ? "no named scopes" : `scopes ${grantedScopes.join(" ")}`;
  const renewal = refreshToken === undefined ? "not renewable" : "renewable";
  return `${grantType} gave a ${tokenType} token: ${lifetime}, ${scopes}, ${renewal}`;
}

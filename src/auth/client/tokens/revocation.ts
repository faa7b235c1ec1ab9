/**
 * Telling an authorization server that a token is no longer wanted, as at logout.
 *
 * Forgetting the token is the business of whoever keeps it. Specification: RFC 7009.
 */
import { allowInsecureRequests, type ClientAuth, customFetch, revocationRequest } from "oauth4webapi";
import { isLoopbackHost, parseUrl } from "../../../base/url.ts";
import { toShownUrl } from "../../strict-url.ts";
import type { Discovery } from "../discovery/discovery.ts";
import type { GrantContext } from "../grant.ts";
import type { TokenSet } from "../storage/credential.ts";
import { askEndpoint, toRefusalError } from "./endpoint-answer.ts";
import { findSecrets } from "./request-secrets.ts";

/** Tokens to be revoked. */
export interface TokenRevocation {
  readonly discovery: Discovery;
  readonly tokens: Pick<TokenSet, "accessToken" | "refreshToken" | "clientId">;
  readonly clientAuth: ClientAuth;
  readonly signal: AbortSignal;
}

/**
 * Revokes the refresh token, with which servers end the whole grant; without one, the access token.
 *
 * @returns whether there is anybody to tell: servers need not offer this
 * @throws {@link AuthorizationError}, transient where the server was out of reach or failing; the signal's reason
 */
export async function revokeTokens(revocation: TokenRevocation, context: GrantContext): Promise<boolean> {
  const { discovery, tokens, clientAuth, signal } = revocation;
  const { accessToken, refreshToken, clientId } = tokens;
  const token = refreshToken ?? accessToken;
  const tokenTypeHint = refreshToken === undefined ? "access_token" : "refresh_token";
  const { issuer, server } = discovery;
  const url = server.revocation_endpoint;
  if (url === undefined) {
    context.record.add("token", "skipped", `${issuer} offers no revocation_endpoint`);
    return false;
  }
  let secrets: readonly string[] = [token];
  const send = (): Promise<Response> =>
    revocationRequest(server, { client_id: clientId }, clientAuth, token, {
      additionalParameters: { token_type_hint: tokenTypeHint },
      signal,
      [allowInsecureRequests]: isLoopbackHost(parseUrl(url)?.hostname ?? ""),
      [customFetch]: (address, { headers, body }) => {
        secrets = findSecrets(headers, body);
        return context.fetch(address, { method: "POST", headers, body: body.toString(), signal });
      },
    });
  const answer = await askEndpoint({ send, signal, secrets: () => secrets, isBodyOptional: true });
  if (!answer.ok) {
    throw toRefusalError({ stage: "token", issuer, url, what: "a token was not revoked at" }, answer, context.record);
  }
  context.record.add("token", "ok", `revoked the ${tokenTypeHint.replace("_", " ")}`, toShownUrl(url));
  return true;
}

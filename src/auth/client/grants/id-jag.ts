/**
 * The identity provider's word that a user may use an MCP server: an identity assertion (ID-JAG), had by token exchange.
 *
 * It is for the authorization server of that MCP server alone. Whoever asks for one passes it on at once; nothing keeps it.
 * Specification: Extensions > Enterprise-Managed Authorization > Token Exchange; RFC 8693.
 */
import type { ClientAuth } from "oauth4webapi";
import { toShownUrl } from "../../strict-url.ts";
import type { ServerMetadata } from "../discovery/discovery.ts";
import type { GrantContext } from "../grant.ts";
import { askEndpoint, toRefusalError } from "../tokens/endpoint-answer.ts";
import { findSecrets } from "../tokens/request-secrets.ts";
import { toScopeParameter } from "./scope-parameter.ts";

const idJagType = "urn:ietf:params:oauth:token-type:id-jag";

/** What a user signed in with. */
export interface SubjectToken {
  readonly token: string;
  /** Default `id_token`. Which other kinds are taken is the identity provider's choice. */
  readonly type?: "id_token" | "refresh_token" | "saml2" | "access_token" | undefined;
}

/** What is to be exchanged, and for whom. */
export interface IdJagRequest {
  readonly idp: ServerMetadata;
  readonly clientId: string;
  readonly clientAuth: ClientAuth;
  readonly subject: SubjectToken;
  /** Issuer of the authorization server that the assertion is for. */
  readonly audience: string;
  readonly resource: string;
  readonly scopes: readonly string[] | undefined;
  readonly signal: AbortSignal;
}

/**
 * Asks an identity provider for an assertion.
 *
 * @throws {@link AuthorizationError} whose `issuer` is the identity provider, with its `oauthError`; the signal's reason
 */
export async function requestIdJag(request: IdJagRequest, { fetch, record }: GrantContext): Promise<string> {
  const { idp, clientId, clientAuth, signal, audience } = request;
  const url = idp.token_endpoint;
  const body = toBody(request);
  const headers = new Headers({ accept: "application/json", "content-type": "application/x-www-form-urlencoded" });
  await clientAuth(idp, { client_id: clientId }, body, headers);
  const sent = Object.fromEntries(headers);
  const answer = await askEndpoint({
    send: () => fetch(url, { method: "POST", headers: sent, body: body.toString(), signal }),
    signal,
    secrets: () => findSecrets(sent, body),
  });
  const about = { stage: "token", issuer: idp.issuer, url, what: `no assertion for ${audience} from` } as const;
  if (!answer.ok) {
    const { problem } = answer;
    const hint = "the identity provider decides about this user, client, server and scopes";
    throw toRefusalError(
      about,
      { ...answer, problem: answer.oauthError === undefined ? problem : `${problem}; ${hint}` },
      record,
    );
  }
  const { issued_token_type: type, access_token: assertion } = answer.body;
  if (type !== idJagType || typeof assertion !== "string" || assertion === "") {
    const got =
      type === idJagType ? "no token" : type === undefined ? "no issued_token_type" : "a token of another type";
    const problem = `expected a token with the issued_token_type ${idJagType}, got ${got}`;
    throw toRefusalError(about, { problem, isTransient: false }, record);
  }
  record.add("token", "ok", `the identity provider gave an assertion for ${audience}`, toShownUrl(url));
  return assertion;
}

function toBody({ subject, audience, resource, scopes }: IdJagRequest): URLSearchParams {
  return new URLSearchParams({
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    requested_token_type: idJagType,
    subject_token: subject.token,
    subject_token_type: `urn:ietf:params:oauth:token-type:${subject.type ?? "id_token"}`,
    audience,
    resource,
    ...toScopeParameter(scopes),
  });
}

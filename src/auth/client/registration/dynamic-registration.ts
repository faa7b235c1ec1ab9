/**
 * Registering a client at an authorization server that has an endpoint for it: one POST, and one more where the kind of
 * application was what the server objected to.
 *
 * Whether to register at all is decided by registration.ts; keeping the result is registration-history.ts.
 * Specification: Basic > Authorization > Dynamic Client Registration; RFC 7591 section 3.
 */

import { toShownUrl } from "../../strict-url.ts";
import type { Discovery } from "../discovery/discovery.ts";
import type { GrantContext } from "../grant.ts";
import type { Registration } from "../storage/credential.ts";
import { askEndpoint, type EndpointAnswer, type Refusal, toRefusalError } from "../tokens/endpoint-answer.ts";
import { toShown } from "../tokens/shown-text.ts";
import { type ClientMetadata, type ClientMetadataFields, toRegistrationRequest } from "./client-metadata.ts";

/** Who registers, and where. */
export interface DynamicRegistration {
  readonly metadata: ClientMetadata;
  readonly discovery: Discovery;
  /** The server's `registration_endpoint`. */
  readonly endpoint: string;
  readonly redirectUri: string;
  readonly signal: AbortSignal;
}

/** What of an answer is sent and shown later, and how long it may be, in characters. */
const textFields = ["client_id", "client_secret", "token_endpoint_auth_method"] as const;
const maxTextLength = 2_048;

/** A registration, or what is wrong with the answer. */
type RegistrationReading =
  | { readonly ok: true; readonly registration: Registration }
  | { readonly ok: false; readonly problem: string };

/**
 * Registers a client.
 *
 * @throws {@link AuthorizationError}, transient where the server was out of reach or failing; the signal's reason
 */
export async function registerClient(request: DynamicRegistration, context: GrantContext): Promise<Registration> {
  const { metadata, discovery, endpoint: url, redirectUri } = request;
  const { issuer, server } = discovery;
  const fail = (refusal: Refusal): never => {
    const what = "the client is not registered at";
    throw toRefusalError({ stage: "registration", issuer, url, what }, refusal, context.record);
  };
  const fields = toRegistrationRequest(metadata, [redirectUri], server);
  const answer = await registerAs(fields, request, context);
  if (!answer.ok) {
    return fail(isAboutRedirect(answer) ? nameRedirect(answer, redirectUri) : answer);
  }
  const reading = readRegistration(answer.body, issuer, redirectUri);
  if (!reading.ok) {
    return fail({ problem: reading.problem, isTransient: false });
  }
  const { clientId } = reading.registration;
  context.record.add("registration", "ok", `registered as "${toShown(clientId)}" for ${redirectUri}`, toShownUrl(url));
  return reading.registration;
}

/** Registers, and once more as the other kind of application where the redirect address was refused [M-AUTH-016]. */
async function registerAs(
  fields: ClientMetadataFields,
  request: DynamicRegistration,
  context: GrantContext,
): Promise<EndpointAnswer> {
  const answer = await post(fields, request, context);
  if (answer.ok || !isAboutRedirect(answer)) {
    return answer;
  }
  const other = fields.application_type === "native" ? "web" : "native";
  const detail = `${answer.problem}; trying application_type ${other} instead of ${fields.application_type}`;
  context.record.add("registration", "failed", detail, toShownUrl(request.endpoint));
  return post({ ...fields, application_type: other }, request, context);
}

function post(
  fields: ClientMetadataFields,
  { endpoint, signal }: DynamicRegistration,
  context: GrantContext,
): Promise<EndpointAnswer> {
  const headers = { "content-type": "application/json", accept: "application/json" };
  const send = (): Promise<Response> =>
    context.fetch(endpoint, { method: "POST", headers, body: JSON.stringify(fields), signal });
  return askEndpoint({ send, signal, secrets: () => [] });
}

function isAboutRedirect({ oauthError, problem }: Refusal): boolean {
  return (
    oauthError === "invalid_redirect_uri" ||
    (oauthError === "invalid_client_metadata" && /redirect|application_type/i.test(problem))
  );
}

function nameRedirect(refusal: Refusal, redirectUri: string): Refusal {
  const problem = `${refusal.problem}; the server does not take the redirect address ${redirectUri}, neither of a native nor of a web application: use another address, or register a client by hand and configure it as preregistered`;
  return { ...refusal, problem };
}

/** Status 200 instead of 201, and numbers as text, are taken too. */
function readRegistration(
  body: { readonly [field: string]: unknown },
  issuer: string,
  redirectUri: string,
): RegistrationReading {
  const clientId = readText(body.client_id);
  if (clientId === undefined) {
    return { ok: false, problem: "expected a client_id, got none" };
  }
  const strange = textFields.find((name) => !isSendable(readText(body[name]) ?? ""));
  if (strange !== undefined) {
    return { ok: false, problem: `expected a ${strange} of at most ${maxTextLength} printable ASCII characters` };
  }
  const clientSecret = readText(body.client_secret);
  const registration: Registration = {
    kind: "dynamic",
    issuer,
    clientId,
    clientSecret,
    secretExpiresAtMs: clientSecret === undefined ? undefined : readExpiry(body.client_secret_expires_at),
    tokenEndpointAuthMethod: readMethod(body.token_endpoint_auth_method, clientSecret),
    redirectUris: [redirectUri],
  };
  return { ok: true, registration };
}

/** Zero is for ever. */
function readExpiry(value: unknown): number | undefined {
  const seconds = Number(value);
  return seconds > 0 ? seconds * 1_000 : undefined;
}

/** Some servers name the default method, which needs a secret, to clients that get none: they cannot mean it. */
function readMethod(value: unknown, clientSecret: string | undefined): string | undefined {
  const method = readText(value);
  return clientSecret === undefined && method?.startsWith("client_secret_") ? undefined : method;
}

/** The VSCHAR of RFC 6749 appendix A. */
function isSendable(text: string): boolean {
  return text.length <= maxTextLength && /^[\x20-\x7e]*$/.test(text);
}

function readText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

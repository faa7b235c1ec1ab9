/**
 * What a client says about itself: in a registration request, and in the document that its id points to.
 *
 * Nothing here fetches: registration.ts chooses how a client is known, dynamic-registration.ts sends.
 * Specification: Basic > Authorization > Client Registration; RFC 7591 section 2, OpenID Connect Registration 1.0.
 */
import type { JWK } from "jose";
import { UsageError } from "../../../base/error.ts";
import { isObject } from "../../../base/json.ts";
import { isLoopbackHost, parseUrl } from "../../../base/url.ts";
import { quote } from "../../../protocol/header-value.ts";
import { checkAddress } from "../discovery/address.ts";
import type { ServerMetadata } from "../discovery/discovery.ts";

/**
 * What a program states about itself to authorization servers. Specification: Basic > Authorization > Client
 * Registration.
 *
 * @example
 * ```ts
 * import type { ClientMetadata } from "parley-mcp/auth/client";
 *
 * export const metadata: ClientMetadata = { clientName: "Example Editor", softwareVersion: "2.1.0" };
 * ```
 */
export interface ClientMetadata {
  /** Shown to the user on the consent page. */
  readonly clientName: string;
  /** The program's home page. */
  readonly clientUri?: string | undefined;
  readonly logoUri?: string | undefined;
  /** Addresses of people responsible, such as e-mail addresses. */
  readonly contacts?: readonly string[] | undefined;
  /** The same for every copy and version of the program. Default: `clientName`. */
  readonly softwareId?: string | undefined;
  /** The same for every copy of one build. Default `"0"`. */
  readonly softwareVersion?: string | undefined;
  /** Scopes the program may ever ask for. Default: not stated. */
  readonly scope?: readonly string[] | undefined;
  /** Terms of service. */
  readonly tosUri?: string | undefined;
  /** Privacy policy. */
  readonly policyUri?: string | undefined;
  /** Public keys with which the program proves who it is (`private_key_jwt`). */
  readonly jwks?: { readonly keys: readonly JWK[] } | undefined;
  /** Where these keys are published instead. */
  readonly jwksUri?: string | undefined;
  /** Whether the server is to refuse tokens to this client without a DPoP proof. Default false. */
  readonly requestsDpop?: boolean | undefined;
}

/** What is POSTed to a registration endpoint, and the greater part of a metadata document. RFC 7591 section 2. */
export interface ClientMetadataFields {
  readonly client_name: string;
  readonly redirect_uris: readonly string[];
  readonly application_type: "native" | "web";
  readonly grant_types: readonly string[];
  readonly response_types: readonly string[];
  readonly token_endpoint_auth_method: string;
  readonly software_id: string;
  readonly software_version: string;
  readonly [field: string]: unknown;
}

/** The document that a client id points to. */
export interface ClientMetadataDocument extends ClientMetadataFields {
  readonly client_id: string;
}

/** Members of a JWK that are private, or a shared secret. */
const privateMembers: readonly string[] = ["d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv"];

/** The body of a registration request. */
export function toRegistrationRequest(
  metadata: ClientMetadata,
  redirectUris: readonly string[],
  server: Pick<ServerMetadata, "token_endpoint_auth_methods_supported">,
): ClientMetadataFields {
  const method = chooseMethod(metadata, server.token_endpoint_auth_methods_supported);
  return toFields(metadata, redirectUris, method);
}

/**
 * Makes the document to serve, as `application/json`, at the address that is the client's id.
 * Specification: Basic > Authorization > Client ID Metadata Documents.
 *
 * @param clientId - the `https:` address of the document itself
 * @param redirectUris - every address the authorization server may send a user back to: `https:`, or `http:` on loopback
 * @throws {@link UsageError} saying what is wrong with an address or a key
 *
 * @example
 * ```ts
 * import { createClientMetadataDocument } from "parley-mcp/auth/client";
 *
 * export const document = createClientMetadataDocument(
 *   "https://app.example.com/oauth/client.json",
 *   { clientName: "Example Editor" },
 *   ["http://127.0.0.1:33418/callback"],
 * );
 * ```
 */
export function createClientMetadataDocument(
  clientId: string,
  metadata: ClientMetadata,
  redirectUris: readonly string[],
): ClientMetadataDocument {
  const method = hasKeys(metadata) ? "private_key_jwt" : "none";
  const document = { client_id: clientId, ...toFields(metadata, redirectUris, method) };
  const problem = checkClientMetadataDocument(clientId, document);
  if (problem !== undefined) {
    throw new UsageError(`client metadata document: ${problem}`);
  }
  return document;
}

/**
 * What is wrong with a document that is served at an address as a client's metadata; `undefined` where nothing is.
 * Specification: Basic > Authorization > Client ID Metadata Documents.
 *
 * @param url - where the document is served
 * @param document - its parsed content
 *
 * @example
 * ```ts
 * import { checkClientMetadataDocument } from "parley-mcp/auth/client";
 *
 * export function assertDocument(url: string, text: string): void {
 *   const problem = checkClientMetadataDocument(url, JSON.parse(text));
 *   if (problem !== undefined) throw new Error(problem);
 * }
 * ```
 */
export function checkClientMetadataDocument(url: string, document: unknown): string | undefined {
  if (!isObject(document)) {
    return "expected a JSON object";
  }
  const { client_id: clientId, client_name: name, redirect_uris: redirectUris, jwks } = document;
  if (clientId !== url) {
    return `client_id: expected the document's own address ${url}, character for character, got ${describe(clientId)}`;
  }
  if (typeof name !== "string" || name === "") {
    return `client_name: expected a name to show to users, got ${describe(name)}`;
  }
  if (!Array.isArray(redirectUris) || redirectUris.length === 0) {
    return "redirect_uris: expected a list of at least one address";
  }
  return checkClientIdUrl(url) ?? firstProblem(redirectUris) ?? checkPublicKeys(jwks);
}

/** What keeps an address from being a client id; `undefined` where nothing does [AUTH-028]. */
export function checkClientIdUrl(url: string): string | undefined {
  const problem = checkAddress(url) ?? checkDocumentPath(url);
  return (
    problem && `client id: expected an https URL with a path, such as https://app.example.com/client.json: ${problem}`
  );
}

/** As written: a URL parser takes dot segments out. */
function checkDocumentPath(url: string): string | undefined {
  const path = /^https:\/\/[^/?]*([^?]*)/i.exec(url)?.[1];
  if (path === undefined) {
    return `got ${quote(url)}`;
  }
  if (path === "" || path === "/") {
    return `got ${quote(url)}, which has no path`;
  }
  return path.split("/").some((segment) => /^(\.|%2e){1,2}$/i.test(segment))
    ? "got one with a dot segment in its path"
    : undefined;
}

/** What keeps an address from being redirected to; `undefined` where nothing does [AUTH-048]. */
export function checkRedirectUri(uri: string): string | undefined {
  const problem = checkAddress(uri);
  return problem && `redirect address: ${problem}, where one such as http://127.0.0.1:3000/callback is needed`;
}

function toFields(metadata: ClientMetadata, redirectUris: readonly string[], method: string): ClientMetadataFields {
  return {
    client_name: metadata.clientName,
    redirect_uris: [...redirectUris],
    application_type: redirectUris.every(isRemote) ? "web" : "native",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: method,
    software_id: metadata.softwareId ?? metadata.clientName,
    software_version: metadata.softwareVersion ?? "0",
    ...withoutUndefined({
      client_uri: metadata.clientUri,
      logo_uri: metadata.logoUri,
      contacts: metadata.contacts,
      scope: metadata.scope?.join(" "),
      tos_uri: metadata.tosUri,
      policy_uri: metadata.policyUri,
      jwks: metadata.jwks,
      jwks_uri: metadata.jwksUri,
      dpop_bound_access_tokens: metadata.requestsDpop === true ? true : undefined,
    }),
  };
}

/** A public client, unless the server takes none [AUTHDRAFT-021]. */
function chooseMethod(metadata: ClientMetadata, supported: readonly string[] | undefined): string {
  if (supported === undefined || supported.includes("none")) {
    return "none";
  }
  const possible = [...(hasKeys(metadata) ? ["private_key_jwt"] : []), "client_secret_basic", "client_secret_post"];
  return possible.find((method) => supported.includes(method)) ?? "none";
}

function hasKeys(metadata: ClientMetadata): boolean {
  return metadata.jwks !== undefined || metadata.jwksUri !== undefined;
}

/** Whether users are sent back to a web server of the program's, rather than to their own machine [M-AUTH-015]. */
function isRemote(uri: string): boolean {
  const parsed = parseUrl(uri);
  return parsed?.protocol === "https:" && !isLoopbackHost(parsed.hostname);
}

function firstProblem(redirectUris: readonly unknown[]): string | undefined {
  for (const uri of redirectUris) {
    const problem = typeof uri === "string" ? checkRedirectUri(uri) : "redirect_uris: expected a list of texts";
    if (problem !== undefined) {
      return problem;
    }
  }
  return undefined;
}

function checkPublicKeys(jwks: unknown): string | undefined {
  if (jwks === undefined) {
    return undefined;
  }
  const keys = isObject(jwks) ? jwks.keys : undefined;
  if (!Array.isArray(keys) || !keys.every(isObject)) {
    return "jwks: expected an object with a list of keys";
  }
  return keys.some((key) => privateMembers.some((member) => Object.hasOwn(key, member)))
    ? "jwks: expected public keys only, got a private or shared one, which must never be published"
    : undefined;
}

function withoutUndefined(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function describe(value: unknown): string {
  return typeof value === "string" ? quote(value) : value === null ? "null" : typeof value;
}

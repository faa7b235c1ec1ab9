/**
 * Authorization server metadata: reading a document of either kind, and whether a login by code may rely on it.
 *
 * Only what the client goes by is taken over. The issuer is compared as the text that it is: URLs are equal where texts
 * are not, so no parser may come in between. Specification: Basic > Authorization > Authorization Server Metadata Discovery;
 * RFC 8414 section 3.3, OpenID Connect Discovery section 4.3.
 */
import { quote } from "../../../protocol/header-value.ts";
import type { ServerMetadata } from "./discovery.ts";
import { MetadataFields, type Parsed } from "./metadata-fields.ts";

const addresses = [
  "authorization_endpoint",
  "registration_endpoint",
  "revocation_endpoint",
  "pushed_authorization_request_endpoint",
  "jwks_uri",
] as const;

const lists = [
  "scopes_supported",
  "response_types_supported",
  "response_modes_supported",
  "grant_types_supported",
  "authorization_grant_profiles_supported",
  "token_endpoint_auth_methods_supported",
  "token_endpoint_auth_signing_alg_values_supported",
  "revocation_endpoint_auth_methods_supported",
  "code_challenge_methods_supported",
  "dpop_signing_alg_values_supported",
  "acr_values_supported",
] as const;

const flags = [
  "client_id_metadata_document_supported",
  "authorization_response_iss_parameter_supported",
  "require_pushed_authorization_requests",
] as const;

/**
 * Reads a document as it came from the network [AUTH-024] [AUTH-052] [SEC-024] [M-AUTH-008].
 *
 * @param issuer - what the document was asked for
 */
export function parseServerMetadata(json: unknown, issuer: string): Parsed<ServerMetadata> {
  const fields = new MetadataFields(json);
  const named = fields.text("issuer");
  const tokenEndpoint = fields.address("token_endpoint");
  const rest = readRest(fields);
  if (fields.problem !== undefined) {
    return { ok: false, problem: fields.problem };
  }
  if (named !== issuer) {
    const got = named === undefined ? "none" : quote(named);
    return { ok: false, problem: `expected the issuer to be exactly ${quote(issuer)}, got ${got}` };
  }
  if (tokenEndpoint === undefined) {
    return { ok: false, problem: "expected a token_endpoint, got none" };
  }
  return { ok: true, value: { ...rest, issuer, token_endpoint: tokenEndpoint } };
}

/**
 * Why a server cannot be trusted to tie a code to whoever asked for it, or nothing [AUTH-045] [AUTH-046]. Without the
 * field, a server of either kind may ignore the challenge and give the tokens to whoever has the code.
 */
export function checkPkce({ code_challenge_methods_supported: methods }: ServerMetadata): string | undefined {
  if (methods?.includes("S256") === true) {
    return undefined;
  }
  const got = methods === undefined ? "no such field" : quote(methods.join(" "));
  return `expected code_challenge_methods_supported with S256 in the metadata of the authorization server, got ${got}`;
}

function readRest(fields: MetadataFields): { [name: string]: string | string[] | boolean } {
  const read = [
    ...addresses.map((name) => [name, fields.address(name)] as const),
    ...lists.map((name) => [name, fields.texts(name)] as const),
    ...flags.map((name) => [name, fields.flag(name)] as const),
  ];
  return Object.fromEntries(read.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

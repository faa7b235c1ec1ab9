/**
 * The document that tells clients where to get tokens for a resource, as replies that anybody may read.
 *
 * It points to authorization servers; logging in happens there and never here.
 * Specification: Basic > Authorization > Authorization Server Discovery; RFC 9728 sections 2 and 3.
 */
import type { ReplyHeaders, ResourceReply, ResourceRequest } from "./message.ts";
import type { PublicAddress } from "./public-url.ts";

/** What the document says beside the address of the resource. */
export interface MetadataContent {
  readonly issuers: readonly string[];
  readonly scopes: readonly string[];
  readonly name: string | undefined;
  readonly documentationUrl: string | undefined;
  /** Signing algorithms of proofs; empty where tokens are never bound to keys. */
  readonly proofAlgorithms: readonly string[];
  readonly requiresProofs: boolean;
}

/** Makes the documents of a resource: the same under every path. */
export function createDocuments(
  paths: readonly string[],
  addressOf: (request: ResourceRequest) => PublicAddress,
  content: MetadataContent,
  maxAgeSeconds: number,
): ReadonlyMap<string, (request: ResourceRequest) => ResourceReply> {
  const shared = {
    "access-control-allow-origin": "*",
    "cache-control": maxAgeSeconds === 0 ? "no-store" : `public, max-age=${maxAgeSeconds}`,
  };
  const answer = (request: ResourceRequest): ResourceReply => {
    switch (request.method) {
      case "GET":
      case "HEAD": {
        const body = JSON.stringify(toDocument(addressOf(request).resource, content));
        const headers = { "content-type": "application/json", ...shared };
        return reply(200, headers, request.method === "GET" ? body : "");
      }
      case "OPTIONS":
        return reply(204, toPreflight(request));
      default:
        return reply(405, { allow: "GET, HEAD, OPTIONS", "access-control-allow-origin": "*" });
    }
  };
  return new Map(paths.map((path) => [path, answer]));
}

function toDocument(resource: string, content: MetadataContent): { readonly [member: string]: unknown } {
  const { issuers, scopes, name, documentationUrl, proofAlgorithms, requiresProofs } = content;
  return {
    resource,
    authorization_servers: issuers,
    scopes_supported: scopes.length === 0 ? undefined : scopes,
    bearer_methods_supported: ["header"],
    resource_name: name,
    resource_documentation: documentationUrl,
    dpop_signing_alg_values_supported: proofAlgorithms.length === 0 ? undefined : proofAlgorithms,
    dpop_bound_access_tokens_required: requiresProofs ? true : undefined,
  };
}

/** Browsers ask first because of headers such as that of the protocol's revision: all are fine for a public document. */
function toPreflight(request: ResourceRequest): ReplyHeaders {
  const asked = request.header("access-control-request-headers");
  const names = asked !== undefined && /^[\w\-, ]{1,1000}$/.test(asked) ? asked : undefined;
  return {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET, HEAD",
    "access-control-max-age": "86400",
    ...(names === undefined ? undefined : { "access-control-allow-headers": names }),
  };
}

function reply(status: number, headers: ReplyHeaders, body = ""): ResourceReply {
  return { kind: "text", status, headers, body };
}

/**
 * Protected resource metadata: reading a document, and whether it speaks of the endpoint that led to it.
 *
 * The identifier goes out byte for byte as published; only the comparison looks at it as a URL [PP-097]. Finding the
 * document is discover.ts. Specification: Basic > Authorization > Authorization Server Location; RFC 9728 section 3.3.
 */
import { parseUrl } from "../../../base/url.ts";
import { quote } from "../../../protocol/header-value.ts";
import { isUriText } from "./address.ts";
import type { ResourceMetadata } from "./discovery.ts";
import { MetadataFields, type Parsed } from "./metadata-fields.ts";

/** Most authorization servers of one resource. */
const maxServers = 16;

/**
 * Whether an identifier that is no URL above the endpoint means it all the same, such as `api://` ones and URNs [PP-098].
 *
 * @param published - byte for byte as the metadata has it, never with a fragment
 */
export type AcceptResource = (published: string, endpoint: URL) => boolean;

/** Reads a document as it came from the network. */
export function parseResourceMetadata(json: unknown): Parsed<ResourceMetadata> {
  const fields = new MetadataFields(json);
  const resource = fields.text("resource");
  const authorizationServers = fields.texts("authorization_servers") ?? [];
  const scopesSupported = fields.texts("scopes_supported");
  const requiresDpop = fields.flag("dpop_bound_access_tokens_required") ?? false;
  if (fields.problem !== undefined) {
    return { ok: false, problem: fields.problem };
  }
  if (resource === undefined) {
    return { ok: false, problem: "expected a resource, got none" };
  }
  if (!isUriText(resource)) {
    return { ok: false, problem: `expected the resource to be a URI, got ${quote(resource)}` };
  }
  if (authorizationServers.length > maxServers) {
    return {
      ok: false,
      problem: `expected at most ${maxServers} authorization servers, got ${authorizationServers.length}`,
    };
  }
  return { ok: true, value: { resource, authorizationServers, scopesSupported, requiresDpop } };
}

/**
 * What is wrong with a published identifier as that of an endpoint, or nothing [AUTH-013] [AUTHDRAFT-010] [M-AUTH-027].
 * Right are the endpoint's own, and those of its origin whose path leads to it.
 */
export function checkResource(published: string, endpoint: URL, accept?: AcceptResource): string | undefined {
  const expected = quote(canonicalResource(endpoint));
  if (published.includes("#")) {
    return `expected the resource ${expected}, got ${quote(published)}, which has a fragment`;
  }
  if (isAbove(published, endpoint) || accept?.(published, endpoint) === true) {
    return undefined;
  }
  return `expected the resource ${expected} or one whose path leads to it, got ${quote(published)}; if the server goes by that identifier, accept it with acceptResource`;
}

/**
 * The identifier of an endpoint that publishes none: without fragment, and without a slash that stands for no path
 * [AUTH-043] [AUTH-044]. A user name and a password are left out.
 */
export function canonicalResource({ origin, pathname, search }: URL): string {
  return pathname === "/" && search === "" ? origin : `${origin}${pathname}${search}`;
}

/** Query parameters identify, so where the published identifier has some it must be the endpoint's own. */
function isAbove(published: string, endpoint: URL): boolean {
  const resource = parseUrl(published);
  if (resource === undefined || resource.username !== "" || resource.password !== "") {
    return false;
  }
  if (resource.protocol !== endpoint.protocol || resource.host !== endpoint.host) {
    return false;
  }
  return resource.search === ""
    ? withSlash(endpoint.pathname).startsWith(withSlash(resource.pathname))
    : canonicalResource(resource) === canonicalResource(endpoint);
}

/** Ends a path where a segment ends, so that `/mcp` does not lead to `/mcp-other`. */
function withSlash(path: string): string {
  return path.endsWith("/") ? path : `${path}/`;
}

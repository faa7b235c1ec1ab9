/**
 * Where metadata lies: the addresses to try for a resource and for an authorization server, in order.
 *
 * Pure: nothing is fetched here, and none of the suffixes is the protocol's own [M-AUTH-009].
 * Specification: Basic > Authorization > Authorization Server Discovery; RFC 9728 section 3.1, RFC 8414 section 3.1.
 */
import { parseUrl } from "../base/url.ts";

const resourceSuffix = "/.well-known/oauth-protected-resource";
const oauthSuffix = "/.well-known/oauth-authorization-server";
const openidSuffix = "/.well-known/openid-configuration";

/** An address of authorization server metadata, and which of the two kinds of document lies there. */
export interface ServerMetadataUrl {
  readonly url: string;
  readonly kind: "oauth" | "openid";
}

/**
 * Where a resource's metadata may lie, best first: at the suffix with the path of the resource behind it, then at the bare
 * one; only there if the resource is at the root [AUTH-011]. A slash that ends a path belongs to it; for servers that leave
 * it out, the path without it is tried in between.
 *
 * @param endpoint - the resource; its fragment is ignored, its query belongs to the path forms
 */
export function resourceMetadataUrls(endpoint: URL): readonly string[] {
  const { origin, search } = endpoint;
  return unique([...pathForms(endpoint).map((path) => origin + path + search), origin + resourceSuffix]);
}

/**
 * The one address of a resource's metadata that a server names in its challenges: the path form.
 *
 * @param resource - the resource; its fragment is ignored
 */
export function toResourceMetadataUrl(resource: URL): string {
  return resource.origin + toPathForm(resource.pathname) + resource.search;
}

/**
 * The paths at which a server answers with the metadata of a resource: the path form, also without a slash at its end, and
 * the bare one [AUTH-009].
 *
 * @param resource - the resource; query and fragment are ignored
 */
export function resourceMetadataPaths(resource: URL): readonly string[] {
  return unique([...pathForms(resource), resourceSuffix]);
}

/**
 * Where an authorization server's metadata may lie, best first: three addresses for an issuer with a path, two for one
 * without [AUTH-022] [AUTH-023].
 *
 * @param issuer - as published
 * @returns nothing where the text is no issuer: no `https:` or `http:` URL, or one with a query or a fragment
 */
export function serverMetadataUrls(issuer: string): readonly ServerMetadataUrl[] {
  const url = parseUrl(issuer);
  if (url === undefined || !/^https?:$/.test(url.protocol) || /[?#]/.test(issuer)) {
    return [];
  }
  const path = withoutLastSlash(url.pathname);
  const inserted: readonly ServerMetadataUrl[] = [
    { url: url.origin + oauthSuffix + path, kind: "oauth" },
    { url: url.origin + openidSuffix + path, kind: "openid" },
  ];
  return path === "" ? inserted : [...inserted, { url: url.origin + path + openidSuffix, kind: "openid" }];
}

/** The path form as the standard has it, then without the slash that ends the path. */
function pathForms({ pathname }: URL): readonly string[] {
  return [toPathForm(pathname), toPathForm(withoutLastSlash(pathname))];
}

/** Only the slash that stands for no path is left out: RFC 9728 section 3.1. */
function toPathForm(path: string): string {
  return resourceSuffix + (path === "/" ? "" : path);
}

function withoutLastSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}

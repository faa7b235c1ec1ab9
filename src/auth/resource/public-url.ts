/**
 * Under which addresses the public knows the resource: the single source of every absolute address that is sent.
 *
 * A configured address beats everything. Without one the request says it, and headers of a proxy count only where they
 * are trusted. Specification: Basic > Authorization > Authorization Server Location; RFC 9728 section 3 [PP-101].
 */
import { UsageError } from "../../base/error.ts";
import { isLoopbackHost, parseUrl } from "../../base/url.ts";
import { isConfidential } from "../strict-url.ts";
import { resourceMetadataPaths, toResourceMetadataUrl } from "../well-known.ts";
import type { ResourceRequest } from "./message.ts";

/** What the public knows at the time of one request. */
export interface PublicAddress {
  /** The identifier of the resource; where configured, byte for byte. */
  readonly resource: string;
  /** The address of its metadata document. */
  readonly metadataUrl: string;
  /** The address the client sent the request to, without query. */
  readonly requestUrl: string;
}

/** Which headers of a proxy are believed: the standard one, or its older relatives. */
export type ForwardedFamily = "forwarded" | "x-forwarded";

/** What addresses are made of. */
export interface PublicUrlOptions {
  /** The public address of the endpoint; `undefined` where each request says it. */
  readonly resource: string | undefined;
  /** The public address of the metadata document, where it is not the one that follows from the resource. */
  readonly metadataUrl: string | undefined;
  /** The path of the endpoint on this server: what the public path has before it, a proxy takes off. */
  readonly path: string;
  readonly trustForwardedHeaders: false | ForwardedFamily;
}

/** Makes the function that says under which addresses a request was made. */
export function createPublicUrl(options: PublicUrlOptions): (request: ResourceRequest) => PublicAddress {
  const { resource, metadataUrl } = options;
  if (resource === undefined) {
    return (request) => deriveAddress(request, options);
  }
  const url = new URL(resource);
  const document = metadataUrl ?? toResourceMetadataUrl(url);
  return (request) => {
    const requestUrl = `${url.origin}${toPublicPath(pathOf(request.url), url.pathname, options.path)}`;
    return { resource, metadataUrl: document, requestUrl };
  };
}

/**
 * The path that the client sent a request to, behind a proxy that may take a prefix off.
 *
 * @param received - the path that arrived here
 * @param known - the public path of the endpoint
 * @param own - its path on this server
 */
function toPublicPath(received: string, known: string, own: string): string {
  const base = own.replace(/\/+$/, "");
  const end = known.replace(/\/+$/, "");
  if (!end.endsWith(base)) {
    return received;
  }
  const prefix = end.slice(0, end.length - base.length);
  if (received === own) {
    return known;
  }
  return received.startsWith(`${prefix}/`) ? received : `${prefix}${received}`;
}

/** The paths on this server under which the document is asked for: that of the path form, the root, and a configured one. */
export function listDocumentPaths(options: PublicUrlOptions, withRoot: boolean): readonly string[] {
  const { resource, metadataUrl, path } = options;
  const standard = resourceMetadataPaths(new URL(resource ?? `http://host${path}`));
  const configured = metadataUrl === undefined ? [] : [new URL(metadataUrl).pathname];
  return [...new Set([...(withRoot ? standard : standard.slice(0, 1)), ...configured])];
}

/**
 * Fails for what cannot be the public address of anything.
 *
 * @throws {@link UsageError}
 */
export function assertPublicUrl(option: string, text: string): void {
  const url = parseUrl(text);
  if (url === undefined || !isConfidential(url) || url.username !== "" || url.password !== "" || text.includes("#")) {
    throw new UsageError(
      `${option}: expected an https URL, or an http URL of this machine, without user, password and fragment, got "${text}"`,
    );
  }
}

function deriveAddress(request: ResourceRequest, options: PublicUrlOptions): PublicAddress {
  const forwarded =
    options.trustForwardedHeaders === false ? {} : readForwarded(request, options.trustForwardedHeaders);
  const host = forwarded.host ?? findHost(request.authority) ?? "localhost";
  const scheme = forwarded.scheme ?? findScheme(/^https?(?=:\/\/)/i.exec(request.url)?.[0]) ?? guessScheme(host);
  // A prefix is announced by proxies that take it off, so with it in front the address leads back here.
  const base = `${new URL(`${scheme}://${host}`).origin}${forwarded.prefix ?? ""}`;
  return {
    resource: `${base}${options.path}`,
    metadataUrl: options.metadataUrl ?? `${base}${resourceMetadataPaths(new URL(`http://host${options.path}`))[0]}`,
    requestUrl: `${base}${pathOf(request.url)}`,
  };
}

function pathOf(target: string): string {
  return (target.startsWith("/") ? parseUrl(`http://host${target}`) : parseUrl(target))?.pathname ?? "/";
}

interface Forwarded {
  readonly scheme?: string | undefined;
  readonly host?: string | undefined;
  readonly prefix?: string | undefined;
}

/** What the proxy nearest to the client says. Headers of the other family may be the caller's own. RFC 7239. */
function readForwarded(request: ResourceRequest, family: ForwardedFamily): Forwarded {
  if (family === "x-forwarded") {
    return {
      scheme: findScheme(firstOf(request.header("x-forwarded-proto"))),
      host: findHost(firstOf(request.header("x-forwarded-host"))),
      prefix: findPrefix(firstOf(request.header("x-forwarded-prefix"))),
    };
  }
  const standard = firstOf(request.header("forwarded"));
  const named = (name: string): string | undefined =>
    standard && new RegExp(`(?:^|;)\\s*${name}="?([^";]*)`, "i").exec(standard)?.[1];
  return { scheme: findScheme(named("proto")), host: findHost(named("host")) };
}

function firstOf(header: string | undefined): string | undefined {
  return header?.split(",")[0]?.trim();
}

function findScheme(text: string | undefined): string | undefined {
  const scheme = text?.toLowerCase();
  return scheme === "http" || scheme === "https" ? scheme : undefined;
}

/** A host with an optional port and nothing else, since it goes into headers and documents. */
function findHost(text: string | undefined): string | undefined {
  const isHost = text !== undefined && /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i.test(text);
  return isHost && parseUrl(`http://${text}`) !== undefined ? text : undefined;
}

function findPrefix(text: string | undefined): string | undefined {
  const prefix = text?.replace(/\/+$/, "");
  return prefix !== undefined && /^(?:\/[A-Za-z0-9._~-]+)+$/.test(prefix) ? prefix : undefined;
}

/** What is not on this machine is behind TLS, as the specification asks for; who ends it does not always say so. */
function guessScheme(host: string): string {
  return isLoopbackHost(host.replace(/:\d+$/, "")) ? "http" : "https";
}

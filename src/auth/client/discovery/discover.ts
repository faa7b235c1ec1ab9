/**
 * Finds out where a server's tokens come from: its own metadata, then that of an authorization server that it names.
 *
 * Only endpoints that metadata declares are used [AUTHDRAFT-014]. The one exception is a server that nothing shows to be
 * newer than the first revision with authorization: no `resource_metadata` in its challenge, absence (404) at every place
 * where metadata may be [O0326-022]; whoever knows it to be newer turns `legacyFallback` off, and then there is none.
 * Specification: Basic > Authorization > Authorization Server Discovery; RFC 9728, RFC 8414.
 */
import { raceAbort } from "../../../base/abort.ts";
import { UsageError } from "../../../base/error.ts";
import { quote } from "../../../protocol/header-value.ts";
import type { GuardedFetch } from "../../fetch.ts";
import { resourceMetadataUrls, serverMetadataUrls } from "../../well-known.ts";
import type { AuthorizationRecord } from "../record.ts";
import { checkIssuer } from "./address.ts";
import type { Discovery, ResourceMetadata, ServerMetadata } from "./discovery.ts";
import type { DiscoveryCache } from "./discovery-cache.ts";
import { DiscoveryLog } from "./discovery-log.ts";
import { findLegacyServer } from "./legacy-server.ts";
import type { Parsed } from "./metadata-fields.ts";
import { type SearchContext, type SearchResult, searchMetadata } from "./metadata-search.ts";
import { type AcceptResource, canonicalResource, checkResource, parseResourceMetadata } from "./resource-metadata.ts";
import { parseServerMetadata } from "./server-metadata.ts";

/** What {@link discover} goes by. */
export interface DiscoveryOptions {
  /** The MCP endpoint. */
  readonly endpoint: URL;
  /** What the server refused with. */
  readonly challenge?: { readonly resourceMetadata?: string | undefined } | undefined;
  readonly fetch: GuardedFetch;
  readonly record: AuthorizationRecord;
  readonly signal: AbortSignal;
  /** Default: none but what {@link checkResource} finds right. */
  readonly acceptResource?: AcceptResource | undefined;
  /** Chooses where there are several authorization servers [AUTH-014]. Default: the first that has valid metadata. */
  readonly selectServer?: ((issuers: readonly string[]) => string | Promise<string>) | undefined;
  /** The only issuer that is right, also where the server names none [AUTH-012] [M-AUTH-012]. */
  readonly issuer?: string | undefined;
  /** Whether an issuer that was found is to be trusted [AUTHDRAFT-011]. Default: yes. Not asked of `issuer`. */
  readonly approveIssuer?: ((issuer: string, endpoint: URL) => boolean | Promise<boolean>) | undefined;
  /** Whether the server may be its own authorization server without saying so: see the head of this file. Default true. */
  readonly legacyFallback?: boolean | undefined;
  /** Metadata of authorization servers that was read before. */
  readonly cache?: DiscoveryCache | undefined;
}

/**
 * Finds out where a server's tokens come from. Nothing but metadata is asked for.
 *
 * @throws {@link AuthorizationError} listing each address with its outcome, or what was found that must not be;
 * {@link UsageError} where `selectServer` chooses what was not there; the signal's reason
 */
export async function discover(options: DiscoveryOptions): Promise<Discovery> {
  const { endpoint, fetch, signal } = options;
  const context: SearchContext = { fetch, signal, log: new DiscoveryLog(options.record) };
  const found = await findResourceMetadata(options, context);
  const resourceMetadata = found.value;
  const server =
    resourceMetadata === undefined && options.issuer === undefined
      ? await findOwnServer(found, options, context)
      : await findNamedServer(await chooseIssuers(resourceMetadata, options, context), options, context);
  if (options.issuer === undefined) {
    await assertApproved(server.issuer, options, context);
  }
  const resource = resourceMetadata?.resource ?? canonicalResource(endpoint);
  return { resource, resourceMetadata, issuer: server.issuer, server };
}

/** The address of the challenge comes first, and is the only one where it is good [AUTH-010] [AUTHDRAFT-009]. */
async function findResourceMetadata(
  { endpoint, challenge, issuer, acceptResource }: DiscoveryOptions,
  context: SearchContext,
): Promise<SearchResult<ResourceMetadata>> {
  const named = challenge?.resourceMetadata;
  const urls = [...(named === undefined ? [] : [named]), ...resourceMetadataUrls(endpoint).map(String)];
  const parse = (json: unknown): Parsed<ResourceMetadata> => {
    const parsed = parseResourceMetadata(json);
    return parsed.ok && parsed.value.authorizationServers.length === 0 && issuer === undefined
      ? { ok: false, problem: "expected authorization_servers to name one, got none" }
      : parsed;
  };
  const found = await searchMetadata({ stage: "resource-metadata", urls: [...new Set(urls)], parse }, context);
  const problem = found.value && checkResource(found.value.resource, endpoint, acceptResource);
  if (problem !== undefined) {
    throw context.log.toStop("resource-metadata", problem);
  }
  return found;
}

/** The issuers to try, in order. */
async function chooseIssuers(
  metadata: ResourceMetadata | undefined,
  { issuer, selectServer, signal }: DiscoveryOptions,
  { log }: SearchContext,
): Promise<readonly string[]> {
  const listed = metadata?.authorizationServers ?? [];
  if (issuer !== undefined) {
    if (listed.length > 0 && !listed.includes(issuer)) {
      const names = listed.map(quote).join(", ");
      throw log.toStop(
        "resource-metadata",
        `expected the server to name the configured issuer ${quote(issuer)}, got ${names}; register the client there, or correct issuer`,
        issuer,
      );
    }
    return [issuer];
  }
  if (selectServer === undefined || listed.length < 2) {
    return listed;
  }
  const selected = await raceAbort(Promise.resolve(selectServer(listed)), signal);
  if (!listed.includes(selected)) {
    throw new UsageError(
      `expected selectServer to choose one of ${listed.map(quote).join(", ")}, got ${quote(String(selected))}`,
    );
  }
  return [selected];
}

/** Most authorization servers that are tried, one after the other: each may take its time to say nothing. */
const maxTried = 4;

/** The first of the issuers that has valid metadata. */
async function findNamedServer(
  issuers: readonly string[],
  { cache }: DiscoveryOptions,
  context: SearchContext,
): Promise<ServerMetadata> {
  for (const issuer of issuers.slice(0, maxTried)) {
    const known = cache?.find(issuer);
    if (known !== undefined) {
      context.log.add("server-metadata", "ok", `the metadata of ${quote(issuer)} was read before`);
      return known;
    }
    const server = await findServer(issuer, context);
    if (server !== undefined) {
      cache?.keep(server);
      return server;
    }
  }
  if (issuers.length > maxTried) {
    context.log.add("server-metadata", "skipped", `only the first ${maxTried} authorization servers are tried`);
  }
  throw context.log.toError(
    "server-metadata",
    `expected metadata of the authorization server ${issuers.map(quote).join(" or ")}, found none that is valid`,
    issuers.length === 1 ? issuers[0] : undefined,
  );
}

async function findServer(issuer: string, context: SearchContext): Promise<ServerMetadata | undefined> {
  const problem = checkIssuer(issuer);
  if (problem !== undefined) {
    context.log.add("server-metadata", "failed", problem);
    return undefined;
  }
  const urls = serverMetadataUrls(issuer).map(({ url }) => String(url));
  const parse = (json: unknown): Parsed<ServerMetadata> => parseServerMetadata(json, issuer);
  return (await searchMetadata({ stage: "server-metadata", urls, parse }, context)).value;
}

/** Anything but absence leaves open that somebody keeps the metadata back, and must not lead to an older way. */
async function findOwnServer(
  { isAbsent }: SearchResult<ResourceMetadata>,
  { endpoint, challenge, legacyFallback = true }: DiscoveryOptions,
  context: SearchContext,
): Promise<ServerMetadata> {
  const mayBeLegacy = legacyFallback && isAbsent && challenge?.resourceMetadata === undefined;
  const server = mayBeLegacy ? await findLegacyServer(endpoint, context) : undefined;
  if (server === undefined) {
    throw context.log.toError(
      "resource-metadata",
      `expected ${endpoint.origin}${endpoint.pathname} to publish protected resource metadata, found none that is valid; without it, name the authorization server with issuer`,
    );
  }
  return server;
}

async function assertApproved(
  issuer: string,
  { endpoint, approveIssuer, signal }: DiscoveryOptions,
  { log }: SearchContext,
): Promise<void> {
  if (approveIssuer !== undefined && !(await raceAbort(Promise.resolve(approveIssuer(issuer, endpoint)), signal))) {
    throw log.toStop("server-metadata", `expected an issuer that approveIssuer approves, got ${quote(issuer)}`, issuer);
  }
}

/**
 * A server that is its own authorization server and publishes nothing about it, as the first revision with authorization
 * had it: metadata at the root of its origin or, where there is none either, three fixed paths.
 *
 * Whether a server may be taken for one of these is not decided here, but in discover.ts.
 */
import { serverMetadataUrls } from "../../well-known.ts";
import type { ServerMetadata } from "./discovery.ts";
import type { Parsed } from "./metadata-fields.ts";
import { type SearchContext, searchMetadata } from "./metadata-search.ts";
import { parseServerMetadata } from "./server-metadata.ts";

/**
 * What such a server says of itself, or what it is known to have [O0326-019] [O0326-020] [O0326-021].
 *
 * @returns `undefined` where it answers with anything but absence and valid metadata
 */
export async function findLegacyServer(endpoint: URL, context: SearchContext): Promise<ServerMetadata | undefined> {
  const { origin } = endpoint;
  const urls = serverMetadataUrls(origin).map(({ url }) => String(url));
  const search = { stage: "server-metadata", urls, parse: (json: unknown) => parseOwn(json, origin) } as const;
  const { value, isAbsent } = await searchMetadata(search, context);
  return value ?? (isAbsent ? assumeServer(origin, context) : undefined);
}

/** Nobody named the issuer, and with or without a slash it has its metadata in the same place: both are its name. */
function parseOwn(json: unknown, origin: string): Parsed<ServerMetadata> {
  const withSlash = parseServerMetadata(json, `${origin}/`);
  return withSlash.ok ? withSlash : parseServerMetadata(json, origin);
}

/** Codes are protected as everywhere, though nobody can say whether the server looks [O0326-023]. */
function assumeServer(origin: string, { log }: SearchContext): ServerMetadata | undefined {
  const assumed = {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    code_challenge_methods_supported: ["S256"],
  };
  const checked = parseServerMetadata(assumed, origin);
  log.add(
    "server-metadata",
    checked.ok ? "ok" : "failed",
    checked.ok ? "nothing is published, so /authorize, /token and /register are taken" : checked.problem,
    origin,
  );
  return checked.ok ? checked.value : undefined;
}

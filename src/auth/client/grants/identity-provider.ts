/**
 * An enterprise's identity provider as the client knows it: its endpoints, by configuration or by its metadata.
 *
 * The document for OpenID Connect comes first, because it says how ID tokens are signed. OpenID Connect Discovery, RFC 8414.
 */
import { serverMetadataUrls } from "../../well-known.ts";
import type { ServerMetadata } from "../discovery/discovery.ts";
import { DiscoveryLog } from "../discovery/discovery-log.ts";
import { MetadataFields, type Parsed } from "../discovery/metadata-fields.ts";
import { searchMetadata } from "../discovery/metadata-search.ts";
import { parseServerMetadata } from "../discovery/server-metadata.ts";
import type { GrantContext } from "../grant.ts";

const algorithmField = "id_token_signing_alg_values_supported";

/**
 * Finds out an identity provider's endpoints.
 *
 * @throws {@link AuthorizationError} listing each address with its outcome; the signal's reason
 */
export async function findIdentityProvider(
  issuer: string,
  { fetch, record }: Pick<GrantContext, "fetch" | "record">,
  signal: AbortSignal,
): Promise<ServerMetadata> {
  const log = new DiscoveryLog(record);
  const byKind = serverMetadataUrls(issuer).toSorted((one, other) => rank(one.kind) - rank(other.kind));
  const urls = byKind.map(({ url }) => url);
  const parse = (json: unknown): Parsed<ServerMetadata> => parseIdentityProvider(json, issuer);
  const { value } = await searchMetadata({ stage: "server-metadata", urls, parse }, { fetch, log, signal });
  if (value === undefined) {
    throw log.toError(
      "server-metadata",
      `expected metadata of the identity provider ${issuer}, found none that is valid; name its tokenEndpoint where it publishes none`,
      issuer,
    );
  }
  return value;
}

function rank(kind: "oauth" | "openid"): number {
  return kind === "openid" ? 0 : 1;
}

function parseIdentityProvider(json: unknown, issuer: string): Parsed<ServerMetadata> {
  const fields = new MetadataFields(json);
  const algorithms = fields.texts(algorithmField);
  const parsed = parseServerMetadata(json, issuer);
  if (!parsed.ok || algorithms === undefined) {
    return fields.problem === undefined ? parsed : { ok: false, problem: fields.problem };
  }
  return { ok: true, value: { ...parsed.value, [algorithmField]: algorithms } };
}

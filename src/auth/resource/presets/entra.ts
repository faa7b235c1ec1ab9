/**
 * Tokens of Microsoft Entra ID, in both versions. Which one an API gets is set at its registration, not by its clients.
 *
 * Tokens name scopes shorter than clients ask for them; here they have the long name, so that one name serves both.
 */
import { UsageError } from "../../../base/error.ts";
import type { InterpretClaims } from "../token-reading.ts";
import { type ProviderPreset, toList } from "./preset.ts";

/** Options of {@link entra}. */
export interface EntraOptions {
  /** The directory (tenant) id: a GUID. Tokens name it by that, whatever name clients log in with. */
  tenant: string;
  /**
   * The application (client) id of the API, and its application ID URI if that is not `api://<id>`. Version 2 puts the id
   * in `aud`, version 1 either; so `api://<id>` stands for the id too.
   */
  audience: string | readonly string[];
  /** The version of access tokens that the registration of the API asks for. Default 2. */
  version?: 1 | 2 | undefined;
  /** Whether application roles count as scopes, as clients that act for themselves have nothing else. Default false. */
  rolesAsScopes?: boolean | undefined;
}

/**
 * What `protectResource` needs for tokens of Microsoft Entra ID.
 *
 * Name scopes as clients ask for them: the application ID URI, a slash, the scope. Say `resource` too, as the audience is
 * no address. Specification: Basic > Authorization > Token Handling.
 *
 * @throws UsageError for a tenant that is no GUID, such as `common`: it would let in every directory
 * @example
 * ```ts
 * import { entra, protectResource } from "parley-mcp/auth/resource";
 *
 * const audience = "api://11111111-2222-3333-4444-555555555555";
 * export const auth = protectResource({
 *   ...entra({ tenant: "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee", audience }),
 *   resource: "https://mcp.example.com/mcp",
 *   scopes: [`${audience}/files.read`],
 * });
 * ```
 */
export function entra({ tenant, audience, version = 2, rolesAsScopes = false }: EntraOptions): ProviderPreset {
  if (!guid.test(tenant)) {
    throw new UsageError(`tenant: expected the directory id, a GUID, got "${tenant}"`);
  }
  const directory = tenant.toLowerCase();
  const server = `https://login.microsoftonline.com/${directory}/v2.0`;
  const names = toList(audience);
  return {
    issuer: version === 1 ? `https://sts.windows.net/${directory}/` : server,
    authorizationServers: server,
    audience: [...new Set([...names, ...names.flatMap(findApplicationId)])],
    verify: {
      kind: "jwt",
      profile: "tolerant",
      scopeClaims: rolesAsScopes ? ["scp", "roles"] : ["scp"],
      clientIdClaims: version === 1 ? ["appid"] : ["azp"],
      interpret: interpretWith(toScopePrefix(names)),
    },
  };
}

const guid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

/** Of a URI that nothing but the id is in: nobody else's token has that id for its audience. */
function findApplicationId(name: string): readonly string[] {
  const id = name.startsWith("api://") ? name.slice("api://".length) : "";
  return guid.test(id) ? [id] : [];
}

function toScopePrefix(names: readonly string[]): string {
  const uri = names.find((name) => name.includes("://")) ?? `api://${names[0]}`;
  return uri.endsWith("/") ? uri : `${uri}/`;
}

/** Only tokens that speak for a user have scopes; the subject of others is the client under another name. */
function interpretWith(prefix: string): InterpretClaims {
  return (reading, claims) => ({
    clientId: reading.clientId,
    subject: Object.hasOwn(claims, "scp") ? reading.subject : undefined,
    scopes: reading.scopes.map((scope) => prefix + scope),
  });
}

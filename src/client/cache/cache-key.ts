/**
 * What makes two requests the same for the cache, and under which names their results are kept.
 *
 * Only the six methods whose results carry a freshness hint have a place. Specification: Basic > Utilities > Caching.
 */
import { isObject } from "../../base/json.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { CacheScope } from "../../protocol/types/cache.ts";

/** The methods whose results say for how long they may be used again [M-CACHE-001]. */
export const cacheableMethods = [
  "server/discover",
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
] as const;

/** A method whose results may be kept. */
export type CacheableMethod = (typeof cacheableMethods)[number];

/** Whose results these are: kept for one server, in one revision, and where private for one owner. */
export interface CacheView {
  /** Names the server. */
  readonly server: string;
  /** The revision's date: the same question may have another answer in another one. */
  readonly revision: string;
  /** Names the authorization context. */
  readonly owner: string;
}

/** Where the result of one request is kept. */
export interface CachePlace extends CacheView {
  readonly method: CacheableMethod;
  /** The params, by {@link toCacheKey}. */
  readonly key: string;
}

/** Whether results of this method may be kept. */
export function isCacheableMethod(method: string): method is CacheableMethod {
  return (cacheableMethods as readonly string[]).includes(method);
}

/**
 * The params as one canonical text: the order of members does not count, `_meta` and absent members are left out
 * [M-CACHE-011].
 *
 * @returns `undefined` for a request that answers questions of the server, as its result is for this once [M-CACHE-012]
 */
export function toCacheKey({ _meta, ...params }: JsonObject = {}): string | undefined {
  return params.inputResponses === undefined && params.requestState === undefined
    ? JSON.stringify(params, (_, value: unknown) => (isObject(value) ? sortMembers(value) : value))
    : undefined;
}

/** The member `uri` of the params that a key was made from. */
export function readKeyUri(key: string): string | undefined {
  const { uri } = JSON.parse(key) as JsonObject;
  return typeof uri === "string" ? uri : undefined;
}

/** Whether a key was made from the params of a later page of a list. */
export function isLaterPage(key: string): boolean {
  return Object.hasOwn(JSON.parse(key) as JsonObject, "cursor");
}

/** The group that results of a method lie in. Public ones have no owner [M-CACHE-013]. */
export function toCacheGroup(
  { server, revision, owner }: CacheView,
  method: CacheableMethod,
  scope: CacheScope,
): string {
  return JSON.stringify([server, revision, method, scope, ...(scope === "private" ? [owner] : [])]);
}

function sortMembers(value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

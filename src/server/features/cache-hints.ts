/**
 * How long results stay fresh and for whom, as authors say it: per operation, and per resource.
 *
 * A hint is no access rule: what not every caller gets alike is marked private, whatever the author said. Clients of
 * older revisions are told nothing. Specification: Server > Utilities > Caching.
 */
import { UsageError } from "../../base/error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { CacheScope } from "../../protocol/types/cache.ts";
import type { AccessRules } from "./feature.ts";

/** How long a result stays fresh, and whether it may be shared. Without one it is stale at once and private. */
export interface CacheHint {
  /** From its receipt on, in milliseconds; a whole number, at least 0. */
  ttlMs: number;
  /** `"public"` results may be given to any caller by whoever keeps them. Default `"private"`. */
  scope?: CacheScope | undefined;
}

/** Operations whose results may be kept. */
export type CachedMethod =
  | "server/discover"
  | "tools/list"
  | "prompts/list"
  | "resources/list"
  | "resources/templates/list"
  | "resources/read";

/** Hints by operation; that of `resources/read` is for resources that have none of their own. */
export type CacheHints = { readonly [Method in CachedMethod]?: CacheHint | undefined };

const cachedMethods: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "server/discover",
  "tools/list",
  "prompts/list",
  "resources/list",
  "resources/templates/list",
  "resources/read",
]);

/**
 * Checks hints.
 *
 * @throws UsageError for an operation whose results are not kept, and for a hint that is none [M-CACHE-001]
 */
export function resolveCacheHints(hints: CacheHints = {}): CacheHints {
  for (const [method, hint] of Object.entries(hints)) {
    if (!cachedMethods.has(method)) {
      throw new UsageError(`cache: expected one of ${[...cachedMethods].join(", ")}, got ${JSON.stringify(method)}`);
    }
    const problem = checkCacheHint(hint, `cache[${JSON.stringify(method)}]`);
    if (problem !== undefined) {
      throw new UsageError(problem);
    }
  }
  return hints;
}

/** What is wrong with a hint, if anything. */
export function checkCacheHint(hint: CacheHint | undefined, at: string): string | undefined {
  if (hint === undefined) {
    return undefined;
  }
  const { ttlMs, scope } = hint;
  if (!Number.isSafeInteger(ttlMs) || ttlMs < 0) {
    return `${at}.ttlMs: expected whole milliseconds, at least 0, got ${ttlMs}`;
  }
  return scope === undefined || scope === "public" || scope === "private"
    ? undefined
    : `${at}.scope: expected "public" or "private", got ${JSON.stringify(scope)}`;
}

/**
 * A result with a hint; what it says itself stays. The result as it is without one.
 *
 * @param isSame - whether every caller gets this result
 */
export function withCacheHint<Result extends object>(
  result: Result,
  hint: CacheHint | undefined,
  isSame: boolean,
): Result {
  if (hint === undefined) {
    return result;
  }
  const members: JsonObject = { ttlMs: hint.ttlMs, cacheScope: isSame ? (hint.scope ?? "private") : "private" };
  return { ...members, ...result };
}

/** Whether a feature is the same for every caller. */
export function isForEverybody({ allow, scopes = [] }: AccessRules<never>): boolean {
  return allow === undefined && scopes.length === 0;
}

/**
 * Which scopes requests need, which ones a token has, and which ones a challenge names.
 *
 * Specification: Basic > Authorization > Scope Selection Strategy, Scope Challenge Handling.
 */
import type { OnDiagnostic } from "../../base/diagnostic.ts";
import { UsageError } from "../../base/error.ts";
import { includesAll, isScope, unionScopes } from "../scope.ts";

/**
 * Which narrower scopes a scope stands for: by name, or as a function. What a narrower one stands for is included too.
 *
 * @example
 * ```ts
 * import type { ScopeHierarchy } from "parley-mcp/auth/resource";
 *
 * export const byName: ScopeHierarchy = { files: ["files:read", "files:write"] };
 * export const byRule: ScopeHierarchy = (scope) => (scope.endsWith(":write") ? [scope.replace(/write$/, "read")] : []);
 * ```
 */
export type ScopeHierarchy = { readonly [broad: string]: readonly string[] } | ((scope: string) => readonly string[]);

/** Options of {@link ScopeRules}. */
export interface ScopeOptions {
  readonly scopes: readonly string[];
  readonly scopesSupported: readonly string[] | undefined;
  readonly scopeHierarchy: ScopeHierarchy | undefined;
  readonly onDiagnostic: OnDiagnostic | undefined;
}

/** Most scopes that one token is taken to have, those implied included. */
const maxScopes = 1_000;

/** Asks for refresh tokens, which is between the client and the authorization server: no resource needs it. */
const offlineAccess = "offline_access";

/** The scopes of one resource. */
export class ScopeRules {
  /** What every request needs. */
  readonly needed: readonly string[];
  /** What the metadata lists. */
  readonly supported: readonly string[];
  readonly #narrower: (scope: string) => readonly string[];

  /** @throws {@link UsageError} for a text that cannot be a scope */
  constructor(options: ScopeOptions) {
    this.needed = withoutOffline("scopes", options.scopes, options.onDiagnostic);
    const supported = options.scopesSupported ?? options.scopes;
    this.supported =
      supported === options.scopes ? this.needed : withoutOffline("scopesSupported", supported, options.onDiagnostic);
    const { scopeHierarchy } = options;
    if (typeof scopeHierarchy === "function") {
      this.#narrower = scopeHierarchy;
    } else {
      const byName = new Map(Object.entries(scopeHierarchy ?? {}));
      this.#narrower = (scope) => byName.get(scope) ?? [];
    }
  }

  /** The scopes of a token with all that they imply [M-AUTH-021]. */
  expand(granted: readonly string[]): readonly string[] {
    const all = new Set(granted);
    for (const scope of all) {
      for (const narrower of this.#narrower(scope)) {
        if (all.size < maxScopes) {
          all.add(narrower);
        }
      }
    }
    return [...all];
  }

  /** Whether a token has what every request needs. */
  suffices(expanded: readonly string[]): boolean {
    return includesAll(expanded, this.needed);
  }

  /**
   * What a challenge names: all that the request needs, and those of the token's scopes that this resource knows, so that
   * whoever replaces its token loses nothing. What another one of them implies is left out [AUTH-066] [M-AUTH-020].
   *
   * @param needed - beside what every request needs
   * @param granted - what the token has
   */
  toChallenge(needed: readonly string[], granted: readonly string[]): readonly string[] {
    const required = withoutOfflineScope([...this.needed, ...needed]);
    const implied = new Set(granted.flatMap((scope) => this.expand([scope]).filter((other) => other !== scope)));
    const kept = granted.filter((scope) => this.supported.includes(scope) && !implied.has(scope));
    return unionScopes(kept, required);
  }
}

/** The scopes without the one that must not be emitted [M-AUTH-025]. */
function withoutOffline(
  option: string,
  scopes: readonly string[],
  report: OnDiagnostic | undefined,
): readonly string[] {
  for (const scope of scopes) {
    if (!isScope(scope)) {
      throw new UsageError(`${option}: expected scopes of visible ASCII without quotes and spaces, got "${scope}"`);
    }
  }
  const kept = withoutOfflineScope(scopes);
  if (kept.length < scopes.length) {
    report?.({
      code: "MCP_D_OFFLINE_ACCESS",
      message: `${option}: expected scopes of this resource, got "${offlineAccess}", which is the authorization server's; it was left out`,
    });
  }
  return kept;
}

function withoutOfflineScope(scopes: readonly string[]): readonly string[] {
  return unionScopes(scopes).filter((scope) => scope !== offlineAccess);
}

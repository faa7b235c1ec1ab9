/**
 * Who may see and use a feature. Decided before each operation, never by a session alone.
 *
 * What `allow` hides does not exist for that caller. What lacks a scope is refused by name, so that the caller can get
 * a better token; on a link without HTTP the caller is whoever started the process, and scopes do not apply.
 */
import { InsufficientScopeError } from "../../protocol/authorization-errors.ts";
import type { AccessRules } from "../features/feature.ts";
import type { MaybePromise } from "../maybe.ts";
import type { AnyContext } from "./context.ts";

/** Whether the feature exists for this caller. */
export function isVisible({ allow }: AccessRules<never>, ctx: AnyContext): MaybePromise<boolean> {
  return allow === undefined || allow(ctx);
}

/**
 * Fails unless the caller's token has every scope.
 *
 * @throws {@link InsufficientScopeError} with all scopes that would do
 */
export function assertScopes({ scopes = [] }: AccessRules<never>, what: string, ctx: AnyContext): void {
  if (scopes.length === 0 || (ctx.auth === undefined && ctx.request === undefined)) {
    return;
  }
  if (!scopes.every((scope) => ctx.auth?.scopes.includes(scope))) {
    throw new InsufficientScopeError(scopes, what);
  }
}

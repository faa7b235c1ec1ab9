/** The `scope` parameter of a request: left out where nothing is asked for, because an empty one is not allowed. */
import { encodeScope } from "../../scope.ts";

/** The parameter, ready to be spread into others. */
export function toScopeParameter(scopes: readonly string[] | undefined): { readonly scope?: string } {
  const scope = encodeScope(scopes ?? []);
  return scope === "" ? {} : { scope };
}

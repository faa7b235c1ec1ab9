/**
 * Serving roots: a fixed list or a provider that is asked each time, checked before anything leaves.
 *
 * Which folders to expose, and asking the person about it, is up to the host. Specification: Client > Roots.
 */
import { UsageError } from "../../base/error.ts";
import { checkRootUri } from "../../protocol/roots.ts";
import type { ListRootsResult, Root } from "../../protocol/types/roots.ts";
import type { ServingContext } from "./serving.ts";

/** Gives the roots for one request [ROOT-006]. */
export type RootsProvider = (context: ServingContext) => readonly Root[] | Promise<readonly Root[]>;

/** How roots are served. */
export interface RootsOptions {
  /** The roots, or what gives them. Every URI starts with `file://`. */
  list: readonly Root[] | RootsProvider;
  /** Whether servers are told of changes. Default true. */
  listChanged?: boolean | undefined;
}

/** Roots of a client, which may change while it runs. */
export interface RootsSource {
  list: readonly Root[] | RootsProvider;
  readonly listChanged: boolean;
}

/** @throws {@link UsageError} for a root that must not be exposed [ROOT-003, ROOT-007] */
export function resolveRoots(roots: readonly Root[] | RootsOptions | undefined): RootsSource | undefined {
  if (roots === undefined) {
    return undefined;
  }
  const { list, listChanged = true }: RootsOptions = "list" in roots ? roots : { list: roots };
  assertRoots(list);
  return { list, listChanged };
}

/** @throws {@link UsageError} for a root that must not be exposed */
export function assertRoots(list: readonly Root[] | RootsProvider): void {
  for (const [index, root] of typeof list === "function" ? [] : list.entries()) {
    const fault = checkRootUri(root.uri, `roots[${index}].uri`);
    if (fault !== undefined) {
      throw new UsageError(fault);
    }
  }
}

/** Answers `roots/list` [ROOT-002]. */
export type RootsHandler = (params: unknown, context: ServingContext) => Promise<ListRootsResult>;

/** Makes the handler. What a provider gives is judged like every result before it leaves. */
export function createRootsHandler(source: RootsSource): RootsHandler {
  return async (_params, context) => {
    const roots = typeof source.list === "function" ? await source.list(context) : source.list;
    return { roots: [...roots] };
  };
}

/**
 * Checks of root lists, for both the client that makes them and the server that asked.
 */
import type { CheckOf } from "../check.ts";
import { findRootUriFault } from "../roots.ts";
import type { ListRootsResult, Root } from "../types/roots.ts";

const root: CheckOf<Root> = {
  required: { uri: findRootUriFault },
  optional: { name: "string", _meta: "object" },
};

/** Specification: Client > Roots > Listing Roots [ROOT-002, ROOT-003, ROOT-007]. */
export const listRootsResult: CheckOf<ListRootsResult> = {
  required: { roots: { each: root } },
  optional: { _meta: "object" },
};

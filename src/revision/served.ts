/**
 * Which revisions an edge serves, by how they begin. What a message of each of them looks like is said elsewhere.
 *
 * Specification: Basic > Versioning > Protocol version negotiation, Backward compatibility.
 */
import { UsageError } from "../base/error.ts";
import { revisions } from "./registry.ts";
import type { Revision } from "./revision.ts";

/** Revisions that are served, newest first. At least one of the lists has an entry. */
export interface ServedRevisions {
  /** The ids of all of them, which is what discovery and refusals name [M-VER-003]. */
  readonly ids: readonly string[];
  /** Those that begin with `initialize`. */
  readonly handshake: readonly Revision[];
  /** Those whose requests stand for themselves. */
  readonly stateless: readonly Revision[];
}

/**
 * Finds the revisions that are to be served.
 *
 * @param ids - as they go over the wire, in any order; all where there are none
 * @throws UsageError for an id that is unknown, and for an empty list
 */
export function resolveServedRevisions(ids: readonly string[] | undefined): ServedRevisions {
  const known = revisions.map(({ id }) => id);
  const unknown = ids?.find((id) => !known.includes(id));
  if (unknown !== undefined || ids?.length === 0) {
    const got = unknown === undefined ? "an empty list" : JSON.stringify(unknown);
    throw new UsageError(`revisions: expected some of ${known.join(", ")}, got ${got}`);
  }
  const served = ids === undefined ? revisions : revisions.filter(({ id }) => ids.includes(id));
  return {
    ids: served.map(({ id }) => id),
    handshake: served.filter(({ lifecycle }) => lifecycle === "handshake"),
    stateless: served.filter(({ lifecycle }) => lifecycle === "stateless"),
  };
}

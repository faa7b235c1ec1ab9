/** The revisions this library speaks, by how they begin, and which of them is meant where nobody says. */
import { baseTraits, revision20241105 } from "./2024-11-05.ts";
import { revision20250326 } from "./2025-03-26.ts";
import { revision20250618 } from "./2025-06-18.ts";
import { revision20251125 } from "./2025-11-25.ts";
import { revision20260728 } from "./2026-07-28.ts";
import { createRevisions } from "./difference.ts";
import type { Revision } from "./revision.ts";

const oldestFirst = /* @__PURE__ */ createRevisions(baseTraits, [
  revision20241105,
  revision20250326,
  revision20250618,
  revision20251125,
  revision20260728,
]);

/** All revisions, newest first. */
export const revisions: readonly Revision[] = /* @__PURE__ */ [...oldestFirst].reverse();

/** Revisions that begin with `initialize`, newest first. */
export const handshakeRevisions: readonly Revision[] = /* @__PURE__ */ revisions.filter(
  ({ lifecycle }) => lifecycle === "handshake",
);

/** Revisions whose requests stand for themselves, newest first. */
export const statelessRevisions: readonly Revision[] = /* @__PURE__ */ revisions.filter(
  ({ lifecycle }) => lifecycle === "stateless",
);

/** What is offered first in `initialize`. */
export const latestHandshake: Revision = handshakeRevisions[0] ?? oldestFirst[0];

/** What is tried first where requests may stand for themselves. */
export const latestStateless: Revision = statelessRevisions[0] ?? latestHandshake;

/** What an HTTP request means that names no revision and belongs to no session [HTTP-050]. */
export const assumedHttpRevision: Revision = /* @__PURE__ */ findHandshake("2025-03-26") ?? latestHandshake;

/** The revision with this id that begins with `initialize`. Ids are compared as exact strings. */
export function findHandshake(id: string): Revision | undefined {
  return handshakeRevisions.find((revision) => revision.id === id);
}

/** The revision with this id whose requests stand for themselves. */
export function findStateless(id: string): Revision | undefined {
  return statelessRevisions.find((revision) => revision.id === id);
}

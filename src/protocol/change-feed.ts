/**
 * The changes of a server as one feed in its store: written where something changes, followed by every node that has
 * somebody to tell, and read again by whoever comes back after a while.
 */
import { isObject, parseJson } from "../base/json.ts";
import type { Clock } from "../base/timer.ts";
import type { Store } from "../store/contracts.ts";
import { Feed } from "../store/feed.ts";
import { type Change, type ListKind, listKinds } from "./changes.ts";

const lists: ReadonlySet<unknown> = /* @__PURE__ */ new Set<ListKind>(listKinds);

/**
 * Opens the feed of a store. It keeps changes for five minutes, and 10 000 at most.
 *
 * @param clock - for trying again what the store did not do
 */
export function createChangeFeed(store: Store, clock?: Clock): Feed {
  return new Feed(store, "changes", { ttlMs: 300_000, maxEntries: 10_000 }, clock);
}

/**
 * A change as an entry of the feed.
 *
 * @param writer - names the server that writes it, which has told its own clients already
 */
export function encodeChange(change: Change, writer: string): string {
  return `${writer} ${JSON.stringify(change)}`;
}

/** Whether an entry was written by this server. */
export function isWrittenBy(writer: string, text: string): boolean {
  return text.startsWith(`${writer} `);
}

/** Reads an entry; `undefined` for what {@link encodeChange} of this version did not write. */
export function decodeChange(text: string): Change | undefined {
  const parsed = parseJson(text.slice(text.indexOf(" ") + 1), 4);
  if (!parsed.ok || !isObject(parsed.value)) {
    return undefined;
  }
  const { list, uri, within } = parsed.value;
  if (lists.has(list)) {
    return { list: list as ListKind };
  }
  return typeof uri === "string" ? { uri, within: typeof within === "string" ? within : undefined } : undefined;
}

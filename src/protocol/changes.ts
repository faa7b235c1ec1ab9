/**
 * What may change on a server and whom that concerns. How it gets there is change-feed.ts and whoever follows it.
 *
 * Specification: Server > Resources > Subscriptions; List Changed Notification of tools, prompts and resources.
 */
import type { Call } from "../jsonrpc/link.ts";

/** The lists that can change. Templates belong to `resources`. */
export const listKinds = ["tools", "prompts", "resources"] as const;

/** See {@link listKinds}. */
export type ListKind = (typeof listKinds)[number];

/** A change of what a list holds. */
export interface ListChange {
  readonly list: ListKind;
}

/** A change of what a resource holds. */
export interface ResourceChange {
  readonly uri: string;
  /** A resource that this one is a part of; its subscribers are concerned too. */
  readonly within?: string | undefined;
}

/** One change: of a list, or of a resource. */
export type Change = ListChange | ResourceChange;

/** What somebody wants to hear of. */
export interface ChangeAudience {
  readonly lists: ReadonlySet<ListKind>;
  readonly uris: ReadonlySet<string>;
}

/** The notification that tells of a change. */
export function toNotification(change: Change): Call {
  return "list" in change
    ? { method: `notifications/${change.list}/list_changed` }
    : { method: "notifications/resources/updated", params: { uri: change.uri } };
}

/** The notification that tells somebody of a change; `undefined` where it does not concern them [RES-009]. */
export function toChangeNotification(change: Change, { lists, uris }: ChangeAudience): Call | undefined {
  const isConcerned =
    "list" in change
      ? lists.has(change.list)
      : uris.has(change.uri) || (change.within !== undefined && uris.has(change.within));
  return isConcerned ? toNotification(change) : undefined;
}

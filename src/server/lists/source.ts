/**
 * The contract of everything listable: local features, mounted servers, remote ones, sets computed per caller.
 *
 * Small on purpose: a page from a position, one item by key or "not mine", and word of changes.
 */

import type { MaybePromise } from "../maybe.ts";
import type { AnyContext } from "../requests/context.ts";

/** Some items in order, and where the next ones begin. */
export interface SourcePage<Item> {
  readonly items: readonly Item[];
  /** The position of the next page; absent at the end. Opaque to all but the source. */
  readonly next?: string | undefined;
}

/**
 * An ordered set of things that can be listed and looked up.
 *
 * Implementors promise: the order is stable; a position keeps its meaning while items come and go, so that a walk
 * meets each item that stays exactly once; a listener hears of every change.
 */
export interface Source<Item> {
  /**
   * The items from a position on.
   *
   * @param position - what an earlier page gave as `next`; `undefined` for the beginning
   * @param limit - the most items wanted
   * @returns `undefined` where the position was never given out
   */
  page(position: string | undefined, limit: number, ctx: AnyContext): MaybePromise<SourcePage<Item> | undefined>;
  /** The item with this key; `undefined` means "not mine". */
  find(key: string, ctx: AnyContext): MaybePromise<Item | undefined>;
  /** Keys that may be offered when one was misspelt. */
  keys(): Iterable<string>;
  /** Calls the listener after every change; returns how to stop. */
  onChange(listener: () => void): () => void;
  /** Grows with every change, where pages may be kept in between; absent where they depend on the caller. */
  readonly version?: number | undefined;
}

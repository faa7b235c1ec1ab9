/**
 * Pages over any ordered source: opaque cursors, a fixed size, and pages kept while nothing changes.
 *
 * A page whose items all callers may see is made once per state of the source; its result is the same object each
 * time, so that whoever encodes it can keep the text. Specification: Server > Utilities > Pagination.
 */
import { UsageError } from "../../base/error.ts";
import { Lru } from "../../base/lru.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { decodeCursor, encodeCursor } from "../../protocol/cursor.ts";
import { InvalidParamsError } from "../../protocol/errors.ts";
import { type CacheHint, withCacheHint } from "../features/cache-hints.ts";
import type { AccessRules } from "../features/feature.ts";
import { isPromise, type MaybePromise, whenDone } from "../maybe.ts";
import { isVisible } from "../requests/access.ts";
import type { AnyContext } from "../requests/context.ts";
import type { Source, SourcePage } from "./source.ts";

/** What a list needs of its items. */
export interface Listable<Wire> {
  /** As it goes over the wire. */
  readonly wire: Wire;
  readonly access: AccessRules<never>;
}

/** Pages kept for one list. */
const maxPages = 256;

/** Lists one kind of feature. */
export class Pager<Wire, Item extends Listable<Wire>> {
  readonly #member: string;
  readonly #source: Source<Item>;
  readonly #pageSize: number;
  readonly #hint: CacheHint | undefined;
  #isSame: MaybePromise<boolean> | undefined;
  #pages = new Lru<JsonObject>(maxPages);
  #version: number | undefined;

  /**
   * @param member - what the list is called in the result
   * @param pageSize - the most items of one page
   * @param hint - how long pages stay fresh and for whom
   */
  constructor(member: string, source: Source<Item>, pageSize: number, hint: CacheHint | undefined) {
    this.#member = member;
    this.#source = source;
    this.#pageSize = pageSize;
    this.#hint = hint;
  }

  /**
   * The page at a cursor.
   *
   * @throws InvalidParamsError for a cursor that was never given out [PAGE-006]
   */
  list(cursor: string | undefined, ctx: AnyContext): MaybePromise<JsonObject> {
    const { version } = this.#source;
    if (version !== this.#version) {
      this.#version = version;
      this.#isSame = undefined;
      this.#pages = new Lru(maxPages);
    }
    const kept = version === undefined ? undefined : this.#pages.get(cursor ?? "");
    if (kept !== undefined) {
      return kept;
    }
    const position = toPosition(cursor);
    return whenDone(this.#source.page(position, this.#pageSize, ctx), (page) => {
      if (page === undefined) {
        throw invalidCursor();
      }
      return whenDone(visibleItems(page, ctx), (items) => {
        const plain = this.#toResult(items, page.next);
        return whenDone(this.#hinted(plain, ctx), (result) => {
          if (version !== undefined && version === this.#source.version && page.items.every(isPublic)) {
            this.#pages.set(cursor ?? "", result);
          }
          return result;
        });
      });
    });
  }

  /** All pages are for everybody, or none is [M-CACHE-004]: what hides one item from one caller makes the list theirs. */
  #hinted(result: JsonObject, ctx: AnyContext): MaybePromise<JsonObject> {
    const hint = this.#hint;
    if (hint?.scope !== "public" || this.#source.version === undefined) {
      return withCacheHint(result, hint, false);
    }
    this.#isSame ??= whenDone(
      this.#source.page(undefined, Number.MAX_SAFE_INTEGER, ctx),
      (all) => all !== undefined && all.next === undefined && all.items.every(isPublic),
    );
    return whenDone(this.#isSame, (isSame) => withCacheHint(result, hint, isSame));
  }

  #toResult(items: readonly Item[], next: string | undefined): JsonObject {
    const result: JsonObject = { [this.#member]: items.map((item) => item.wire) };
    if (next !== undefined) {
      const nextCursor = encodeCursor(next);
      if (nextCursor === undefined) {
        throw new UsageError(`${this.#member}: the source gave a position that is too long to be a cursor`);
      }
      result.nextCursor = nextCursor;
    }
    return result;
  }
}

function isPublic(item: Listable<unknown>): boolean {
  return item.access.allow === undefined;
}

function visibleItems<Item extends Listable<unknown>>(
  page: SourcePage<Item>,
  ctx: AnyContext,
): MaybePromise<readonly Item[]> {
  if (page.items.every(isPublic)) {
    return page.items;
  }
  const verdicts = page.items.map((item) => isVisible(item.access, ctx));
  const pick = (seen: readonly boolean[]): readonly Item[] => page.items.filter((_, index) => seen[index]);
  return verdicts.some(isPromise) ? Promise.all(verdicts).then(pick) : pick(verdicts as boolean[]);
}

function toPosition(cursor: string | undefined): string | undefined {
  if (cursor === undefined) {
    return undefined;
  }
  const decoded = decodeCursor(cursor);
  if (!decoded.ok) {
    throw invalidCursor();
  }
  return decoded.position;
}

function invalidCursor(): InvalidParamsError {
  return new InvalidParamsError(
    "params.cursor: expected a cursor from an earlier page, got another text; list without one",
  );
}

/**
 * Lists that come in pages, as one async iterable.
 *
 * Never shortens a list: what looks endless is an error. Specification: Server > Utilities > Pagination.
 */
import { isMcpError, PeerError } from "../../base/error.ts";
import type { Cursor } from "../../protocol/types/metadata.ts";
import { isCursorRefusal } from "./cursor-refusal.ts";

/** Bounds of a walk over the pages of a list. */
export interface ListOptions {
  /** Pages after which the list counts as endless. Default 1 000. */
  maxPages?: number | undefined;
  /** Items after which the list counts as endless. Default 100 000. */
  maxItems?: number | undefined;
}

/** One page. */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: Cursor | undefined;
}

/** Where the pages of one kind of list come from. */
export interface PageSource<T> {
  /** What is listed, as messages name it. */
  readonly what: string;
  /** Asks for the page at a cursor, for the first one without. */
  fetch(cursor: Cursor | undefined): Promise<Page<T>>;
  /** Told of the whole list once somebody has walked it to its end. */
  onComplete?(items: readonly T[]): void;
}

/**
 * All items of a list, fetched page by page while they are read.
 *
 * @example
 * ```ts
 * import type { ClientSession } from "parley-mcp/client";
 *
 * export async function names(session: ClientSession): Promise<string[]> {
 *   const tools = await session.listTools().all();
 *   return tools.map((tool) => tool.name);
 * }
 * ```
 */
export class ItemList<T> implements AsyncIterable<T> {
  readonly #source: PageSource<T>;
  readonly #maxPages: number;
  readonly #maxItems: number;

  constructor(source: PageSource<T>, options: ListOptions = {}) {
    this.#source = source;
    this.#maxPages = options.maxPages ?? 1_000;
    this.#maxItems = options.maxItems ?? 100_000;
  }

  /** Walks the items. @throws {@link PeerError} when the list repeats itself or is over the bounds [PAGE-007]. */
  async *[Symbol.asyncIterator](): AsyncIterator<T> {
    for await (const page of this.pages()) {
      yield* page;
    }
  }

  /** The items page by page; pages may be empty [PAGE-002]. */
  async *pages(): AsyncIterableIterator<readonly T[]> {
    const { what } = this.#source;
    const seen = new Set<Cursor>();
    const all: T[] = [];
    let cursor: Cursor | undefined;
    for (let count = 1; ; count += 1) {
      const page = await this.#source.fetch(cursor);
      all.push(...page.items);
      if (all.length > this.#maxItems) {
        throw new PeerError(`${what}: expected at most ${this.#maxItems} items, got more; raise maxItems to take them`);
      }
      yield page.items;
      // An empty cursor is a cursor: only its absence ends the list [PAGE-003].
      if (page.nextCursor === undefined) {
        this.#source.onComplete?.(all);
        return;
      }
      if (seen.has(page.nextCursor)) {
        throw new PeerError(`${what}: expected a new cursor on every page, got ${quote(page.nextCursor)} twice`);
      }
      if (count === this.#maxPages) {
        throw new PeerError(`${what}: expected at most ${this.#maxPages} pages, got more; raise maxPages to take them`);
      }
      seen.add(page.nextCursor);
      cursor = page.nextCursor;
    }
  }

  /**
   * Everything as an array. A cursor that is no longer accepted makes it start again, once, and so does a session that
   * is replaced in the middle: cursors do not outlive it [PAGE-004] [M-CACHE-014].
   */
  async all(): Promise<T[]> {
    const pages: (readonly T[])[] = [];
    try {
      await this.#collect(pages);
    } catch (error) {
      const isGone = isMcpError(error) && error.code === "MCP_SESSION_EXPIRED";
      if (!isGone && !(pages.length > 0 && isCursorRefusal(error))) {
        throw error;
      }
      pages.length = 0;
      await this.#collect(pages);
    }
    return pages.flat();
  }

  async #collect(pages: (readonly T[])[]): Promise<void> {
    for await (const page of this.pages()) {
      pages.push(page);
    }
  }
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}...` : text);
}

/** Several sources as one, in order: the local registry first, then what is mounted. */

import { type MaybePromise, whenDone } from "../maybe.ts";
import type { AnyContext } from "../requests/context.ts";
import type { Source, SourcePage } from "./source.ts";

/** See the head of this file. */
export class SourceChain<Item> implements Source<Item> {
  readonly #sources: Source<Item>[];
  readonly #listeners = new Set<() => void>();
  #generation = 0;

  constructor(first: Source<Item>) {
    this.#sources = [first];
    first.onChange(() => this.changed());
  }

  /** Puts another source at the end; returns how to take it away. */
  append(source: Source<Item>): () => void {
    this.#sources.push(source);
    const stop = source.onChange(() => this.changed());
    this.changed();
    return () => {
      stop();
      this.#sources.splice(this.#sources.indexOf(source), 1);
      this.changed();
    };
  }

  get version(): number | undefined {
    return this.#sources.every((source) => source.version !== undefined) ? this.#generation : undefined;
  }

  page(position: string | undefined, limit: number, ctx: AnyContext): MaybePromise<SourcePage<Item> | undefined> {
    const dot = position?.indexOf(".") ?? -1;
    const index = position === undefined ? 0 : Number(position.slice(0, Math.max(dot, 0)));
    const source = this.#sources[index];
    if (source === undefined || (position !== undefined && dot < 1)) {
      return undefined;
    }
    const inner = position === undefined || dot === position.length - 1 ? undefined : position.slice(dot + 1);
    return whenDone(source.page(inner, limit, ctx), (page) => page && this.#continue(page, index, limit, ctx));
  }

  find(key: string, ctx: AnyContext): MaybePromise<Item | undefined> {
    return this.#findFrom(0, key, ctx);
  }

  *keys(): Iterable<string> {
    for (const source of this.#sources) {
      yield* source.keys();
    }
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  /** Tells listeners of a change: of a source, or of something behind one that it does not hear of itself. */
  changed(): void {
    this.#generation += 1;
    for (const listener of this.#listeners) {
      listener();
    }
  }

  /** A source that ends before the page is full is followed by the next one on the same page. */
  #continue(
    page: SourcePage<Item>,
    index: number,
    limit: number,
    ctx: AnyContext,
  ): MaybePromise<SourcePage<Item> | undefined> {
    if (page.next !== undefined) {
      return { items: page.items, next: `${index}.${page.next}` };
    }
    const following = this.#sources[index + 1];
    if (following === undefined) {
      return { items: page.items };
    }
    const left = limit - page.items.length;
    if (left < 1) {
      return this.#endOfPage(page, index + 1, ctx);
    }
    return whenDone(following.page(undefined, left, ctx), (rest) => {
      const joined = { items: [...page.items, ...(rest?.items ?? [])], next: rest?.next };
      return this.#continue(joined, index + 1, limit, ctx);
    });
  }

  /** A full page is followed by another one only where something is left, as far as that is cheap to know. */
  #endOfPage({ items }: SourcePage<Item>, index: number, ctx: AnyContext): MaybePromise<SourcePage<Item>> {
    const following = this.#sources[index];
    if (following === undefined) {
      return { items };
    }
    if (following.version === undefined) {
      return { items, next: `${index}.` };
    }
    return whenDone(following.page(undefined, 1, ctx), (rest) =>
      rest === undefined || rest.items.length === 0
        ? this.#endOfPage({ items }, index + 1, ctx)
        : { items, next: `${index}.` },
    );
  }

  #findFrom(index: number, key: string, ctx: AnyContext): MaybePromise<Item | undefined> {
    const source = this.#sources[index];
    if (source === undefined) {
      return undefined;
    }
    return whenDone(source.find(key, ctx), (item) => item ?? this.#findFrom(index + 1, key, ctx));
  }
}

/**
 * Features of another server, or of anything else that has sources, under a prefix.
 *
 * Names get the prefix and lose it again on the way in; URIs keep their own. What changes there changes here.
 */
import { UsageError } from "../../base/error.ts";
import { checkToolName } from "../../protocol/tool-name.ts";
import { type MaybePromise, whenDone } from "../maybe.ts";
import type { AnyContext } from "../requests/context.ts";
import type { Source, SourcePage } from "./source.ts";

/** An item that goes by a name. */
interface NamedItem {
  readonly wire: { readonly name: string };
}

/**
 * Checks a prefix.
 *
 * @throws UsageError where it could not begin a tool's name
 */
export function assertPrefix(prefix: string): void {
  const problem = prefix === "" ? undefined : checkToolName(prefix);
  if (problem !== undefined) {
    throw new UsageError(`mount: ${problem}`);
  }
}

/** A source whose items have a prefix before their names. */
export class PrefixedSource<Item extends NamedItem> implements Source<Item> {
  readonly #prefix: string;
  readonly #source: Source<Item>;
  readonly #renamed = new WeakMap<Item, Item>();

  /** @param prefix - the whole of it, separator included */
  constructor(prefix: string, source: Source<Item>) {
    this.#prefix = prefix;
    this.#source = source;
  }

  get version(): number | undefined {
    return this.#source.version;
  }

  page(position: string | undefined, limit: number, ctx: AnyContext): MaybePromise<SourcePage<Item> | undefined> {
    return whenDone(
      this.#source.page(position, limit, ctx),
      (page) => page && { items: page.items.map((item) => this.#rename(item)), next: page.next },
    );
  }

  find(name: string, ctx: AnyContext): MaybePromise<Item | undefined> {
    if (!name.startsWith(this.#prefix)) {
      return undefined;
    }
    return whenDone(this.#source.find(name.slice(this.#prefix.length), ctx), (item) => item && this.#rename(item));
  }

  *keys(): Iterable<string> {
    for (const key of this.#source.keys()) {
      yield this.#prefix + key;
    }
  }

  onChange(listener: () => void): () => void {
    return this.#source.onChange(listener);
  }

  #rename(item: Item): Item {
    let renamed = this.#renamed.get(item);
    if (renamed === undefined) {
      renamed = { ...item, wire: { ...item.wire, name: this.#prefix + item.wire.name } };
      this.#renamed.set(item, renamed);
    }
    return renamed;
  }
}

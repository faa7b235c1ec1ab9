/**
 * An ordered set of features that changes while the server runs: the local Source.
 *
 * Every entry has a number that grows with registration; a page begins behind a number, so that coming and going of
 * entries between two pages neither repeats nor loses any. What is kept for a name is made by `compile`, once.
 */
import { UsageError } from "../../base/error.ts";
import type { AccessRules } from "../features/feature.ts";
import type { Source, SourcePage } from "./source.ts";

/** What a registry reads of the items it keeps. */
export interface RegistryItem {
  readonly access: AccessRules<never>;
  /** What it is looked up by, where that is not the key it was registered under: a URI or a template. */
  readonly address?: string;
}

interface Entry<Definition, Item> {
  readonly order: number;
  readonly key: string;
  readonly definition: Definition;
  readonly item: Item;
  readonly place: string | undefined;
  enabled: boolean;
}

/** What an author changes: definitions by name. */
export interface Registrations<Definition> extends Iterable<readonly [key: string, definition: Definition]> {
  /** How many there are, disabled ones included. */
  readonly size: number;
  /** Adds one, or replaces what has this key and keeps its place in the list. */
  set(key: string, definition: Definition): void;
  /**
   * Adds one.
   *
   * @throws UsageError when the key is taken
   */
  add(key: string, definition: Definition): void;
  /** Removes one; false where there was none. */
  delete(key: string): boolean;
  /** Lists and serves one again; false where there is none. */
  enable(key: string): boolean;
  /** Neither lists nor serves one until it is enabled; false where there is none. */
  disable(key: string): boolean;
  /** The definition, also of a disabled one. */
  get(key: string): Definition | undefined;
  /** Whether there is one, disabled or not. */
  has(key: string): boolean;
}

/** The registry of one kind of feature. */
export class Registry<Definition, Item extends RegistryItem> implements Source<Item>, Registrations<Definition> {
  readonly #kind: string;
  readonly #compile: (key: string, definition: Definition) => Item;
  readonly #entries = new Map<string, Entry<Definition, Item>>();
  readonly #byAddress = new Map<string, Entry<Definition, Item>>();
  readonly #listeners = new Set<() => void>();
  #listed: readonly Entry<Definition, Item>[] | undefined;
  #lastOrder = 0;
  #version = 0;

  /**
   * @param kind - what an entry is called in messages
   * @param compile - checks a definition and prepares it; throws UsageError for an unusable one
   */
  constructor(kind: string, compile: (key: string, definition: Definition) => Item) {
    this.#kind = kind;
    this.#compile = compile;
  }

  get version(): number {
    return this.#version;
  }

  get size(): number {
    return this.#entries.size;
  }

  set(key: string, definition: Definition): void {
    this.#put(key, definition, undefined);
  }

  add(key: string, definition: Definition): void {
    const place = callerPlace();
    const taken = this.#entries.get(key);
    if (taken !== undefined) {
      const first = taken.place === undefined ? "" : ` first ${taken.place}`;
      const second = place === undefined ? "" : ` second ${place}`;
      throw new UsageError(
        `${this.#kind} ${JSON.stringify(key)} is defined twice:${first}${second}; ` +
          "rename one, mount the second under a prefix, or replace it with set()",
      );
    }
    this.#put(key, definition, place);
  }

  delete(key: string): boolean {
    const entry = this.#entries.get(key);
    if (entry !== undefined) {
      this.#entries.delete(key);
      this.#byAddress.delete(addressOf(entry));
      this.#changed();
    }
    return entry !== undefined;
  }

  enable(key: string): boolean {
    return this.#switch(key, true);
  }

  disable(key: string): boolean {
    return this.#switch(key, false);
  }

  get(key: string): Definition | undefined {
    return this.#entries.get(key)?.definition;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  *[Symbol.iterator](): Iterator<readonly [string, Definition]> {
    for (const { key, definition } of this.#entries.values()) {
      yield [key, definition];
    }
  }

  /** The prepared items that are enabled, in order. */
  *items(): Iterable<Item> {
    for (const { item } of this.#list()) {
      yield item;
    }
  }

  *keys(): Iterable<string> {
    for (const entry of this.#list()) {
      if (entry.item.access.allow === undefined) {
        yield addressOf(entry);
      }
    }
  }

  find(address: string): Item | undefined {
    const entry = this.#byAddress.get(address);
    return entry?.enabled === true ? entry.item : undefined;
  }

  page(position: string | undefined, limit: number): SourcePage<Item> | undefined {
    const after = position === undefined ? 0 : Number(position);
    if (!Number.isSafeInteger(after) || after < 0 || after > this.#lastOrder) {
      return undefined;
    }
    const list = this.#list();
    const from = after === 0 ? 0 : firstBehind(list, after);
    const entries = list.slice(from, from + limit);
    const last = entries.at(-1);
    const next = last !== undefined && from + limit < list.length ? String(last.order) : undefined;
    return { items: entries.map((entry) => entry.item), next };
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  #put(key: string, definition: Definition, place: string | undefined): void {
    const before = this.#entries.get(key);
    const item = this.#compile(key, definition);
    const sameAddress = this.#byAddress.get(item.address ?? key);
    if (sameAddress !== undefined && sameAddress.key !== key) {
      throw new UsageError(
        `${this.#kind} ${JSON.stringify(key)}: ${JSON.stringify(item.address)} is served already, as ` +
          `${JSON.stringify(sameAddress.key)}; give one of them another address`,
      );
    }
    if (before === undefined) {
      this.#lastOrder += 1;
    }
    const order = before?.order ?? this.#lastOrder;
    const entry = { order, key, definition, item, place, enabled: before?.enabled ?? true };
    if (before !== undefined) {
      this.#byAddress.delete(addressOf(before));
    }
    this.#entries.set(key, entry);
    this.#byAddress.set(addressOf(entry), entry);
    this.#changed();
  }

  #switch(key: string, enabled: boolean): boolean {
    const entry = this.#entries.get(key);
    if (entry !== undefined && entry.enabled !== enabled) {
      entry.enabled = enabled;
      this.#changed();
    }
    return entry !== undefined;
  }

  #list(): readonly Entry<Definition, Item>[] {
    this.#listed ??= [...this.#entries.values()].filter((entry) => entry.enabled);
    return this.#listed;
  }

  #changed(): void {
    this.#listed = undefined;
    this.#version += 1;
    for (const listener of this.#listeners) {
      listener();
    }
  }
}

function addressOf({ key, item }: { readonly key: string; readonly item: RegistryItem }): string {
  return item.address ?? key;
}

/** The index of the first entry with a greater number, by halving. */
function firstBehind(list: readonly { readonly order: number }[], order: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle]?.order ?? 0) > order) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/** Where the author called `add`, as far as the engine says so. */
function callerPlace(): string | undefined {
  const lines = new Error("place").stack?.split("\n") ?? [];
  return /((?:file:\/\/|\/|[A-Za-z]:[\\/])[^()\s]+:\d+):\d+\)?$/.exec(lines[3] ?? "")?.[1];
}

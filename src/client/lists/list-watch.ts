/**
 * Fetches lists again when they changed, and says what changed.
 *
 * Notices that come together cause one fetch; one that comes during a fetch causes one more. The known list is
 * replaced in one step, so nobody sees half of two lists. Specification: the list-changed section of each feature.
 */
import type { Prompt } from "../../protocol/types/prompts.ts";
import type { Resource, ResourceTemplate } from "../../protocol/types/resource.ts";
import type { Tool } from "../../protocol/types/tool.ts";
import type { ServerDetails } from "../sessions/server-details.ts";
import { diffLists, isEmptyDiff, type ListDiff } from "./list-diff.ts";

/** The lists a server has, with what is in them. */
export interface ListedItems {
  tools: Tool;
  resources: Resource;
  resourceTemplates: ResourceTemplate;
  prompts: Prompt;
}

/** The name of a list. */
export type ListName = keyof ListedItems;

/** What changed in one list. `list` narrows the items. */
export type ListChange = { [L in ListName]: { readonly list: L } & ListDiff<ListedItems[L]> }[ListName];

/** Told of every change. */
export type OnListChanged = (change: ListChange, server: ServerDetails) => void;

const keyOf: { readonly [L in ListName]: (item: ListedItems[L]) => string } = {
  tools: (tool) => tool.name,
  resources: (resource) => resource.uri,
  resourceTemplates: (template) => template.uriTemplate,
  prompts: (prompt) => prompt.name,
};

/** What a {@link ListWatch} works on. */
export interface ListWatchHost {
  /** Fetches a whole list. */
  fetch<L extends ListName>(list: L): Promise<ListedItems[L][]>;
  /** Told of every change. */
  onChange(change: ListChange): void;
  /** Told why a list could not be fetched; the old one stays. */
  onFault(list: ListName, error: unknown): void;
}

interface Watched {
  known: readonly unknown[] | undefined;
  running: boolean;
  again: boolean;
}

/** See the head of this file. */
export class ListWatch {
  readonly #host: ListWatchHost;
  readonly #watched = new Map<ListName, Watched>();
  #stopped = false;

  constructor(host: ListWatchHost) {
    this.#host = host;
  }

  /** Fetches a list soon, unless that is about to happen anyway. The first fetch is what later ones compare with. */
  refresh(list: ListName): void {
    const watched = this.#watched.get(list) ?? { known: undefined, running: false, again: false };
    this.#watched.set(list, watched);
    watched.again = true;
    if (!watched.running && !this.#stopped) {
      watched.running = true;
      // A turn later, so that notices of the same turn count as one.
      queueMicrotask(() => void this.#run(list, watched));
    }
  }

  /** Fetches again every list that has been fetched before, as after a reconnection. */
  refreshAll(): void {
    for (const list of [...this.#watched.keys()]) {
      this.refresh(list);
    }
  }

  /** No more fetches. */
  stop(): void {
    this.#stopped = true;
  }

  async #run<L extends ListName>(list: L, watched: Watched): Promise<void> {
    while (watched.again && !this.#stopped) {
      watched.again = false;
      try {
        this.#take(list, watched, await this.#host.fetch(list));
      } catch (error) {
        if (!this.#stopped) {
          this.#host.onFault(list, error);
        }
      }
    }
    watched.running = false;
  }

  #take<L extends ListName>(list: L, watched: Watched, current: readonly ListedItems[L][]): void {
    const before = watched.known as readonly ListedItems[L][] | undefined;
    watched.known = current;
    if (before !== undefined) {
      const diff = diffLists(before, current, keyOf[list]);
      if (!isEmptyDiff(diff)) {
        this.#host.onChange({ list, ...diff } as ListChange);
      }
    }
  }
}

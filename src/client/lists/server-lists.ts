/** The four lists of a server, each as an {@link ItemList}, and fetched whole for those who watch them. */
import type { ServerRequests } from "../../protocol/methods.ts";
import type { RequestOptions } from "../../protocol/outgoing.ts";
import type { Prompt } from "../../protocol/types/prompts.ts";
import type { Resource, ResourceTemplate } from "../../protocol/types/resource.ts";
import type { Tool } from "../../protocol/types/tool.ts";
import type { Caller } from "../requests/caller.ts";
import type { KnownTools } from "../tools/known-tools.ts";
import type { ListedItems, ListName } from "./list-watch.ts";
import { ItemList, type ListOptions } from "./lists.ts";

/** Options of a walk over a list; the limits of time are per page. */
export interface ListRequestOptions extends ListOptions, Omit<RequestOptions, "onProgress"> {
  /** Fetches all pages, also what was kept. Default false. */
  reload?: boolean | undefined;
}

type ListMethod = "tools/list" | "resources/list" | "resources/templates/list" | "prompts/list";

/** See the head of this file. */
export class ServerLists {
  readonly #caller: Caller;
  readonly #knownTools: KnownTools;
  readonly #keep: (tools: Tool[]) => Tool[];
  readonly #defaults: ListOptions;

  /** @param keep - leaves out the tools that cannot be called over this link */
  constructor(caller: Caller, knownTools: KnownTools, keep: (tools: Tool[]) => Tool[], defaults: ListOptions) {
    this.#caller = caller;
    this.#knownTools = knownTools;
    this.#keep = keep;
    this.#defaults = defaults;
  }

  tools(options: ListRequestOptions = {}): ItemList<Tool> {
    const read = ({ tools }: { tools: Tool[] }): Tool[] => {
      const kept = this.#keep(tools);
      this.#knownTools.learn(kept);
      return kept;
    };
    return this.#list("tools/list", read, options, (tools) => this.#knownTools.replace(tools));
  }

  resources(options: ListRequestOptions = {}): ItemList<Resource> {
    return this.#list("resources/list", ({ resources }) => resources, options);
  }

  resourceTemplates(options: ListRequestOptions = {}): ItemList<ResourceTemplate> {
    return this.#list("resources/templates/list", ({ resourceTemplates }) => resourceTemplates, options);
  }

  prompts(options: ListRequestOptions = {}): ItemList<Prompt> {
    return this.#list("prompts/list", ({ prompts }) => prompts, options);
  }

  /** A whole list by name. */
  async fetch<L extends ListName>(list: L): Promise<ListedItems[L][]> {
    return (await this[list]().all()) as ListedItems[L][];
  }

  #list<M extends ListMethod, T>(
    method: M,
    read: (result: ServerRequests[M]["result"]) => readonly T[],
    { maxPages, maxItems, reload, ...options }: ListRequestOptions,
    onComplete?: (items: readonly T[]) => void,
  ): ItemList<T> {
    const source = {
      what: method,
      fetch: async (cursor: string | undefined) => {
        const isFirst = cursor === undefined;
        // A cursor means nothing in another session, so such a page is not asked for again there.
        const pageOptions = { ...options, canResend: isFirst, reload: isFirst && reload };
        const result = await this.#caller.request(method, isFirst ? {} : { cursor }, pageOptions);
        return { items: read(result), nextCursor: result.nextCursor };
      },
      ...(onComplete && { onComplete }),
    };
    return new ItemList(source, {
      maxPages: maxPages ?? this.#defaults.maxPages,
      maxItems: maxItems ?? this.#defaults.maxItems,
    });
  }
}

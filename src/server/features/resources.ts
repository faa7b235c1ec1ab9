/** Listing, reading and watching resources. Specification: Server > Resources. */
import { InvalidParamsError, ResourceNotFoundError } from "../../protocol/errors.ts";
import { parseResourceUri } from "../../protocol/resource-uri.ts";
import type { ResourceTemplate } from "../../protocol/types/resource.ts";
import type { ReadResourceResult } from "../../protocol/types/resources.ts";
import { Pager } from "../lists/pagination.ts";
import { Registry } from "../lists/registry.ts";
import { SourceChain } from "../lists/source-chain.ts";
import { type MaybePromise, whenDone } from "../maybe.ts";
import { assertScopes, isVisible } from "../requests/access.ts";
import type { AnyContext } from "../requests/context.ts";
import type { Settings } from "../settings.ts";
import { type CacheHint, isForEverybody, withCacheHint } from "./cache-hints.ts";
import { compileResource, compileTemplate, type LocalTemplate } from "./compile-resource.ts";
import type { ResourceItem, TemplateItem } from "./item.ts";
import type { ResourceDefinition, TemplateDefinition } from "./resource.ts";
import { TemplateResources } from "./templates.ts";

/** See the head of this file. */
export class Resources {
  readonly registry: Registry<ResourceDefinition, ResourceItem>;
  readonly templates: Registry<TemplateDefinition, LocalTemplate>;
  readonly source: SourceChain<ResourceItem>;
  readonly templateSource: SourceChain<TemplateItem>;
  readonly pager: Pager<ResourceItem["wire"], ResourceItem>;
  readonly templatePager: Pager<ResourceTemplate, TemplateItem>;
  readonly #hint: CacheHint | undefined;

  constructor({ pageSize, cache }: Settings) {
    this.#hint = cache["resources/read"];
    this.registry = new Registry("resource", compileResource);
    this.templates = new Registry("template", compileTemplate);
    this.source = new SourceChain(this.registry);
    this.source.append(new TemplateResources(this.templates));
    this.templateSource = new SourceChain<TemplateItem>(this.templates);
    this.pager = new Pager("resources", this.source, pageSize, cache["resources/list"]);
    this.templatePager = new Pager(
      "resourceTemplates",
      this.templateSource,
      pageSize,
      cache["resources/templates/list"],
    );
  }

  /** Whether there is anything to list or read. */
  get isEmpty(): boolean {
    return this.registry.size === 0 && this.templates.size === 0;
  }

  /** Answers `resources/read`. */
  read(uri: string, ctx: AnyContext): MaybePromise<ReadResourceResult> {
    return whenDone(this.find(uri, ctx), (item) => {
      const hint = item.cache ?? this.#hint;
      const result = item.read(ctx);
      return hint === undefined
        ? result
        : whenDone(result, (read) => withCacheHint(read, hint, isForEverybody(item.access)));
    });
  }

  /**
   * The resource with a URI, if this caller may have it.
   *
   * @throws InvalidParamsError for a text that is no URI; ResourceNotFoundError where nothing is there for the caller;
   *   RpcError where a scope is missing [RES-006, RES-017, RES-018]
   */
  find(uri: string, ctx: AnyContext): MaybePromise<ResourceItem> {
    const parsed = parseResourceUri(uri);
    if (!parsed.ok) {
      throw new InvalidParamsError(`params.uri: ${parsed.problem}`);
    }
    return whenDone(this.source.find(uri, ctx), (item) => {
      if (item === undefined) {
        throw new ResourceNotFoundError(uri);
      }
      return whenDone(isVisible(item.access, ctx), (visible) => {
        if (!visible) {
          throw new ResourceNotFoundError(uri);
        }
        assertScopes(item.access, `resource ${uri}`, ctx);
        return item;
      });
    });
  }
}

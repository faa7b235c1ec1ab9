/**
 * The resources behind templates, as a source: found by matching, listed where a template says how.
 *
 * Templates are tried in the order of their registration; the first that matches has it.
 */
import { UsageError } from "../../base/error.ts";
import { findMismatch } from "../../protocol/check.ts";
import { resource as resourceCheck } from "../../protocol/checks/resources.ts";
import type { Resource } from "../../protocol/types/resource.ts";
import type { Registry } from "../lists/registry.ts";
import type { Source, SourcePage } from "../lists/source.ts";
import { isVisible } from "../requests/access.ts";
import type { AnyContext } from "../requests/context.ts";
import type { LocalTemplate } from "./compile-resource.ts";
import type { ResourceItem } from "./item.ts";
import type { TemplateDefinition } from "./resource.ts";

/** See the head of this file. */
export class TemplateResources implements Source<ResourceItem> {
  readonly #registry: Registry<TemplateDefinition, LocalTemplate>;

  constructor(registry: Registry<TemplateDefinition, LocalTemplate>) {
    this.#registry = registry;
  }

  /** Pages depend on the caller as soon as any template lists. */
  get version(): number | undefined {
    return this.#listing().length === 0 ? this.#registry.version : undefined;
  }

  async page(
    position: string | undefined,
    limit: number,
    ctx: AnyContext,
  ): Promise<SourcePage<ResourceItem> | undefined> {
    const parsed = /^(\d+)\.(\d+)$/.exec(position ?? "0.0");
    if (parsed === null) {
      return undefined;
    }
    const templates = this.#listing();
    const items: ResourceItem[] = [];
    let from = Number(parsed[2]);
    for (let index = Number(parsed[1]); index < templates.length; index += 1, from = 0) {
      const listed = await listOf(templates[index], ctx);
      const taken = listed.slice(from, from + limit - items.length);
      items.push(...taken);
      if (from + taken.length < listed.length) {
        return { items, next: `${index}.${from + taken.length}` };
      }
    }
    return { items };
  }

  find(uri: string): ResourceItem | undefined {
    for (const template of this.#registry.items()) {
      const item = template.open(uri);
      if (item !== undefined) {
        return item;
      }
    }
    return undefined;
  }

  keys(): Iterable<string> {
    return [];
  }

  onChange(listener: () => void): () => void {
    return this.#registry.onChange(listener);
  }

  #listing(): readonly LocalTemplate[] {
    return [...this.#registry.items()].filter((template) => template.list !== undefined);
  }
}

async function listOf(template: LocalTemplate | undefined, ctx: AnyContext): Promise<readonly ResourceItem[]> {
  if (template?.list === undefined || !(await isVisible(template.access, ctx))) {
    return [];
  }
  const resources = await template.list(ctx);
  return resources.map((resource) => toItem(resource, template));
}

function toItem(wire: Resource, template: LocalTemplate): ResourceItem {
  const problem = findMismatch(resourceCheck, wire, `template ${JSON.stringify(template.wire.name)}, list`);
  if (problem !== undefined) {
    throw new UsageError(problem);
  }
  const { access, cache } = template;
  const { uri } = wire;
  return { wire, access, address: uri, cache, read: (ctx) => openListed(template, uri).read(ctx) };
}

function openListed(template: LocalTemplate, uri: string): ResourceItem {
  const item = template.open(uri);
  if (item === undefined) {
    throw new UsageError(`template ${JSON.stringify(template.wire.name)} lists ${uri}, which it does not match`);
  }
  return item;
}

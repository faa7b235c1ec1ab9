/** Resources and templates made ready to be served: URIs checked, templates parsed and compiled, once, at registration. */
import { UsageError } from "../../base/error.ts";
import { InvalidParamsError } from "../../protocol/errors.ts";
import { checkPathValue } from "../../protocol/path-value.ts";
import { parseResourceUri } from "../../protocol/resource-uri.ts";
import type { Resource, ResourceTemplate } from "../../protocol/types/resource.ts";
import { parseUriTemplate, type UriTemplate } from "../../protocol/uri-template.ts";
import { createUriTemplateMatcher, type UriTemplateMatcher } from "../../protocol/uri-template-match.ts";
import type { UriTemplateValues } from "../../protocol/uri-template-values.ts";
import { type MaybePromise, whenDone } from "../maybe.ts";
import type { AnyContext } from "../requests/context.ts";
import { type CacheHint, checkCacheHint } from "./cache-hints.ts";
import type { Completers } from "./completer.ts";
import type { ResourceItem, TemplateItem } from "./item.ts";
import { toReadResult } from "./read-result.ts";
import { assertMade, assertNoProblem, checkDescription, toWireDescription } from "./registration.ts";
import type { ResourceDefinition, ResourceOptions, TemplateDefinition, TemplateOptions } from "./resource.ts";

/** A template of this server, which also finds and lists its resources. */
export interface LocalTemplate extends TemplateItem {
  /**
   * The resource with a URI; `undefined` where the template does not match.
   *
   * @throws InvalidParamsError for a malformed escape, or a value that climbs out of a folder [RES-017]
   */
  open(uri: string): ResourceItem | undefined;
  readonly cache: CacheHint | undefined;
  readonly list: ((ctx: AnyContext) => MaybePromise<readonly Resource[]>) | undefined;
}

/** Prepares a resource. */
export function compileResource(name: string, definition: ResourceDefinition): ResourceItem {
  assertMade("resource", name, definition);
  const { options, read } = definition;
  const what = `resource ${JSON.stringify(name)}`;
  assertReader(what, read);
  const { uri, mimeType, size, scopes, allow, cache } = options;
  const parsed = parseResourceUri(uri);
  assertNoProblem(
    what,
    parsed.ok ? undefined : parsed.problem,
    checkCacheHint(cache, "cache"),
    checkDescription(options, options.annotations),
    size === undefined || (Number.isInteger(size) && size >= 0) ? undefined : `size: expected whole bytes, got ${size}`,
  );
  const wire: Resource = { uri, name, ...toWireCommon(options), ...(size === undefined ? undefined : { size }) };
  return {
    wire,
    access: { scopes, allow },
    address: uri,
    cache,
    read: (ctx) => whenDone(read(uri, ctx), (value) => toReadResult(value, uri, mimeType)),
  };
}

/** Prepares a template. */
export function compileTemplate(name: string, definition: TemplateDefinition): LocalTemplate {
  assertMade("template", name, definition);
  const { options, read } = definition;
  const what = `template ${JSON.stringify(name)}`;
  assertReader(what, read);
  const { uriTemplate, complete = {}, list, mimeType, scopes, allow, cache } = options;
  const { template, match } = prepareTemplate(what, uriTemplate);
  const { variableNames } = template;
  const stray = Object.keys(complete).find((variable) => !variableNames.includes(variable));
  assertNoProblem(
    what,
    checkDescription(options, options.annotations),
    checkCacheHint(cache, "cache"),
    stray === undefined
      ? undefined
      : `complete: ${JSON.stringify(stray)} is no variable of ${JSON.stringify(uriTemplate)} (${variableNames.join(", ")})`,
  );
  const wire: ResourceTemplate = { uriTemplate, name, ...toWireCommon(options) };
  const plain = plainVariables(template);
  const access = { scopes, allow };
  const open = (uri: string): ResourceItem | undefined => {
    const values = matchValues(match, uri);
    if (values === undefined) {
      return undefined;
    }
    if (options.dangerouslyAllowTraversal !== true) {
      assertSafe(values);
    }
    const variables = { ...plain, ...values } as never;
    const described = { uri, name, ...(mimeType === undefined ? undefined : { mimeType }) };
    return {
      wire: described,
      access,
      address: uri,
      cache,
      read: (ctx) => whenDone(read(variables, ctx, uri), (value) => toReadResult(value, uri, mimeType)),
    };
  };
  return {
    wire,
    access,
    address: uriTemplate,
    completers: complete as Completers<string, never>,
    variableNames,
    open,
    cache,
    list: list === undefined ? undefined : (ctx) => list(ctx),
  };
}

function prepareTemplate(what: string, text: string): { template: UriTemplate; match: UriTemplateMatcher } {
  const parsed = parseUriTemplate(text);
  if (!parsed.ok) {
    throw new UsageError(`${what}: ${parsed.problem}`);
  }
  const matcher = createUriTemplateMatcher(parsed.template);
  if (!matcher.ok) {
    throw new UsageError(`${what}: ${matcher.problem}`);
  }
  return { template: parsed.template, match: matcher.match };
}

function matchValues(match: UriTemplateMatcher, uri: string): UriTemplateValues | undefined {
  const matched = match(uri);
  if (matched.ok) {
    return matched.values;
  }
  if (matched.reason === "no-match") {
    return undefined;
  }
  throw new InvalidParamsError(`params.uri: ${matched.problem}`);
}

/** Variables of plain expressions are always there, so that their types need no `undefined`. */
function plainVariables({ parts }: UriTemplate): UriTemplateValues {
  const names = parts.flatMap((part) =>
    part.kind === "expression" && (part.operator === "" || part.operator === "+" || part.operator === "#")
      ? part.variables.map((variable) => [variable.name, variable.explode ? [] : ""] as const)
      : [],
  );
  return Object.fromEntries(names);
}

function assertSafe(values: UriTemplateValues): void {
  for (const [name, value] of Object.entries(values)) {
    for (const text of typeof value === "string" ? [value] : value) {
      const problem = checkPathValue(text);
      if (problem !== undefined) {
        throw new InvalidParamsError(`params.uri: the value of ${JSON.stringify(name)} is refused. ${problem}`);
      }
    }
  }
}

function assertReader(what: string, read: unknown): void {
  if (typeof read !== "function") {
    throw new UsageError(`${what}: expected a function that reads it, got ${typeof read}`);
  }
}

function toWireCommon(
  options: ResourceOptions<never> | TemplateOptions<string, never>,
): Partial<Omit<Resource, "uri" | "name">> {
  const { mimeType, annotations } = options;
  return {
    ...toWireDescription(options),
    ...(mimeType === undefined ? undefined : { mimeType }),
    ...(annotations === undefined ? undefined : { annotations }),
  };
}

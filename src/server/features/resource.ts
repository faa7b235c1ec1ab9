/**
 * Resources and templates as an author writes them: what they are, and one function that reads them.
 *
 * What a server makes of them is resources.ts and templates.ts. Specification: Server > Resources.
 */
import type { Annotations } from "../../protocol/types/metadata.ts";
import type { BlobResourceContents, Resource, TextResourceContents } from "../../protocol/types/resource.ts";
import type { ReadResourceResult } from "../../protocol/types/resources.ts";
import type { MaybePromise } from "../maybe.ts";
import type { Context } from "../requests/context.ts";
import type { CacheHint } from "./cache-hints.ts";
import type { Completers } from "./completer.ts";
import type { AccessRules, FeatureDescription } from "./feature.ts";

/** Bytes of one part of a resource; they become base64. */
export interface BytesContents {
  uri?: string | undefined;
  mimeType?: string | undefined;
  bytes: Uint8Array;
}

/** One part of a resource; the URI that was read is filled in where it has none. */
export type ResourcePart =
  | string
  | Uint8Array
  | BytesContents
  | (Omit<TextResourceContents, "uri"> & { uri?: string; bytes?: never; blob?: never })
  | (Omit<BlobResourceContents, "uri"> & { uri?: string; bytes?: never; text?: never });

/** What reading gives: text, bytes, parts, a full result, or nothing, which means that there is no such resource. */
export type ResourceReturn = ResourcePart | readonly ResourcePart[] | ReadResourceResult | undefined;

interface CommonOptions<Value> extends FeatureDescription, AccessRules<Value> {
  /** The type of what is read, for parts that say none. */
  mimeType?: string | undefined;
  /** For whom it is and how much it matters. */
  annotations?: Annotations | undefined;
  /** How long what is read stays fresh and for whom. Default: what the server's `cache` option says of reading. */
  cache?: CacheHint | undefined;
}

/** Options of a resource. */
export interface ResourceOptions<Value = unknown> extends CommonOptions<Value> {
  /** Absolute, of any scheme. */
  uri: string;
  /** Raw size in bytes, before any base64 [RES-011]. */
  size?: number | undefined;
}

/** A resource, ready to be put into any number of servers. Made by {@link resource}. */
export interface ResourceDefinition<Value = never> {
  readonly kind: "resource";
  readonly options: ResourceOptions<Value>;
  readonly read: (uri: string, ctx: Context<Value>) => MaybePromise<ResourceReturn>;
}

/** The names between the braces of a template, by what they become: text, or a list where they carry `*`. */
export type TemplateVariables<Template extends string> = string extends Template
  ? Readonly<Record<string, string | readonly string[] | undefined>>
  : Template extends `${string}{${infer Inside}}${infer Rest}`
    ? VariablesInside<Inside> & TemplateVariables<Rest>
    : unknown;

type VariablesInside<Inside extends string> = Inside extends `${"." | "/" | ";" | "?" | "&"}${infer Names}`
  ? Partial<VariablesOf<Names>>
  : Inside extends `${"+" | "#"}${infer Names}`
    ? VariablesOf<Names>
    : VariablesOf<Inside>;

type VariablesOf<Names extends string> = Names extends `${infer First},${infer Rest}`
  ? VariableOf<First> & VariablesOf<Rest>
  : VariableOf<Names>;

type VariableOf<Spec extends string> = Spec extends `${infer Name}*`
  ? { readonly [Key in Name]: readonly string[] }
  : Spec extends `${infer Name}:${string}`
    ? { readonly [Key in Name]: string }
    : { readonly [Key in Spec]: string };

/** Options of a template. */
export interface TemplateOptions<Template extends string = string, Value = unknown> extends CommonOptions<Value> {
  /** RFC 6570, such as `note://{folder}/{id}`. */
  uriTemplate: Template;
  /** Suggests values of variables. */
  complete?: Completers<keyof TemplateVariables<Template> & string, Value> | undefined;
  /** The resources of this template that are to be listed. */
  list?: ((ctx: Context<Value>) => MaybePromise<readonly Resource[]>) | undefined;
  /**
   * Lets values through that climb out of a folder (`..`, absolute paths, NUL). Only for values that never become part
   * of a path.
   */
  dangerouslyAllowTraversal?: boolean | undefined;
}

/** A template, ready to be put into any number of servers. Made by {@link template}. */
export interface TemplateDefinition<Value = never> {
  readonly kind: "template";
  readonly options: TemplateOptions<string, Value>;
  readonly read: (variables: never, ctx: Context<Value>, uri: string) => MaybePromise<ResourceReturn>;
}

/**
 * Makes a resource.
 *
 * @param options - its URI and description, and who may read it
 * @param read - gives its text, bytes or parts; nothing means that it does not exist
 *
 * @example
 * ```ts
 * import { resource } from "parley-mcp/server";
 *
 * export const motd = resource({ uri: "note:///motd", mimeType: "text/plain" }, () => "Good morning");
 * ```
 */
export function resource<Value = unknown>(
  options: ResourceOptions<Value>,
  read: (uri: string, ctx: Context<Value>) => MaybePromise<ResourceReturn>,
): ResourceDefinition<NoInfer<Value>> {
  return { kind: "resource", options, read };
}

/**
 * Makes a family of resources.
 *
 * @param options - the template and its description; values that climb out of a folder are refused unless allowed
 * @param read - gets the decoded values of the variables; nothing means that there is no such resource
 *
 * @example
 * ```ts
 * import { template } from "parley-mcp/server";
 *
 * const notes = new Map([["a", "first"]]);
 * export const note = template({ uriTemplate: "note:///{id}", complete: { id: [...notes.keys()] } }, ({ id }) =>
 *   notes.get(id),
 * );
 * ```
 */
export function template<const Template extends string, Value = unknown>(
  options: TemplateOptions<Template, Value>,
  read: (variables: TemplateVariables<Template>, ctx: Context<Value>, uri: string) => MaybePromise<ResourceReturn>,
): TemplateDefinition<NoInfer<Value>> {
  return { kind: "template", options, read };
}

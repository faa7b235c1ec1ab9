/**
 * What sources hold: tools, resources, templates and prompts ready to be served, whoever made them.
 *
 * A local feature, one of a mounted server and one behind a client session look the same here.
 */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { HeaderAnnotation } from "../../protocol/tool-headers.ts";
import type { GetPromptResult, Prompt } from "../../protocol/types/prompts.ts";
import type { Resource, ResourceTemplate } from "../../protocol/types/resource.ts";
import type { ReadResourceResult } from "../../protocol/types/resources.ts";
import type { Tool } from "../../protocol/types/tool.ts";
import type { CallToolResult } from "../../protocol/types/tools.ts";
import type { Source } from "../lists/source.ts";
import type { MaybePromise } from "../maybe.ts";
import type { AnyContext } from "../requests/context.ts";
import type { ResolvedToolTask } from "../tasks/task-options.ts";
import type { CacheHint } from "./cache-hints.ts";
import type { Completers } from "./completer.ts";
import type { AccessRules } from "./feature.ts";

/** A tool that can be listed and called, local or not. */
export interface ToolItem {
  readonly wire: Tool;
  readonly access: AccessRules<never>;
  /** Arguments that callers over HTTP repeat in headers, where its schema asks for that. */
  readonly headers?: readonly HeaderAnnotation[] | undefined;
  /** How its calls become tasks; `undefined` where that is all in {@link wire}, or where they never do. */
  readonly task?: ResolvedToolTask | undefined;
  /**
   * Calls it.
   *
   * @param args - not yet checked
   * @throws UrlElicitationRequiredError, the signal's reason, Suspension, RpcError for a caller who lacks a scope, and
   *   MissingCapabilityError where the request stands for itself; nothing else
   */
  call(args: JsonObject, ctx: AnyContext): MaybePromise<CallToolResult>;
}

/** A resource that can be listed and read, local or not. */
export interface ResourceItem {
  readonly wire: Resource;
  readonly access: AccessRules<never>;
  /** The URI. */
  readonly address: string;
  /** How long what is read stays fresh, where that is said of this resource. */
  readonly cache?: CacheHint | undefined;
  read(ctx: AnyContext): MaybePromise<ReadResourceResult>;
}

/** A template that can be listed and completed, local or not. */
export interface TemplateItem {
  readonly wire: ResourceTemplate;
  readonly access: AccessRules<never>;
  /** The template's text. */
  readonly address: string;
  readonly completers: Completers<string, never>;
  /** Variables that can be completed. */
  readonly variableNames: readonly string[];
}

/** A prompt that can be listed and filled in, local or not. */
export interface PromptItem {
  readonly wire: Prompt;
  readonly access: AccessRules<never>;
  readonly completers: Completers<string, never>;
  /**
   * Fills it in.
   *
   * @throws InvalidParamsError for missing or unknown values
   */
  get(args: Readonly<Record<string, string>>, ctx: AnyContext): MaybePromise<GetPromptResult>;
}

/** Everything a server lists. */
export interface ServerSources {
  readonly tools?: Source<ToolItem> | undefined;
  readonly resources?: Source<ResourceItem> | undefined;
  readonly templates?: Source<TemplateItem> | undefined;
  readonly prompts?: Source<PromptItem> | undefined;
}

/** What can be mounted. */
export interface Mountable {
  readonly sources: ServerSources;
}

/** `defineServer`, and the makers of features that expect a value of the server's `context` option. */
import type { ToolTypes } from "../protocol/types/definition.ts";
import type { AcceptedSchema } from "../schema/standard.ts";
import {
  type PromptArgumentsOf,
  type PromptBlanks,
  type PromptDefinition,
  type PromptOptions,
  type PromptReturn,
  prompt,
} from "./features/prompt.ts";
import {
  type ResourceDefinition,
  type ResourceOptions,
  type ResourceReturn,
  resource,
  type TemplateDefinition,
  type TemplateOptions,
  type TemplateVariables,
  template,
} from "./features/resource.ts";
import {
  type ToolArgumentsOf,
  type ToolDefinition,
  type ToolOptions,
  type ToolReturn,
  type ToolTypesOf,
  type TypesOfTool,
  tool,
} from "./features/tool.ts";
import type { MaybePromise } from "./maybe.ts";
import type { IncomingRequest, ServerOptions } from "./options.ts";
import type { Context } from "./requests/context.ts";
import { Server } from "./server.ts";

/** Tools by name. */
export type ToolMap<Value> = Readonly<Record<string, ToolDefinition<ToolTypes, Value>>>;

/** What a server is made of: the options, with the features' own types. */
export type DefinitionOptions<Tools, Resources, Templates, Prompts, Value> = Omit<
  ServerOptions,
  "tools" | "resources" | "templates" | "prompts" | "context"
> & {
  tools?: Tools;
  resources?: Resources;
  templates?: Templates;
  prompts?: Prompts;
  /** Makes `ctx.value`, once per request, before anything else runs; what it throws refuses the request. */
  context?: ((incoming: IncomingRequest) => MaybePromise<Value>) | undefined;
} & ([Value] extends [NeededBy<Tools, Resources, Templates, Prompts>]
    ? unknown
    : { context: (incoming: IncomingRequest) => MaybePromise<NeededBy<Tools, Resources, Templates, Prompts>> });

/** What the handlers of all features together expect at `ctx.value`. */
type NeededBy<Tools, Resources, Templates, Prompts> = Known<NeededByTools<Tools[keyof Tools]>> &
  Known<NeededByReaders<Resources[keyof Resources] | Templates[keyof Templates]>> &
  Known<NeededByPrompts<Prompts[keyof Prompts]>>;

/** Features of which only the general type is known need nothing in particular. */
type Known<Value> = [Value] extends [never] ? unknown : Value;

type NeededByTools<Feature> = [Feature] extends [ToolDefinition<ToolTypes, infer Value>] ? Value : unknown;

type NeededByReaders<Feature> = [Feature] extends [ResourceDefinition<infer Value> | TemplateDefinition<infer Value>]
  ? Value
  : unknown;

type NeededByPrompts<Feature> = [Feature] extends [PromptDefinition<infer Value>] ? Value : unknown;

type None = Record<never, never>;

/** The makers of features whose handlers find a value of this type at `ctx.value`. */
export interface FeatureMakers<Value> {
  /** As the exported function of the same name. */
  tool<
    const Input extends AcceptedSchema | undefined = undefined,
    const Output extends AcceptedSchema | undefined = undefined,
  >(
    options: ToolOptions<Input, Output, Value>,
    handler: (args: ToolArgumentsOf<Input>, ctx: Context<Value>) => MaybePromise<ToolReturn<Output>>,
  ): ToolDefinition<TypesOfTool<Input, Output>, Value>;
  /** As the exported function of the same name. */
  resource(
    options: ResourceOptions<Value>,
    read: (uri: string, ctx: Context<Value>) => MaybePromise<ResourceReturn>,
  ): ResourceDefinition<Value>;
  /** As the exported function of the same name. */
  template<const Template extends string>(
    options: TemplateOptions<Template, Value>,
    read: (variables: TemplateVariables<Template>, ctx: Context<Value>, uri: string) => MaybePromise<ResourceReturn>,
  ): TemplateDefinition<Value>;
  /** As the exported function of the same name. */
  prompt<const Args extends PromptBlanks | AcceptedSchema | undefined = undefined>(
    options: PromptOptions<Args, Value>,
    get: (args: PromptArgumentsOf<Args>, ctx: Context<Value>) => MaybePromise<PromptReturn>,
  ): PromptDefinition<Value>;
}

/**
 * Defines a server. The object literal is its type: `typeof app` carries every tool with its arguments and results.
 *
 * @param options - `name` and `version` are needed, everything else is optional
 * @throws UsageError at once for anything that could not be served, naming the feature, the cause and the next step
 *
 * @example
 * ```ts
 * import { defineServer, tool } from "parley-mcp/server";
 * import { z } from "zod";
 *
 * export const app = defineServer({
 *   name: "demo",
 *   version: "1.0.0",
 *   tools: {
 *     add: tool(
 *       { input: z.object({ a: z.number(), b: z.number() }), output: z.object({ sum: z.number() }) },
 *       ({ a, b }) => ({ sum: a + b }),
 *     ),
 *   },
 * });
 * ```
 */
export function defineServer<
  const Tools extends ToolMap<never> = None,
  const Resources extends Readonly<Record<string, ResourceDefinition>> = None,
  const Templates extends Readonly<Record<string, TemplateDefinition>> = None,
  const Prompts extends Readonly<Record<string, PromptDefinition>> = None,
  Value = undefined,
>(
  options: DefinitionOptions<Tools, Resources, Templates, Prompts, Value>,
): Server<{ readonly tools: ToolTypesOf<Tools> }>;
export function defineServer(options: ServerOptions): Server {
  return new Server(options);
}

/**
 * The makers of features for a server with a `context` option, so that `ctx.value` has its type in every handler.
 *
 * @example
 * ```ts
 * import { defineServer, withContext } from "parley-mcp/server";
 *
 * const { tool } = withContext<{ tenant: string }>();
 * export const app = defineServer({
 *   name: "demo",
 *   version: "1.0.0",
 *   context: ({ auth }) => ({ tenant: auth?.subject ?? "nobody" }),
 *   tools: { whoAmI: tool({ description: "Names the tenant" }, (_args, ctx) => ctx.value.tenant) },
 * });
 * ```
 */
export function withContext<Value>(): FeatureMakers<Value> {
  return { tool, resource, template, prompt };
}

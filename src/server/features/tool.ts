/**
 * A tool as an author writes it: a description and one plain function, typed by its schemas, outside any server.
 *
 * What a server makes of it is compile-tool.ts; listing and calling is tools.ts.
 */
import type { ToolHints } from "../../protocol/annotations.ts";
import type { ToolError } from "../../protocol/errors.ts";
import type { ContentBlock } from "../../protocol/types/content.ts";
import type { ToolTypes } from "../../protocol/types/definition.ts";
import type { MetaObject } from "../../protocol/types/metadata.ts";
import type { SchemaInput, SchemaOutput } from "../../schema/infer.ts";
import type { Represent } from "../../schema/library-options.ts";
import type { AcceptedSchema } from "../../schema/standard.ts";
import type { MaybePromise } from "../maybe.ts";
import type { Context } from "../requests/context.ts";
import type { TaskSupport, ToolTaskOptions } from "../tasks/task-options.ts";
import type { AccessRules, FeatureDescription } from "./feature.ts";

/** A full result, for a tool that wants a say in both of its forms. */
export interface ToolResult<Output = unknown> {
  /** What a model reads; the structured result as JSON text unless given. */
  content?: ContentBlock[];
  /** The result as data. */
  structuredContent: Output;
  _meta?: MetaObject;
}

/** The arguments a handler gets. */
export type ToolArgumentsOf<Input> = Input extends AcceptedSchema ? SchemaOutput<Input> : Record<string, never>;

/** What a handler may return: with an output schema only what fits it, a full result, or an error. */
export type ToolReturn<Output> = Output extends AcceptedSchema
  ? SchemaInput<Output> | ToolResult<SchemaInput<Output>> | ToolError
  : unknown;

/** Options of a tool. */
export interface ToolOptions<Input = AcceptedSchema | undefined, Output = AcceptedSchema | undefined, Value = unknown>
  extends FeatureDescription,
    AccessRules<Value> {
  /** Describes the arguments: a schema of any library, or JSON Schema. Without one the tool takes none. */
  input?: Input;
  /** Describes the result; what is returned is checked against it, when compiling and when running. */
  output?: Output;
  /** Hints on what it does, for hosts. */
  annotations?: ToolHints | undefined;
  /** Lets arguments through that the schema does not mention. Default false: they are named in an error. */
  open?: boolean | undefined;
  /** Writes the text form of a structured result. Default: its JSON. */
  render?:
    | ((output: Output extends AcceptedSchema ? SchemaOutput<Output> : unknown) => string | ContentBlock[])
    | undefined;
  /**
   * Whether its calls may be tasks, which clients poll for, or must be. Default `forbidden`. Specification: Basic >
   * Utilities > Tasks; Extensions > Tasks.
   */
  task?: TaskSupport | ToolTaskOptions | undefined;
  /** What to publish for a part of a schema that JSON Schema has no words for. */
  represent?: Represent | undefined;
}

declare const toolTypes: unique symbol;

/** A tool, ready to be put into any number of servers. Made by {@link tool}. */
export interface ToolDefinition<Types extends ToolTypes = ToolTypes, Value = never> {
  readonly kind: "tool";
  readonly options: ToolOptions<AcceptedSchema | undefined, AcceptedSchema | undefined, Value>;
  readonly handler: (args: never, ctx: Context<Value>) => unknown;
  /** For the compiler only. */
  readonly [toolTypes]?: Types;
}

/** The types a client sees of a tool. */
export interface TypesOfTool<Input, Output> extends ToolTypes {
  readonly input: Input extends AcceptedSchema ? SchemaInput<Input> : Record<string, never>;
  readonly output: Output extends AcceptedSchema ? SchemaOutput<Output> : undefined;
}

/** The types of a definition's tools, by name. */
export type ToolTypesOf<Tools> = {
  readonly [Name in keyof Tools]: Tools[Name] extends { readonly [toolTypes]?: infer Types extends ToolTypes }
    ? Types
    : ToolTypes;
};

/**
 * Makes a tool of a plain function. Specification: Server > Tools.
 *
 * @param options - description, schemas, hints, and who may call it
 * @param handler - gets the checked arguments and the context; returns a plain value, content, several of them, a full
 *   result or an error; what it throws becomes a failed result that the model can read
 *
 * @example
 * ```ts
 * import { tool } from "parley-mcp/server";
 * import { z } from "zod";
 *
 * export const add = tool(
 *   {
 *     description: "Adds two numbers",
 *     input: z.object({ a: z.number(), b: z.number() }),
 *     output: z.object({ sum: z.number() }),
 *   },
 *   ({ a, b }) => ({ sum: a + b }),
 * );
 * ```
 */
export function tool<
  const Input extends AcceptedSchema | undefined = undefined,
  const Output extends AcceptedSchema | undefined = undefined,
  Value = unknown,
>(
  options: ToolOptions<Input, Output, Value>,
  handler: (args: ToolArgumentsOf<Input>, ctx: Context<Value>) => MaybePromise<ToolReturn<Output>>,
): ToolDefinition<TypesOfTool<Input, Output>, NoInfer<Value>> {
  return { kind: "tool", options: options as ToolDefinition<ToolTypes, Value>["options"], handler };
}

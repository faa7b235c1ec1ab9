/**
 * What a server definition says about itself at the type level, so that a client can be typed by `typeof app` alone.
 *
 * The server carries it as a phantom member, the client reads it; neither imports the other. Nothing exists at run time.
 */

/** The types of one tool. */
export interface ToolTypes {
  /** What a caller passes as arguments. */
  readonly input: unknown;
  /** The structured result; `undefined` for a tool without an output schema. */
  readonly output: unknown;
}

/** The types of everything in a definition, by name. */
export interface DefinitionTypes {
  readonly tools: { readonly [name: string]: ToolTypes };
}

/** The key of the phantom member. There is no such value at run time: import it as a type. */
export declare const definitionTypes: unique symbol;

/** Anything whose type tells what it serves. The member never exists. */
export interface Definition<Types extends DefinitionTypes = DefinitionTypes> {
  readonly [definitionTypes]?: Types;
}

/**
 * The types a definition carries.
 *
 * @example
 * ```ts
 * import type { TypesOf } from "parley-mcp";
 * import { defineServer } from "parley-mcp/server";
 *
 * const app = defineServer({ name: "demo", version: "1.0.0" });
 * export type Served = TypesOf<typeof app>;
 * ```
 */
export type TypesOf<App> = App extends Definition<infer Types> ? Types : DefinitionTypes;

/** The names of a definition's tools. */
export type ToolName<App> = keyof TypesOf<App>["tools"] & string;

/** What a caller passes to a tool of a definition. */
export type ToolArguments<App, Name extends ToolName<App>> = TypesOf<App>["tools"][Name]["input"];

/** The structured result of a tool of a definition; `undefined` for a tool without an output schema. */
export type ToolOutput<App, Name extends ToolName<App>> = TypesOf<App>["tools"][Name]["output"];

// The Standard Schema interfaces and how a value is recognised as one. Types only: no schema library is
// a dependency, and several libraries and versions live side by side. A schema may be a function.

import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import type { JsonSchemaObject } from "./json-schema.ts";

/** A schema of any library that implements Standard Schema. */
export type StandardSchema<Input = unknown, Output = Input> = StandardSchemaV1<Input, Output>;

/** A schema that can also describe itself as JSON Schema, as tools need it. */
export type DescribedSchema<Input = unknown, Output = Input> = StandardSchemaV1<Input, Output> &
  StandardJSONSchemaV1<Input, Output>;

/**
 * What may describe arguments or results: a Standard Schema that yields JSON Schema, or plain JSON Schema.
 *
 * @example
 * ```ts
 * import type { AcceptedSchema } from "parley-mcp/schema";
 * import { z } from "zod";
 *
 * const schemas: AcceptedSchema[] = [z.object({ a: z.number() }), { type: "object" }];
 * ```
 */
export type AcceptedSchema = DescribedSchema | JsonSchemaObject;

/**
 * Whether a value is a Standard Schema of any library.
 *
 * @example
 * ```ts
 * import { isStandardSchema } from "parley-mcp/schema";
 * import { z } from "zod";
 *
 * isStandardSchema(z.string()); // true
 * isStandardSchema({ type: "string" }); // false: plain JSON Schema
 * ```
 */
export function isStandardSchema(value: unknown): value is StandardSchema {
  const properties = standardProperties(value);
  return properties?.version === 1 && typeof properties.validate === "function";
}

/** Whether a Standard Schema describes itself as JSON Schema. */
export function isDescribedSchema(value: unknown): value is DescribedSchema {
  if (!isStandardSchema(value)) return false;
  const converter: unknown = Reflect.get(value["~standard"], "jsonSchema");
  return typeof converter === "object" && converter !== null && "input" in converter && "output" in converter;
}

function standardProperties(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if ((typeof value !== "object" && typeof value !== "function") || value === null || !("~standard" in value))
    return undefined;
  const properties = value["~standard"];
  return typeof properties === "object" && properties !== null
    ? (properties as Readonly<Record<string, unknown>>)
    : undefined;
}

/**
 * Gives a Standard Schema the JSON Schema it lacks: for libraries and versions that validate but do
 * not describe themselves.
 *
 * @param schema validates, and types the handler's arguments
 * @param jsonSchema what is published; one for both sides, or one for each
 * @example
 * ```ts
 * import { withJsonSchema, type StandardSchema } from "parley-mcp/schema";
 *
 * declare const old: StandardSchema<{ a: number }>;
 * const described = withJsonSchema(old, { type: "object", properties: { a: { type: "number" } }, required: ["a"] });
 * ```
 */
export function withJsonSchema<Input, Output>(
  schema: StandardSchema<Input, Output>,
  jsonSchema: JsonSchemaObject | { readonly input: JsonSchemaObject; readonly output: JsonSchemaObject },
): DescribedSchema<Input, Output> {
  const isPair = (
    value: typeof jsonSchema,
  ): value is { readonly input: JsonSchemaObject; readonly output: JsonSchemaObject } =>
    Object.keys(value).every((key) => key === "input" || key === "output") && "input" in value && "output" in value;
  const { input, output } = isPair(jsonSchema) ? jsonSchema : { input: jsonSchema, output: jsonSchema };
  const converter = { input: () => ({ ...input }), output: () => ({ ...output }) };
  return { "~standard": { ...schema["~standard"], jsonSchema: converter } };
}

// Any accepted schema to JSON Schema, once, when it is registered. Nothing is left out in silence: a
// part that JSON Schema cannot express is an error that names it. Not the shape a tool publishes, which
// publish.ts makes from this.

import { builtInDialect, defaultDialect } from "./dialect.ts";
import { SchemaError } from "./error.ts";
import { withoutFlaggedRules } from "./flagged-pattern.ts";
import type { JsonSchemaObject } from "./json-schema.ts";
import { escapePointer, isRecord } from "./json-schema.ts";
import type { Represent } from "./library-options.ts";
import { dateMark, faultMark, libraryOptions } from "./library-options.ts";
import type { DescribedSchema } from "./standard.ts";
import { isDescribedSchema, isStandardSchema } from "./standard.ts";

/** How a schema is converted. */
export interface ConvertOptions {
  /** Which side is described: what is sent to be parsed (`input`, default) or what parsing yields (`output`). */
  readonly side?: "input" | "output";
  /** What to publish for a part JSON Schema has no words for. Dates are date-time strings without it. */
  readonly represent?: Represent | undefined;
  /** Further options for the library's own converter. They win over the ones used here. */
  readonly libraryOptions?: Readonly<Record<string, unknown>> | undefined;
}

/** A converted schema. */
export interface ConvertedSchema {
  readonly jsonSchema: JsonSchemaObject;
  /** The parts of `jsonSchema` that stand for dates, by identity. */
  readonly dates: ReadonlySet<object>;
}

const noDates: ReadonlySet<object> = /* @__PURE__ */ new Set();

/**
 * Converts any accepted schema to JSON Schema. Plain JSON Schema comes back as it is.
 *
 * @param schema a Standard Schema that yields JSON Schema, or plain JSON Schema
 * @param options which side, and what to do with parts that JSON Schema cannot express
 * @throws SchemaError naming place and reason when the schema cannot be represented
 * @example
 * ```ts
 * import { toJsonSchema } from "parley-mcp/schema";
 * import { z } from "zod";
 *
 * toJsonSchema(z.object({ when: z.date() })); // properties.when is { type: "string", format: "date-time" }
 * ```
 */
export function toJsonSchema(schema: unknown, options: ConvertOptions = {}): JsonSchemaObject {
  return convertSchema(schema, options).jsonSchema;
}

/** Converts a schema and remembers which parts are dates. */
export function convertSchema(schema: unknown, options: ConvertOptions): ConvertedSchema {
  if (isDescribedSchema(schema)) return convertDescribed(schema, options);
  if (isStandardSchema(schema)) throw new SchemaError("unrepresentable", "", undescribed(schema["~standard"].vendor));
  if (isRecord(schema)) return { jsonSchema: schema, dates: noDates };
  throw new SchemaError("invalid", "", `must be a Standard Schema or a JSON Schema object (got ${typeof schema})`);
}

function convertDescribed(schema: DescribedSchema, options: ConvertOptions): ConvertedSchema {
  const { vendor, jsonSchema: converter } = schema["~standard"];
  const side = options.side ?? "input";
  const settings = { ...libraryOptions(vendor, options.represent), ...options.libraryOptions };
  const converted = callConverter(vendor, () => converter[side]({ target: "draft-2020-12", libraryOptions: settings }));
  const dates = new Set<object>();
  const faults: string[] = [];
  const cleaned = clean("json" in schema ? withoutFlaggedRules(converted, schema.json) : converted, "", dates, faults);
  const [first] = faults;
  if (first !== undefined) {
    const more = faults.length > 1 ? `; so are ${faults.slice(1, 6).join(", ")}` : "";
    const remedy = `describe it as a type JSON has, or say what to publish with the "represent" option`;
    const kind = at(converted, first);
    throw new SchemaError(
      "unrepresentable",
      first,
      `${vendor}'s "${kind}" cannot be expressed in JSON Schema${more}; ${remedy}`,
    );
  }
  return { jsonSchema: isRecord(cleaned) ? withoutDefaultMarker(cleaned) : {}, dates };
}

/** Libraries mark what they convert to with the dialect that is meant without a mark. */
function withoutDefaultMarker({ $schema, ...rest }: JsonSchemaObject): JsonSchemaObject {
  const isDefault = typeof $schema === "string" && builtInDialect($schema)?.uri === defaultDialect;
  return $schema === undefined || isDefault ? rest : { $schema, ...rest };
}

function callConverter(vendor: string, convert: () => unknown): Record<string, unknown> {
  try {
    const converted = convert();
    if (isRecord(converted)) return converted;
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SchemaError("unrepresentable", "", `${vendor} cannot convert it: ${reason}`, { cause });
  }
  throw new SchemaError("unrepresentable", "", `${vendor} did not return a JSON Schema object`);
}

/** A copy without marks; dates are collected by identity, faults by pointer. */
function clean(value: unknown, pointer: string, dates: Set<object>, faults: string[]): unknown {
  if (Array.isArray(value))
    return value.map((entry, position) => clean(entry, `${pointer}/${position}`, dates, faults));
  if (!isRecord(value)) return value;
  if (Object.hasOwn(value, faultMark)) faults.push(pointer);
  const copy: Record<string, unknown> = {};
  for (const [key, entry] of Object.entries(value)) {
    if (key === dateMark || key === faultMark) continue;
    const cleaned = clean(entry, `${pointer}/${escapePointer(key)}`, dates, faults);
    Object.defineProperty(copy, key, { value: cleaned, writable: true, enumerable: true, configurable: true });
  }
  if (value[dateMark] === true) dates.add(copy);
  return copy;
}

function at(root: unknown, pointer: string): string {
  let value = root;
  for (const token of pointer.split("/").slice(1)) {
    const key = token.replaceAll("~1", "/").replaceAll("~0", "~");
    value = typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined;
  }
  return isRecord(value) ? String(value[faultMark]) : "part";
}

function undescribed(vendor: string): string {
  const hints: Readonly<Record<string, string>> = {
    zod: "use zod 4.2 or later, or with zod/mini: withJsonSchema(schema, z.toJSONSchema(schema))",
    valibot: "wrap it: toStandardJsonSchema(schema) of @valibot/to-json-schema 1.5 or later",
    arktype: "use arktype 2.1.28 or later",
  };
  return `this ${vendor} schema does not describe itself as JSON Schema; ${hints[vendor] ?? "add it: withJsonSchema(schema, jsonSchema)"}`;
}

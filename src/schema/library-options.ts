// How each known schema library is asked to mark what JSON Schema cannot say instead of throwing at the
// first such part or leaving it out in silence. Marks are found, and turned into dates or errors, in
// to-json-schema.ts. A library not known here is called without options.

import { flaggedSource, withoutPatterns } from "./flagged-pattern.ts";
import type { JsonSchemaObject } from "./json-schema.ts";
import { isRecord } from "./json-schema.ts";

/** A part of a library's schema that JSON Schema has no words for. */
export interface UnrepresentablePart {
  /** The library's name as Standard Schema gives it: `zod`, `valibot`, `arktype`. */
  readonly vendor: string;
  /** The library's name for the kind of part: `date`, `bigint`, `transform`. */
  readonly kind: string;
  /** The library's own schema of the part, where it shows it. */
  readonly schema: unknown;
}

/**
 * What to publish for such a part; `undefined` leaves it to the defaults (dates) or makes it an error.
 *
 * @example
 * ```ts
 * import { toJsonSchema, type Represent } from "parley-mcp/schema";
 * import { z } from "zod";
 *
 * const represent: Represent = ({ kind }) => (kind === "bigint" ? { type: "string", pattern: "^-?\\d+$" } : undefined);
 * toJsonSchema(z.object({ id: z.bigint() }), { represent });
 * ```
 */
export type Represent = (part: UnrepresentablePart) => JsonSchemaObject | undefined;

/** Marks a date: published as a date-time string, turned into a Date on the way in. */
export const dateMark = "x-parley-date";
/** Marks a part that has no representation; its value is the library's name for the part. */
export const faultMark = "x-parley-unrepresentable";

/** The options for one library's converter. */
export function libraryOptions(vendor: string, represent: Represent | undefined): Record<string, unknown> {
  const mark: Mark = (kind, schema) =>
    represent?.({ vendor, kind, schema }) ??
    (kind === "date" ? { type: "string", format: "date-time", [dateMark]: true } : { [faultMark]: kind });
  return vendors[vendor]?.(mark) ?? {};
}

type Mark = (kind: string, schema: unknown) => JsonSchemaObject;

const vendors: Readonly<Record<string, (mark: Mark) => Record<string, unknown>>> = {
  zod: zodOptions,
  valibot: valibotOptions,
  arktype: arktypeOptions,
};

const zodKinds = new Set([
  "bigint",
  "symbol",
  "undefined",
  "void",
  "date",
  "map",
  "set",
  "transform",
  "nan",
  "custom",
  "function",
]);

/** Releases that take no function for `unrepresentable` leave such parts empty; `override` then marks them. */
function zodOptions(mark: Mark): Record<string, unknown> {
  const kindOf = (schema: unknown): string => String(zodDefinition(schema).type ?? "unknown");
  return {
    unrepresentable: ({ zodSchema }: { zodSchema: unknown }) => mark(kindOf(zodSchema), zodSchema),
    override: ({ zodSchema, jsonSchema }: { zodSchema: unknown; jsonSchema: Record<string, unknown> }) => {
      const kind = kindOf(zodSchema);
      if (zodKinds.has(kind) && saysNothing(jsonSchema)) Object.assign(jsonSchema, mark(kind, zodSchema));
      const sources = zodPatterns(zodSchema).flatMap((pattern) => flaggedSource(pattern) ?? []);
      if (sources.length > 0) {
        const kept = withoutPatterns(jsonSchema, sources);
        delete jsonSchema.pattern;
        delete jsonSchema.allOf;
        Object.assign(jsonSchema, kept);
      }
    },
  };
}

function zodDefinition(part: unknown): Readonly<Record<string, unknown>> {
  const internals = isRecord(part) ? part._zod : undefined;
  return isRecord(internals) && isRecord(internals.def) ? internals.def : {};
}

/** The regular expressions of a string: of its own format, and of the checks that were added to it. */
function zodPatterns(schema: unknown): unknown[] {
  const { pattern, checks } = zodDefinition(schema);
  return [pattern, ...(Array.isArray(checks) ? checks.map((check) => zodDefinition(check).pattern) : [])];
}

/** Refinements that cannot be expressed are left to the library; transformations change the type and are marked. */
function valibotOptions(mark: Mark): Record<string, unknown> {
  const typeOf = (part: unknown, key: string): string => (isRecord(part) ? String(part[key]) : "unknown");
  return {
    overrideSchema: ({ valibotSchema, errors }: { valibotSchema: unknown; errors?: unknown }) =>
      errors === undefined ? undefined : mark(typeOf(valibotSchema, "type"), valibotSchema),
    overrideAction: ({
      valibotAction,
      jsonSchema,
      errors,
    }: {
      valibotAction: unknown;
      jsonSchema: unknown;
      errors?: unknown;
    }) => {
      if (errors === undefined) return undefined;
      if (typeOf(valibotAction, "kind") === "transformation") return mark(typeOf(valibotAction, "type"), valibotAction);
      const source = isRecord(valibotAction) ? flaggedSource(valibotAction.requirement) : undefined;
      return source !== undefined && isRecord(jsonSchema) ? withoutPatterns(jsonSchema, [source]) : jsonSchema;
    },
  };
}

/** ArkType keeps what it can say of a part; where that is nothing, the part is marked. */
function arktypeOptions(mark: Mark): Record<string, unknown> {
  return {
    fallback: (context: { code: string; base: unknown }) => {
      if (context.code === "defaultValue") return undefined;
      return isRecord(context.base) && !saysNothing(context.base) ? context.base : mark(context.code, context);
    },
  };
}

const annotations = new Set([
  "$schema",
  "title",
  "description",
  "default",
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
]);

function saysNothing(schema: Readonly<Record<string, unknown>>): boolean {
  return Object.keys(schema).every((key) => annotations.has(key));
}

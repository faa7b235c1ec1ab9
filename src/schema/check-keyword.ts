// Whether a keyword's value has the shape its dialect asks for, and if not, why, in words an author
// can act on. Subschemas are not entered here: the index visits and checks each one.
// Specification: Basic > JSON Schema Usage (schemas must be valid in their dialect).

import { isJsonSchema, isRecord } from "./json-schema.ts";
import type { Shape } from "./keywords.ts";
import { nearest } from "./nearest.ts";

const types = ["string", "number", "integer", "boolean", "object", "array", "null"] as const;

/** What is wrong with a keyword's value, or `undefined` when it is well formed. */
export function checkKeyword(shape: Shape, value: unknown): string | undefined {
  return checks[shape](value);
}

type KeywordCheck = (value: unknown) => string | undefined;

const fine = (): undefined => undefined;

const checks: Readonly<Record<Shape, KeywordCheck>> = {
  schema: (value) => (isJsonSchema(value) ? undefined : mustBe(schemaHint(value), value)),
  schemas: (value) => {
    if (!Array.isArray(value) || value.length === 0) return mustBe("a non-empty list of schemas", value);
    return value.every(isJsonSchema) ? undefined : "must hold schemas only (objects, true or false)";
  },
  "schema-or-schemas": (value) =>
    Array.isArray(value)
      ? checks.schemas(value)
      : isJsonSchema(value)
        ? undefined
        : mustBe("a schema or a list of schemas", value),
  "schema-map": (value) => mapOf(value, isJsonSchema, "a schema (an object, true or false)"),
  "pattern-map": (value) => mapOf(value, isJsonSchema, "a schema (an object, true or false)"),
  "schema-or-strings-map": (value) =>
    mapOf(value, (entry) => isJsonSchema(entry) || isStrings(entry), "a schema or a list of property names"),
  "strings-map": (value) => mapOf(value, isStrings, "a list of different property names"),
  strings: (value) => (isStrings(value) ? undefined : mustBe("a list of different strings", value)),
  types: checkTypes,
  count: (value) =>
    Number.isInteger(value) && Number(value) >= 0 ? undefined : mustBe("a whole number of at least 0", value),
  number: (value) => (isNumber(value) ? undefined : mustBe("a number", value)),
  positive: (value) => (isNumber(value) && value > 0 ? undefined : mustBe("a number above 0", value)),
  boolean: (value) => (typeof value === "boolean" ? undefined : mustBe("true or false", value)),
  string: checkString,
  pattern: checkString,
  list: (value) => (Array.isArray(value) ? undefined : mustBe("a list", value)),
  choices: (value) => (Array.isArray(value) && value.length > 0 ? undefined : mustBe("a non-empty list", value)),
  any: fine,
  uri: checkString,
  "uri-reference": checkString,
  id: (value) =>
    typeof value === "string" && /^[^#]*#?$/u.test(value) ? undefined : mustBe("a URI without a fragment", value),
  anchor: (value) =>
    typeof value === "string" && /^[A-Za-z_][-A-Za-z0-9._:]*$/u.test(value)
      ? undefined
      : mustBe("a name that starts with a letter and holds letters, digits, '-', '_', '.'", value),
  vocabularies: (value) => mapOf(value, (entry) => typeof entry === "boolean", "true or false"),
};

function checkString(value: unknown): string | undefined {
  return typeof value === "string" ? undefined : mustBe("a string", value);
}

function schemaHint(value: unknown): string {
  return Array.isArray(value)
    ? "a schema; in this dialect a list of schemas is written as prefixItems"
    : "a schema (an object, true or false)";
}

function checkTypes(value: unknown): string | undefined {
  const names: readonly unknown[] = Array.isArray(value) ? value : [value];
  for (const name of names) {
    if (types.some((type) => type === name)) continue;
    const guess = typeof name === "string" ? nearest(name, types) : undefined;
    const hint = guess === undefined ? "" : `; did you mean "${guess}"?`;
    return `must be one of ${types.join(", ")} (got ${show(name)})${hint}`;
  }
  return names.length > 0 && new Set(names).size === names.length
    ? undefined
    : mustBe("a list of different types", value);
}

function mapOf(value: unknown, test: (entry: unknown) => boolean, entryMust: string): string | undefined {
  if (!isRecord(value)) return mustBe("an object", value);
  for (const [name, entry] of Object.entries(value)) {
    if (!test(entry)) return `${JSON.stringify(name)} must be ${entryMust} (got ${show(entry)})`;
  }
  return undefined;
}

function isStrings(value: unknown): value is string[] {
  return (
    Array.isArray(value) && value.every((entry) => typeof entry === "string") && new Set(value).size === value.length
  );
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function mustBe(expected: string, value: unknown): string {
  return `must be ${expected} (got ${show(value)})`;
}

function show(value: unknown): string {
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object" && value !== null) return "an object";
  return typeof value === "string" ? JSON.stringify(value.slice(0, 60)) : String(value);
}

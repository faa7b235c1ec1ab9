// What a JSON Schema is to this library before anybody has looked inside: true, false or an object.
// Not a typing of keywords; see infer.ts for reading a schema at the type level.

/** A JSON Schema written as an object. */
export interface JsonSchemaObject {
  readonly [keyword: string]: unknown;
}

/** Any JSON Schema: `true` accepts everything, `false` nothing. */
export type JsonSchema = boolean | JsonSchemaObject;

/** A JSON object seen as a record; arrays and `null` are not. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value can be a schema at all. */
export function isJsonSchema(value: unknown): value is JsonSchema {
  return typeof value === "boolean" || isRecord(value);
}

/** An own property's value; `undefined` for absent and inherited ones alike. */
export function own(object: Readonly<Record<string, unknown>>, key: string): unknown {
  const value = object[key];
  return value === undefined || !Object.hasOwn(object, key) ? undefined : value;
}

/** One step of a JSON Pointer (RFC 6901), escaped. */
export function escapePointer(token: string): string {
  return token.includes("~") || token.includes("/") ? token.replaceAll("~", "~0").replaceAll("/", "~1") : token;
}

/** One step of a JSON Pointer, unescaped. */
export function unescapePointer(token: string): string {
  return token.includes("~") ? token.replaceAll("~1", "/").replaceAll("~0", "~") : token;
}

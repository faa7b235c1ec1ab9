// The contract of a JSON Schema validator, so that another can be put in place of the built-in one.
// The built-in one is compile.ts; nothing else in the SDK knows which is in use.

import type { SchemaBounds } from "./bounds.ts";
import type { AssertFormats } from "./format.ts";
import type { SchemaIssue } from "./issue.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { RegexEngine } from "./pattern.ts";

/** How a schema is compiled. */
export interface CompileOptions {
  /** Whether the schema comes from a peer: tighter bounds, dangerous patterns refused. Default false. */
  readonly untrusted?: boolean | undefined;
  /** Which formats are asserted: none (default), all known ones, or those listed. */
  readonly assertFormats?: AssertFormats | undefined;
  /** Limits on the schema and on each validation. */
  readonly bounds?: SchemaBounds | undefined;
  /** Schemas that references may point to, by absolute URI without fragment. Nothing is ever fetched. */
  readonly documents?: Readonly<Record<string, JsonSchema>> | undefined;
  /** Another regular-expression engine. It replaces the guard against catastrophic patterns too. */
  readonly regexEngine?: RegexEngine | undefined;
}

/** A schema ready to check values, any number of times, synchronously. */
export interface CompiledSchema {
  /** The schema it was compiled from, untouched. */
  readonly schema: JsonSchema;
  /** Whether the value fits. A value that exceeds the bounds does not. */
  check(value: unknown): boolean;
  /** Why the value does not fit, most telling first, at most 20 issues; empty when it does. */
  explain(value: unknown): readonly SchemaIssue[];
  /**
   * The value with absent members that have a default filled in; the very same value when nothing is
   * missing. Never changes its argument. For values that passed `check`. Validators may lack it.
   */
  applyDefaults?(value: unknown): unknown;
  /** Defaults the schema declares that it would itself refuse. Validators may lack it. */
  explainDefaults?(): readonly SchemaIssue[];
}

/**
 * Compiles schemas. Two schemas never share anything, whatever their `$id` says. `compile` throws a
 * `SchemaError` for one that cannot be used; `reason` `"dialect"` marks an unsupported dialect.
 *
 * @example
 * ```ts
 * import { createValidator, type JsonSchemaValidator } from "parley-mcp/schema";
 *
 * const builtIn = createValidator();
 * const lenient: JsonSchemaValidator = {
 *   compile: (schema, options) => builtIn.compile(schema, { ...options, assertFormats: ["email"] }),
 * };
 * ```
 */
export interface JsonSchemaValidator {
  compile(schema: JsonSchema, options?: CompileOptions): CompiledSchema;
}

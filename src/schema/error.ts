// The one error this folder throws: a schema that cannot be used, found when it is compiled or
// converted and never while a value is validated. Values that do not fit are issues, not errors.

import type { McpErrorOptions } from "../base/error.ts";
import { UsageError } from "../base/error.ts";

/**
 * Why a schema cannot be used.
 *
 * - `dialect`: its `$schema` names a dialect that is not supported
 * - `invalid`: a keyword has a value its dialect forbids
 * - `reference`: a `$ref` points at nothing that is known without fetching
 * - `bounds`: it is deeper or larger than allowed
 * - `pattern`: a regular expression is malformed, or could run for ever and comes from a peer
 * - `unrepresentable`: a library's schema says something JSON Schema cannot
 */
export type SchemaErrorReason = "dialect" | "invalid" | "reference" | "bounds" | "pattern" | "unrepresentable";

/**
 * A schema that cannot be used. The message names the place and the reason.
 *
 * @example
 * ```ts
 * import { SchemaError, createValidator } from "parley-mcp/schema";
 *
 * try {
 *   createValidator().compile({ type: "objekt" });
 * } catch (error) {
 *   if (error instanceof SchemaError) console.log(error.pointer, error.reason); // "/type" "invalid"
 * }
 * ```
 */
export class SchemaError extends UsageError {
  /** What kind of fault it is. */
  readonly reason: SchemaErrorReason;
  /** JSON Pointer to the faulty part inside the schema; empty for its root. */
  readonly pointer: string;

  constructor(reason: SchemaErrorReason, pointer: string, message: string, options?: McpErrorOptions) {
    super(pointer === "" ? `schema: ${message}` : `schema at ${pointer}: ${message}`, options);
    this.reason = reason;
    this.pointer = pointer;
  }
}

/** The error for a reference to something unknown. */
export function unresolved(pointer: string, reference: string): SchemaError {
  const rule = "it must point into this schema or a known document, schemas are never fetched";
  return new SchemaError("reference", pointer, `cannot resolve "${reference}"; ${rule}`);
}

// How much work a schema or a value may cost: the limits and their defaults. Reaching one refuses the
// schema or the value; nothing hangs and nothing overflows the stack.

/** Limits on one schema and on validating one value against it. */
export interface SchemaBounds {
  /** How deep subschemas may nest. Default 128, for schemas from a peer 64. */
  readonly maxSchemaDepth?: number | undefined;
  /** How many subschemas there may be, known documents included once used. Default 20,000, from a peer 5,000. */
  readonly maxSubschemas?: number | undefined;
  /** How many subschema applications one validation may take. Default 5,000,000, from a peer 1,000,000. */
  readonly maxSteps?: number | undefined;
  /** How many levels of subschemas one validation may be inside of, references counted. Default 1,024. */
  readonly maxEvaluationDepth?: number | undefined;
}

/** The bounds with every default filled in. */
export type ResolvedBounds = { readonly [Limit in keyof SchemaBounds]-?: number };

/** Fills in the defaults. */
export function resolveBounds(bounds: SchemaBounds | undefined, untrusted: boolean): ResolvedBounds {
  return {
    maxSchemaDepth: bounds?.maxSchemaDepth ?? (untrusted ? 64 : 128),
    maxSubschemas: bounds?.maxSubschemas ?? (untrusted ? 5_000 : 20_000),
    maxSteps: bounds?.maxSteps ?? (untrusted ? 1_000_000 : 5_000_000),
    maxEvaluationDepth: bounds?.maxEvaluationDepth ?? 1_024,
  };
}

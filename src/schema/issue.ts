// One reason why a value does not fit its schema, and how reasons become a sentence a model can act on.
// See vision A6: `add: a must be a number (got "x"); b is missing; "c" is not known (a, b)`.

/**
 * A reason why a value does not fit.
 *
 * @example
 * ```ts
 * import { createValidator, describeIssues } from "parley-mcp/schema";
 *
 * const compiled = createValidator().compile({ type: "object", properties: { a: { type: "number" } }, required: ["a", "b"] });
 * describeIssues(compiled.explain({ a: "x" })); // 'a must be a number (got "x"); b is missing'
 * ```
 */
export interface SchemaIssue {
  /** Where in the value: member names and positions. */
  readonly path: readonly (string | number)[];
  /** The keyword that refused it, `"bounds"` for too much work, `"library"` for a schema library's own reason. */
  readonly keyword: string;
  /** The whole reason, place included. Ends without a full stop. */
  readonly message: string;
  /** What was wanted, when that fits in a phrase: `a number`. */
  readonly expected?: string;
}

/**
 * All reasons in one line, separated by semicolons.
 *
 * @example
 * ```ts
 * import { createValidator, describeIssues } from "parley-mcp/schema";
 *
 * describeIssues(createValidator().compile({ type: "string" }).explain(5)); // "the value must be a string (got 5)"
 * ```
 */
export function describeIssues(issues: readonly SchemaIssue[]): string {
  return issues.map((issue) => issue.message).join("; ");
}

/** A place in a value as a person writes it: `user.tags[0]`; empty for the value itself. */
export function describePath(path: readonly (string | number)[]): string {
  let text = "";
  for (const step of path) {
    if (typeof step === "number") text += `[${step}]`;
    else if (/^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(step)) text += text === "" ? step : `.${step}`;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}

/** A value as it is shown in a message: short, and only its kind when it is compound. */
export function preview(value: unknown): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return value.length === 0 ? "an empty list" : "a list";
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value !== "string") return String(value);
  return JSON.stringify(value.length > 60 ? `${value.slice(0, 57)}...` : value);
}

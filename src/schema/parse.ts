// Turns any accepted schema into what a tool needs: the JSON Schema to publish, and one function that
// checks a value and yields what the handler gets. Everything is compiled here, nothing per call, and
// the call is synchronous wherever the schema's library is.

import type { StandardSchemaV1 } from "@standard-schema/spec";
import { createValidator } from "./compile.ts";
import { dateReviver, datesToText } from "./dates.ts";
import { SchemaError } from "./error.ts";
import type { SchemaOutput } from "./infer.ts";
import type { SchemaIssue } from "./issue.ts";
import { describeIssues, describePath } from "./issue.ts";
import type { JsonSchemaObject } from "./json-schema.ts";
import { publishRoot } from "./publish.ts";
import type { AcceptedSchema, StandardSchema } from "./standard.ts";
import { isStandardSchema } from "./standard.ts";
import type { ConvertOptions } from "./to-json-schema.ts";
import { convertSchema } from "./to-json-schema.ts";
import type { CompiledSchema, JsonSchemaValidator } from "./validator.ts";

/** A value that fits, as the receiver gets it, or the reasons why it does not. */
export type SchemaResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly issues: readonly SchemaIssue[] };

/** A schema ready for use: what is published is exactly what is enforced. */
export interface ArgumentSchema<T = unknown> {
  /** What to publish, valid in its dialect; for arguments an object at its root. */
  readonly jsonSchema: JsonSchemaObject;
  /** Checks and converts a value. A promise only when the schema's library makes one. */
  parse(value: unknown): SchemaResult<T> | Promise<SchemaResult<T>>;
}

/** How a schema is made ready. */
export interface ArgumentSchemaOptions extends ConvertOptions {
  /** Whether members the schema does not mention are let through when it does not say. Default false for input, true for output. */
  readonly open?: boolean | undefined;
  /** The validator to use. Default the built-in one. */
  readonly validator?: JsonSchemaValidator | undefined;
}

/**
 * Makes a schema ready to check arguments or results.
 *
 * @param schema Standard Schema that yields JSON Schema, or plain JSON Schema
 * @param options side, openness, and how to represent what JSON Schema cannot say
 * @throws SchemaError when the schema cannot be used, naming place and reason
 * @example
 * ```ts
 * import { describeIssues, toArgumentSchema } from "parley-mcp/schema";
 *
 * const add = toArgumentSchema({
 *   type: "object",
 *   properties: { a: { type: "number" }, b: { type: "number" } },
 *   required: ["a", "b"],
 * } as const);
 * const result = await add.parse({ a: "x", c: 1 });
 * if (!result.ok) describeIssues(result.issues); // a must be a number (got "x"); b is missing; "c" is not known (a, b)
 * ```
 */
export function toArgumentSchema<const S extends AcceptedSchema>(
  schema: S,
  options: ArgumentSchemaOptions = {},
): ArgumentSchema<SchemaOutput<S>> {
  const side = options.side ?? "input";
  const { jsonSchema: converted, dates } = convertSchema(schema, options);
  const jsonSchema = publishRoot(converted, {
    closed: !(options.open ?? side === "output"),
    anyRoot: side === "output",
  });
  const validator =
    options.validator ?? createValidator({ subject: side === "input" ? "the arguments" : "the result" });
  const compiled = validator.compile(jsonSchema);
  const library = isStandardSchema(schema) ? schema : undefined;
  if (side === "input") refuseWrongDefaults(compiled, library);
  const revive = dateReviver(jsonSchema, dates);
  const parse =
    side === "output"
      ? parseOutput(compiled, library)
      : library === undefined
        ? parsePlain(compiled)
        : parseInput(compiled, library, revive);
  return { jsonSchema, parse: parse as ArgumentSchema<SchemaOutput<S>>["parse"] };
}

type Parse = (value: unknown) => SchemaResult<unknown> | Promise<SchemaResult<unknown>>;

/** A library fills in its own defaults, and may declare them in the parsed form; ours must fit their schema. */
function refuseWrongDefaults(compiled: CompiledSchema, library: StandardSchema | undefined): void {
  const wrong = library === undefined ? (compiled.explainDefaults?.() ?? []) : [];
  if (wrong.length > 0) throw new SchemaError("invalid", "", describeIssues(wrong));
}

function refused(compiled: CompiledSchema, value: unknown): SchemaResult<never> {
  return { ok: false, issues: compiled.explain(value) };
}

function parsePlain(compiled: CompiledSchema): Parse {
  return (value) => {
    if (!compiled.check(value)) return refused(compiled, value);
    return { ok: true, value: compiled.applyDefaults === undefined ? value : compiled.applyDefaults(value) };
  };
}

function parseInput(
  compiled: CompiledSchema,
  library: StandardSchema,
  revive: ((value: unknown) => unknown) | undefined,
): Parse {
  return (value) => {
    if (!compiled.check(value)) return refused(compiled, value);
    const result = library["~standard"].validate(revive === undefined ? value : revive(value));
    return result instanceof Promise ? result.then(fromLibrary) : fromLibrary(result);
  };
}

/** A result is parsed by its library first: what that yields is what is checked and sent. */
function parseOutput(compiled: CompiledSchema, library: StandardSchema | undefined): Parse {
  const finish = (value: unknown): SchemaResult<unknown> => {
    const sent = datesToText(value);
    return compiled.check(sent) ? { ok: true, value: sent } : refused(compiled, sent);
  };
  if (library === undefined) return finish;
  const afterLibrary = (result: StandardSchemaV1.Result<unknown>): SchemaResult<unknown> => {
    const parsed = fromLibrary(result);
    return parsed.ok ? finish(parsed.value) : parsed;
  };
  return (value) => {
    const result = library["~standard"].validate(value);
    return result instanceof Promise ? result.then(afterLibrary) : afterLibrary(result);
  };
}

function fromLibrary(result: StandardSchemaV1.Result<unknown>): SchemaResult<unknown> {
  return result.issues === undefined
    ? { ok: true, value: result.value }
    : { ok: false, issues: result.issues.map(toIssue) };
}

function toIssue(issue: StandardSchemaV1.Issue): SchemaIssue {
  const path = (issue.path ?? []).map((step) => {
    const key = typeof step === "object" ? step.key : step;
    return typeof key === "number" ? key : String(key);
  });
  const place = describePath(path);
  return { path, keyword: "library", message: place === "" ? issue.message : `${place}: ${issue.message}` };
}

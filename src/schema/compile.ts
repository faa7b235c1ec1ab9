// The built-in validator: index, closures, explanations and defaults put together behind the
// JsonSchemaValidator contract. No generated code, no fetching, bounded work.

import { resolveBounds } from "./bounds.ts";
import { Defaults } from "./defaults.ts";
import { Evaluator } from "./evaluate.ts";
import { Explanation } from "./explain.ts";
import { formatTest } from "./format.ts";
import { SchemaIndex } from "./index-schema.ts";
import type { SchemaIssue } from "./issue.ts";
import type { JsonSchema } from "./json-schema.ts";
import { compilePattern } from "./pattern.ts";
import type { Program } from "./program.ts";
import { BoundReached, Run } from "./run.ts";
import type { CompiledSchema, CompileOptions, JsonSchemaValidator } from "./validator.ts";

/** Options of the built-in validator: what `compile` uses where its own options say nothing. */
export interface ValidatorOptions extends CompileOptions {
  /** What messages call the value as a whole. Default `the value`. */
  readonly subject?: string | undefined;
}

/**
 * The built-in validator: JSON Schema 2020-12, 2019-09 and draft 7, chosen by `$schema`, 2020-12
 * without one. It generates no code, so it runs where `eval` is forbidden.
 *
 * @param defaults options for every `compile` call
 * @example
 * ```ts
 * import { createValidator } from "parley-mcp/schema";
 *
 * const compiled = createValidator().compile({ type: "array", prefixItems: [{ type: "string" }] });
 * compiled.check(["a"]); // true
 * compiled.check([1]); // false
 * ```
 */
export function createValidator(defaults: ValidatorOptions = {}): JsonSchemaValidator {
  return { compile: (schema, options) => new BuiltInSchema(schema, { ...defaults, ...options }) };
}

class BuiltInSchema implements CompiledSchema {
  readonly schema: JsonSchema;
  readonly #evaluator: Evaluator;
  readonly #program: Program;
  readonly #run: Run;
  readonly #subject: string;
  #defaults: Defaults | undefined;

  constructor(schema: JsonSchema, options: ValidatorOptions) {
    const untrusted = options.untrusted ?? false;
    const bounds = resolveBounds(options.bounds, untrusted);
    const index = new SchemaIndex(schema, bounds, options.documents);
    this.schema = schema;
    this.#subject = options.subject ?? "the value";
    this.#evaluator = new Evaluator(index, {
      format: (name) => formatTest(name, options.assertFormats ?? false),
      pattern: (source, pointer) => compilePattern(source, pointer, { untrusted, engine: options.regexEngine }),
    });
    this.#program = this.#evaluator.compile();
    this.#run = new Run(bounds, index.root.resource);
  }

  check(value: unknown): boolean {
    const run = this.#run;
    run.reset();
    try {
      return this.#program.check(value, run, undefined);
    } catch (error) {
      if (error instanceof BoundReached) return false;
      throw error;
    }
  }

  explain(value: unknown): readonly SchemaIssue[] {
    return new Explanation(this.#evaluator, this.#run, this.#subject).of(this.#program, value);
  }

  applyDefaults(value: unknown): unknown {
    this.#run.reset();
    try {
      return this.#declaredDefaults().fill(value, this.#run);
    } catch (error) {
      // The value passed `check`, so it is fit for use as it is; what it lacks is only convenience.
      if (error instanceof BoundReached) return value;
      throw error;
    }
  }

  explainDefaults(): readonly SchemaIssue[] {
    return this.#declaredDefaults().declared.flatMap(({ node, value }) => {
      const subject = `default at ${node.pointer}`;
      return new Explanation(this.#evaluator, this.#run, subject).of(this.#evaluator.program(node), value);
    });
  }

  #declaredDefaults(): Defaults {
    this.#defaults ??= new Defaults(this.#evaluator, this.#program.node);
    return this.#defaults;
  }
}

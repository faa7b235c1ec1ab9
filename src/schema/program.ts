// What a schema is compiled to: one small function per keyword, kept beside the keyword's name so that
// the pass that explains a failure can ask each one again. The contract between the compiler
// (evaluate.ts) and the keyword families (evaluate-*.ts).

import type { Evaluated } from "./evaluated.ts";
import type { JsonSchemaObject } from "./json-schema.ts";
import type { SchemaNode } from "./node.ts";
import type { PatternMatcher } from "./pattern.ts";
import type { Run } from "./run.ts";

/** Whether a value passes. Notes what it evaluated when somebody asks for it. */
export type Check = (value: unknown, run: Run, seen: Evaluated | undefined) => boolean;

/** One keyword of one subschema. */
export interface Part {
  readonly keyword: string;
  readonly check: Check;
}

/** A compiled subschema. Filled once, before the first validation. */
export interface Program {
  readonly node: SchemaNode;
  check: Check;
  parts: readonly Part[];
  /** The `unevaluated` keywords, which run after all others. */
  tail: readonly Part[];
}

/** What a keyword family may ask of the compiler. */
export interface Compilation {
  /** The compiled subschema at a relative pointer such as `properties/a`; `undefined` if there is none. */
  child(node: SchemaNode, key: string): Check | undefined;
  /** The program of a subschema, complete once the whole schema is compiled. */
  program(node: SchemaNode): Program;
  /** A check that continues at what a reference keyword names. */
  reference(node: SchemaNode, keyword: string, reference: string): Check;
  /** A tester for a regular expression found under a keyword. */
  pattern(node: SchemaNode, keyword: string, source: string): PatternMatcher;
  /** A tester for a format when it is to be asserted. */
  format(name: string): ((text: string) => boolean) | undefined;
}

/** Makes one keyword's check; `undefined` when it can never fail and evaluates nothing. */
export type BuildKeyword = (
  value: unknown,
  schema: JsonSchemaObject,
  node: SchemaNode,
  compilation: Compilation,
) => Check | undefined;

/** Keywords and how each is built. */
export type KeywordFamily = Readonly<Record<string, BuildKeyword>>;

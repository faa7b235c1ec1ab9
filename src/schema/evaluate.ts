// Compiles an indexed schema to closures, one per keyword, without generating code: it runs where
// `eval` is forbidden. What a keyword does is in the evaluate-*.ts families; messages are explain.ts.

import { arrayKeywords, buildUnevaluatedItems } from "./evaluate-arrays.ts";
import { logicKeywords } from "./evaluate-logic.ts";
import { buildUnevaluatedProperties, objectKeywords } from "./evaluate-objects.ts";
import { valueKeywords } from "./evaluate-values.ts";
import { Evaluated } from "./evaluated.ts";
import type { FormatTest } from "./format.ts";
import type { SchemaIndex } from "./index-schema.ts";
import type { JsonSchemaObject } from "./json-schema.ts";
import { own } from "./json-schema.ts";
import type { Resource, SchemaNode } from "./node.ts";
import type { PatternMatcher } from "./pattern.ts";
import type { BuildKeyword, Check, Compilation, Part, Program } from "./program.ts";
import type { ReferenceTarget } from "./reference.ts";
import { resolveReference } from "./reference.ts";
import type { Run } from "./run.ts";

/** What the compiler needs beside the schema. */
export interface EvaluateOptions {
  /** The test of a format to assert, or `undefined` to leave that format an annotation. */
  readonly format: (name: string) => FormatTest | undefined;
  /** Makes the tester of a regular expression; throws a SchemaError at the given pointer. */
  readonly pattern: (source: string, pointer: string) => PatternMatcher;
}

const ordinary: readonly (readonly [string, BuildKeyword])[] = /* @__PURE__ */ Object.entries({
  ...valueKeywords,
  ...objectKeywords,
  ...arrayKeywords,
  ...logicKeywords,
});

const last: readonly (readonly [string, BuildKeyword])[] = [
  ["unevaluatedItems", buildUnevaluatedItems],
  ["unevaluatedProperties", buildUnevaluatedProperties],
];

const always: Check = () => true;
const never: Check = () => false;

/** Turns the subschemas of one index into programs. Used once; everything is compiled when `compile` returns. */
export class Evaluator implements Compilation {
  readonly #index: SchemaIndex;
  readonly #options: EvaluateOptions;
  readonly #programs = new Map<SchemaNode, Program>();
  readonly #queue: Program[] = [];

  constructor(index: SchemaIndex, options: EvaluateOptions) {
    this.#index = index;
    this.#options = options;
  }

  /** Compiles the whole schema and returns the program of its root. */
  compile(): Program {
    const root = this.program(this.#index.root);
    do {
      for (let next = this.#queue.pop(); next !== undefined; next = this.#queue.pop()) this.#fill(next);
      for (const resource of this.#index.resources()) {
        for (const node of resource.dynamicAnchors.values()) this.program(node);
      }
    } while (this.#queue.length > 0);
    return root;
  }

  program(node: SchemaNode): Program {
    const known = this.#programs.get(node);
    if (known !== undefined) return known;
    const program: Program = { node, check: never, parts: [], tail: [] };
    this.#programs.set(node, program);
    this.#queue.push(program);
    return program;
  }

  child(node: SchemaNode, key: string): Check | undefined {
    const target = node.children.get(key);
    if (target === undefined) return undefined;
    const program = this.program(target);
    if (program.parts.length === 0 && program.check === never) this.#fill(program);
    return target.resource === node.resource ? program.check : inScope(target.resource, program.check);
  }

  reference(node: SchemaNode, keyword: string, reference: string): Check {
    const target = resolveReference(this.#index, node, keyword, reference);
    const name = dynamicName(keyword, target);
    const direct = this.#jump(node, target.node);
    if (name === undefined) return direct;
    const jumps = new Map<SchemaNode, Check>([[target.node, direct]]);
    return (value, run, seen) => {
      const outermost = outermostAnchor(run, name) ?? target.node;
      const jump = jumps.get(outermost) ?? this.#jump(node, outermost);
      jumps.set(outermost, jump);
      return jump(value, run, seen);
    };
  }

  /** Where a reference leads in the present dynamic scope; for explanations. */
  target(node: SchemaNode, keyword: string, reference: string, run: Run): Program {
    const target = resolveReference(this.#index, node, keyword, reference);
    const name = dynamicName(keyword, target);
    return this.program((name === undefined ? undefined : outermostAnchor(run, name)) ?? target.node);
  }

  /** Where a reference leads whatever the dynamic scope. */
  staticTarget(node: SchemaNode, keyword: string, reference: string): SchemaNode {
    return resolveReference(this.#index, node, keyword, reference).node;
  }

  pattern(node: SchemaNode, keyword: string, source: string): PatternMatcher {
    return this.#options.pattern(source, `${node.pointer}/${keyword}`);
  }

  format(name: string): FormatTest | undefined {
    return this.#options.format(name);
  }

  /** A check that goes on at another place. Every recursion passes here, so here is where depth is counted. */
  #jump(from: SchemaNode, to: SchemaNode): Check {
    const program = this.program(to);
    const levels = from.depth + 1;
    const jump: Check = (value, run, seen) => {
      run.charge(1);
      run.descend(levels);
      const passes = program.check(value, run, seen);
      run.ascend(levels);
      return passes;
    };
    return from.resource === to.resource ? jump : inScope(to.resource, jump);
  }

  #fill(program: Program): void {
    const { schema } = program.node;
    if (program.check !== never) return;
    if (typeof schema === "boolean") {
      program.check = schema ? always : never;
      return;
    }
    program.parts = this.#build(ordinary, schema, program.node);
    program.tail = this.#build(last, schema, program.node);
    program.check = combine(program.parts, program.tail);
  }

  #build(keywords: readonly (readonly [string, BuildKeyword])[], schema: JsonSchemaObject, node: SchemaNode): Part[] {
    const { dialect } = node.resource;
    const refAlone = !dialect.refAllowsSiblings && own(schema, "$ref") !== undefined;
    const parts: Part[] = [];
    for (const [keyword, build] of keywords) {
      const value = own(schema, keyword);
      if (value === undefined || !dialect.keywords.has(keyword) || (refAlone && keyword !== "$ref")) continue;
      const check = build(value, schema, node, this);
      if (check !== undefined) parts.push({ keyword, check });
    }
    return parts;
  }
}

/** The name under which a reference is looked up anew in each dynamic scope; `undefined` for a static one. */
function dynamicName(keyword: string, { node, anchor }: ReferenceTarget): string | undefined {
  const name = keyword === "$recursiveRef" ? "" : anchor;
  const isDynamic = keyword !== "$ref" && name !== undefined && node.resource.dynamicAnchors.get(name) === node;
  return isDynamic ? name : undefined;
}

function outermostAnchor(run: Run, name: string): SchemaNode | undefined {
  for (const resource of run.scope) {
    const node = resource.dynamicAnchors.get(name);
    if (node !== undefined) return node;
  }
  return undefined;
}

function inScope(resource: Resource, check: Check): Check {
  return (value, run, seen) => {
    run.scope.push(resource);
    const passes = check(value, run, seen);
    run.scope.pop();
    return passes;
  };
}

function combine(parts: readonly Part[], tail: readonly Part[]): Check {
  const checks = parts.map((part) => part.check);
  const [first, second] = checks;
  if (tail.length > 0)
    return withUnevaluated(
      checks,
      tail.map((part) => part.check),
    );
  if (first === undefined) return always;
  if (second === undefined) return first;
  if (checks.length === 2) return (value, run, seen) => first(value, run, seen) && second(value, run, seen);
  return (value, run, seen) => {
    for (const check of checks) if (!check(value, run, seen)) return false;
    return true;
  };
}

function withUnevaluated(checks: readonly Check[], tail: readonly Check[]): Check {
  return (value, run, outer) => {
    const seen = new Evaluated();
    for (const check of checks) if (!check(value, run, seen)) return false;
    for (const check of tail) if (!check(value, run, seen)) return false;
    outer?.merge(seen);
    return true;
  };
}

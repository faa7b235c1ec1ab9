// Says why a value does not fit, by asking each compiled keyword again and going into the parts of the
// value that failed. The second pass, taken on failure only; bounded like the first.

import type { Evaluator } from "./evaluate.ts";
import { tupleLength } from "./evaluate-arrays.ts";
import { additionalTest } from "./evaluate-objects.ts";
import { Evaluated } from "./evaluated.ts";
import { explainBranches } from "./explain-branches.ts";
import { explainMissing, explainUnknown, knownNames } from "./explain-members.ts";
import { describeKeyword } from "./explain-values.ts";
import type { SchemaIssue } from "./issue.ts";
import { describePath } from "./issue.ts";
import { escapePointer, isRecord, own } from "./json-schema.ts";
import type { SchemaNode } from "./node.ts";
import type { Part, Program } from "./program.ts";
import { BoundReached, type Run } from "./run.ts";

type Path = readonly (string | number)[];

const mostIssues = 20;

/** One explanation. Made for one value and thrown away. */
export class Explanation {
  readonly #evaluator: Evaluator;
  readonly #run: Run;
  readonly #subject: string;
  #issues: SchemaIssue[] = [];

  constructor(evaluator: Evaluator, run: Run, subject: string) {
    this.#evaluator = evaluator;
    this.#run = run;
    this.#subject = subject;
  }

  /** Every reason why a value does not fit a program; empty when it fits. */
  of(program: Program, value: unknown): readonly SchemaIssue[] {
    this.#run.reset();
    try {
      this.#node(program, value, []);
    } catch (error) {
      if (!(error instanceof BoundReached)) throw error;
      if (this.#issues.length === 0) this.#say([], "bounds", error.message);
    }
    return this.#issues.slice(0, mostIssues);
  }

  #say(path: Path, keyword: string, predicate: string, expected?: string): void {
    const place = describePath(path);
    const message = `${place === "" ? this.#subject : place} ${predicate}`;
    this.#issues.push(expected === undefined ? { path, keyword, message } : { path, keyword, message, expected });
  }

  #node(program: Program, value: unknown, path: Path): void {
    if (this.#issues.length >= mostIssues) return;
    const { node, parts, tail } = program;
    if (node.schema === false) {
      this.#say(path, "false", "is not allowed");
      return;
    }
    const seen = tail.length === 0 ? undefined : new Evaluated();
    const failed = parts.filter((part) => !part.check(value, this.#run, seen));
    for (const part of failed) this.#part(part, program, value, path);
    for (const part of tail) this.#unevaluated(part, program, value, path, failed.length === 0 ? seen : undefined);
  }

  #part({ keyword }: Part, { node }: Program, value: unknown, path: Path): void {
    const { schema } = node;
    if (!isRecord(schema)) return;
    const operand = own(schema, keyword);
    switch (keyword) {
      case "properties":
      case "patternProperties":
      case "additionalProperties":
        this.#members(keyword, node, value, path);
        return;
      case "required":
        for (const name of explainMissing(operand, value)) this.#say([...path, name], keyword, "is missing");
        return;
      case "propertyNames":
        for (const name of Object.keys(isRecord(value) ? value : {})) this.#child(node, keyword, name, [...path, name]);
        return;
      case "prefixItems":
      case "items":
      case "additionalItems":
        this.#items(keyword, node, value, path);
        return;
      case "$ref":
      case "$dynamicRef":
      case "$recursiveRef":
        this.#reference(keyword, node, value, path);
        return;
      case "allOf":
      case "dependentSchemas":
      case "dependencies":
        this.#inPlace(keyword, node, value, path);
        return;
      case "anyOf":
      case "oneOf":
        this.#branches(keyword, node, value, path);
        return;
      case "if":
        this.#inPlace(keyword, node, value, path);
        return;
      case "dependentRequired":
        this.#dependencies(keyword, operand, value, path);
        return;
      default: {
        const format = keyword === "pattern" ? own(schema, "format") : undefined;
        const phrase =
          format === undefined
            ? describeKeyword(keyword, operand, value, this.#run)
            : describeKeyword("format", format, value, this.#run);
        this.#say(path, keyword, phrase.predicate, phrase.expected);
      }
    }
  }

  #child(node: SchemaNode, key: string, value: unknown, path: Path): void {
    const child = node.children.get(key);
    if (child === undefined) return;
    this.#enter(node, child, () => this.#node(this.#evaluator.program(child), value, path));
  }

  #enter(from: SchemaNode, to: SchemaNode, visit: () => void): void {
    const crosses = from.resource !== to.resource;
    if (crosses) this.#run.scope.push(to.resource);
    visit();
    if (crosses) this.#run.scope.pop();
  }

  #members(keyword: string, node: SchemaNode, value: unknown, path: Path): void {
    if (!isRecord(value)) return;
    const isAdditional = keyword === "additionalProperties" ? additionalTest(node, this.#evaluator) : undefined;
    for (const name of Object.keys(value)) {
      const member = value[name];
      if (member === undefined || (isAdditional !== undefined && !isAdditional(name))) continue;
      for (const key of this.#memberKeys(keyword, node, name)) {
        if (node.children.get(key)?.schema === false && isAdditional !== undefined)
          this.#unknown(keyword, node, value, name, path);
        else this.#child(node, key, member, [...path, name]);
      }
    }
  }

  #memberKeys(keyword: string, node: SchemaNode, name: string): string[] {
    if (keyword === "additionalProperties") return [keyword];
    if (keyword === "properties") return [`${keyword}/${escapePointer(name)}`];
    const patterns = isRecord(node.schema) ? own(node.schema, keyword) : undefined;
    const sources = Object.keys(isRecord(patterns) ? patterns : {});
    return sources
      .filter((source) => this.#evaluator.pattern(node, keyword, source).test(name))
      .map((source) => `${keyword}/${escapePointer(source)}`);
  }

  #unknown(
    keyword: string,
    node: SchemaNode,
    value: Readonly<Record<string, unknown>>,
    name: string,
    path: Path,
  ): void {
    const known = knownNames(node, this.#evaluator, this.#run);
    const message = explainUnknown(name, known, value, describePath(path));
    this.#issues.push({ path: [...path, name], keyword, message });
  }

  #items(keyword: string, node: SchemaNode, value: unknown, path: Path): void {
    if (!Array.isArray(value) || !isRecord(node.schema)) return;
    const isTuple = Array.isArray(own(node.schema, keyword));
    const start = isTuple ? 0 : tupleLength(node.schema, node, keyword);
    for (let position = start; position < value.length && this.#issues.length < mostIssues; position += 1) {
      this.#child(node, isTuple ? `${keyword}/${position}` : keyword, value[position], [...path, position]);
    }
  }

  #reference(keyword: string, node: SchemaNode, value: unknown, path: Path): void {
    const reference = isRecord(node.schema) ? String(own(node.schema, keyword)) : "";
    const target = this.#evaluator.target(node, keyword, reference, this.#run);
    this.#run.charge(1);
    this.#run.descend(node.depth + 1);
    this.#enter(node, target.node, () => this.#node(target, value, path));
    this.#run.ascend(node.depth + 1);
  }

  /** Schemas that apply to the same value: each that applies is explained. */
  #inPlace(keyword: string, node: SchemaNode, value: unknown, path: Path): void {
    if (keyword === "if") {
      const holds = this.#passes(node, "if", value);
      this.#child(node, holds ? "then" : "else", value, path);
      return;
    }
    const operand = isRecord(node.schema) ? own(node.schema, keyword) : undefined;
    if (Array.isArray(operand)) {
      for (const position of operand.keys()) this.#child(node, `${keyword}/${position}`, value, path);
      return;
    }
    for (const name of Object.keys(isRecord(operand) ? operand : {})) {
      if (isRecord(value) && own(value, name) !== undefined)
        this.#child(node, `${keyword}/${escapePointer(name)}`, value, path);
    }
    this.#dependencies(keyword, operand, value, path);
  }

  #dependencies(keyword: string, operand: unknown, value: unknown, path: Path): void {
    if (!isRecord(operand) || !isRecord(value)) return;
    for (const [name, needed] of Object.entries(operand)) {
      if (own(value, name) === undefined) continue;
      const missing = explainMissing(needed, value);
      for (const other of missing) this.#say([...path, other], keyword, `is missing, it is needed with ${name}`);
    }
  }

  #passes(node: SchemaNode, key: string, value: unknown): boolean {
    return this.#evaluator.child(node, key)?.(value, this.#run, undefined) ?? true;
  }

  #branches(keyword: string, node: SchemaNode, value: unknown, path: Path): void {
    const operand = isRecord(node.schema) ? own(node.schema, keyword) : undefined;
    const keys = (Array.isArray(operand) ? operand : []).map((_, position) => `${keyword}/${position}`);
    const passing = keys.flatMap((key, position) => (this.#passes(node, key, value) ? [position + 1] : []));
    if (passing.length > 0) {
      this.#say(path, keyword, `fits forms ${passing.join(" and ")} of those allowed, and must fit exactly one`);
      return;
    }
    const outer = this.#issues;
    const perBranch = keys.map((key) => {
      this.#issues = [];
      this.#child(node, key, value, path);
      return this.#issues;
    });
    this.#issues = outer;
    const verdict = explainBranches(perBranch, path, value);
    if (verdict.issues !== undefined) this.#issues.push(...verdict.issues);
    else this.#say(verdict.path, keyword, verdict.phrase.predicate, verdict.phrase.expected);
  }

  #unevaluated({ keyword }: Part, { node }: Program, value: unknown, path: Path, seen: Evaluated | undefined): void {
    if (Array.isArray(value) && keyword === "unevaluatedItems") {
      if (seen === undefined) return;
      for (const [position, entry] of value.entries()) {
        if (!seen.hasItem(position)) this.#child(node, keyword, entry, [...path, position]);
      }
      seen.addAllItems();
      return;
    }
    if (!isRecord(value) || keyword !== "unevaluatedProperties") return;
    const known = seen === undefined ? new Set(knownNames(node, this.#evaluator, this.#run)) : undefined;
    for (const name of Object.keys(value)) {
      const evaluated = seen?.hasKey(name) ?? known?.has(name) ?? true;
      if (evaluated || value[name] === undefined) continue;
      if (node.children.get(keyword)?.schema === false) this.#unknown(keyword, node, value, name, path);
      else this.#child(node, keyword, value[name], [...path, name]);
    }
  }
}

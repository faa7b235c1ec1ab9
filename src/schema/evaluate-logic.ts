// Keywords that apply other schemas to the same value. What a branch evaluated counts only when the
// branch passes, so each branch notes it apart.

import { Evaluated } from "./evaluated.ts";
import { own } from "./json-schema.ts";
import type { SchemaNode } from "./node.ts";
import type { BuildKeyword, Check, Compilation, KeywordFamily } from "./program.ts";
import type { Run } from "./run.ts";

function branches(keyword: string, value: unknown, node: SchemaNode, compilation: Compilation): Check[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((_, position) => compilation.child(node, `${keyword}/${position}`) ?? []);
}

/** Applies a branch; on success what it evaluated is added to `seen`. */
function attempt(check: Check, value: unknown, run: Run, seen: Evaluated | undefined): boolean {
  if (seen === undefined) return check(value, run, undefined);
  const inner = new Evaluated();
  if (!check(value, run, inner)) return false;
  seen.merge(inner);
  return true;
}

const buildAllOf: BuildKeyword = (value, _schema, node, compilation) => {
  const checks = branches("allOf", value, node, compilation);
  return (instance, run, seen) => {
    run.charge(checks.length);
    return checks.every((check) => check(instance, run, seen));
  };
};

const buildAnyOf: BuildKeyword = (value, _schema, node, compilation) => {
  const checks = branches("anyOf", value, node, compilation);
  return (instance, run, seen) => {
    run.charge(checks.length);
    let passed = false;
    for (const check of checks) {
      if (!attempt(check, instance, run, seen)) continue;
      if (seen === undefined) return true;
      passed = true;
    }
    return passed;
  };
};

const buildOneOf: BuildKeyword = (value, _schema, node, compilation) => {
  const checks = branches("oneOf", value, node, compilation);
  return (instance, run, seen) => {
    run.charge(checks.length);
    let passed = 0;
    for (const check of checks) {
      if (attempt(check, instance, run, seen)) passed += 1;
      if (passed > 1) return false;
    }
    return passed === 1;
  };
};

const buildNot: BuildKeyword = (_value, _schema, node, compilation) => {
  const check = compilation.child(node, "not");
  if (check === undefined) return undefined;
  return (instance, run) => {
    run.charge(1);
    return !check(instance, run, undefined);
  };
};

const buildIf: BuildKeyword = (_value, schema, node, compilation) => {
  const condition = compilation.child(node, "if");
  const { keywords } = node.resource.dialect;
  const branch = (key: string): Check | undefined =>
    keywords.has(key) && own(schema, key) !== undefined ? compilation.child(node, key) : undefined;
  const [then, otherwise] = [branch("then"), branch("else")];
  if (condition === undefined) return undefined;
  return (instance, run, seen) => {
    run.charge(2);
    const next = attempt(condition, instance, run, seen) ? then : otherwise;
    return next === undefined || next(instance, run, seen);
  };
};

function reference(keyword: string): BuildKeyword {
  return (value, _schema, node, compilation) => compilation.reference(node, keyword, String(value));
}

/** References and combinations. */
export const logicKeywords: KeywordFamily = {
  $ref: reference("$ref"),
  $dynamicRef: reference("$dynamicRef"),
  $recursiveRef: reference("$recursiveRef"),
  allOf: buildAllOf,
  anyOf: buildAnyOf,
  oneOf: buildOneOf,
  not: buildNot,
  if: buildIf,
};

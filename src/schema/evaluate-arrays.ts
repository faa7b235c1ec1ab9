// Keywords about arrays, in both notations: `prefixItems` with `items`, and the older `items` list with
// `additionalItems`.

import { firstDuplicate } from "./equal.ts";
import type { JsonSchemaObject } from "./json-schema.ts";
import { own } from "./json-schema.ts";
import type { SchemaNode } from "./node.ts";
import type { BuildKeyword, Check, Compilation, KeywordFamily } from "./program.ts";

function tuple(keyword: string, schemas: readonly unknown[], node: SchemaNode, compilation: Compilation): Check {
  const checks = schemas.flatMap((_, position) => compilation.child(node, `${keyword}/${position}`) ?? []);
  return (list, run, seen) => {
    if (!Array.isArray(list)) return true;
    const count = Math.min(list.length, checks.length);
    run.charge(count);
    for (let position = 0; position < count; position += 1) {
      if (checks[position]?.(list[position], run, undefined) === false) return false;
    }
    seen?.addItemsBelow(count);
    return true;
  };
}

function rest(start: number, check: Check | undefined): Check | undefined {
  if (check === undefined) return undefined;
  return (list, run, seen) => {
    if (!Array.isArray(list)) return true;
    run.charge(Math.max(0, list.length - start));
    for (let position = start; position < list.length; position += 1) {
      if (!check(list[position], run, undefined)) return false;
    }
    seen?.addAllItems();
    return true;
  };
}

/** How many leading entries a tuple keyword beside `items` or `additionalItems` covers. */
export function tupleLength(schema: JsonSchemaObject, node: SchemaNode, keyword: string): number {
  const older = keyword === "additionalItems";
  const list =
    older || node.resource.dialect.keywords.has("prefixItems")
      ? own(schema, older ? "items" : "prefixItems")
      : undefined;
  return Array.isArray(list) ? list.length : 0;
}

const buildPrefixItems: BuildKeyword = (value, _schema, node, compilation) =>
  Array.isArray(value) ? tuple("prefixItems", value, node, compilation) : undefined;

const buildItems: BuildKeyword = (value, schema, node, compilation) =>
  Array.isArray(value)
    ? tuple("items", value, node, compilation)
    : rest(tupleLength(schema, node, "items"), compilation.child(node, "items"));

const buildAdditionalItems: BuildKeyword = (_value, schema, node, compilation) =>
  Array.isArray(own(schema, "items"))
    ? rest(tupleLength(schema, node, "additionalItems"), compilation.child(node, "additionalItems"))
    : undefined;

const buildContains: BuildKeyword = (_value, schema, node, compilation) => {
  const check = compilation.child(node, "contains");
  if (check === undefined) return undefined;
  const { keywords, containsEvaluates } = node.resource.dialect;
  const least = keywords.has("minContains") ? Number(own(schema, "minContains") ?? 1) : 1;
  const most = keywords.has("maxContains")
    ? Number(own(schema, "maxContains") ?? Number.POSITIVE_INFINITY)
    : Number.POSITIVE_INFINITY;
  return (list, run, seen) => {
    if (!Array.isArray(list)) return true;
    run.charge(list.length);
    let found = 0;
    for (const [position, entry] of list.entries()) {
      if (!check(entry, run, undefined)) continue;
      found += 1;
      if (containsEvaluates) seen?.addItem(position);
    }
    return found >= least && found <= most;
  };
};

const buildUniqueItems: BuildKeyword = (wanted) =>
  wanted === true ? (list, run) => !Array.isArray(list) || firstDuplicate(list, run) === undefined : undefined;

function onLength(test: (length: number, limit: number) => boolean): BuildKeyword {
  return (limit) =>
    typeof limit === "number" ? (list) => !Array.isArray(list) || test(list.length, limit) : undefined;
}

/** Arrays, in the order they are tried. */
export const arrayKeywords: KeywordFamily = {
  minItems: onLength((length, limit) => length >= limit),
  maxItems: onLength((length, limit) => length <= limit),
  prefixItems: buildPrefixItems,
  items: buildItems,
  additionalItems: buildAdditionalItems,
  contains: buildContains,
  uniqueItems: buildUniqueItems,
};

/** Entries nothing else has evaluated; runs after every other keyword. */
export const buildUnevaluatedItems: BuildKeyword = (_value, _schema, node, compilation) => {
  const check = compilation.child(node, "unevaluatedItems");
  if (check === undefined) return undefined;
  return (list, run, seen) => {
    if (!Array.isArray(list)) return true;
    run.charge(list.length);
    const passes = list.every((entry, position) => seen?.hasItem(position) === true || check(entry, run, undefined));
    seen?.addAllItems();
    return passes;
  };
};

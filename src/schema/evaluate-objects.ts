// Keywords about objects. Only own members count, and a member whose value is `undefined` is absent,
// because it is when the object is sent.

import { presentKeys } from "./equal.ts";
import { escapePointer, isRecord, own } from "./json-schema.ts";
import type { SchemaNode } from "./node.ts";
import type { PatternMatcher } from "./pattern.ts";
import type { BuildKeyword, Check, Compilation, KeywordFamily } from "./program.ts";

type Members = Readonly<Record<string, unknown>>;

interface NamedCheck {
  readonly name: string;
  readonly check: Check;
}

interface PatternCheck {
  readonly matcher: PatternMatcher;
  readonly check: Check;
}

function namedChecks(keyword: string, value: unknown, node: SchemaNode, compilation: Compilation): NamedCheck[] {
  if (!isRecord(value)) return [];
  return Object.keys(value).flatMap((name) => {
    const check = compilation.child(node, `${keyword}/${escapePointer(name)}`);
    return check === undefined ? [] : [{ name, check }];
  });
}

const buildProperties: BuildKeyword = (value, _schema, node, compilation) => {
  const entries = namedChecks("properties", value, node, compilation);
  if (entries.length === 0) return undefined;
  return (object, run, seen) => {
    if (!isRecord(object)) return true;
    run.charge(entries.length);
    for (const { name, check } of entries) {
      const member = own(object, name);
      if (member === undefined) continue;
      if (!check(member, run, undefined)) return false;
      seen?.addKey(name);
    }
    return true;
  };
};

const buildPatternProperties: BuildKeyword = (value, _schema, node, compilation) => {
  const entries: PatternCheck[] = namedChecks("patternProperties", value, node, compilation).map(({ name, check }) => ({
    matcher: compilation.pattern(node, "patternProperties", name),
    check,
  }));
  if (entries.length === 0) return undefined;
  return (object, run, seen) => {
    if (!isRecord(object)) return true;
    const keys = presentKeys(object);
    run.charge(keys.length * entries.length);
    for (const key of keys) {
      for (const { matcher, check } of entries) {
        if (!matcher.test(key)) continue;
        if (!check(object[key], run, undefined)) return false;
        seen?.addKey(key);
      }
    }
    return true;
  };
};

/** Whether a member is covered by neither `properties` nor `patternProperties` beside the keyword. */
export function additionalTest(node: SchemaNode, compilation: Pick<Compilation, "pattern">): (key: string) => boolean {
  const { schema } = node;
  const properties = isRecord(schema) ? own(schema, "properties") : undefined;
  const patterns = isRecord(schema) ? own(schema, "patternProperties") : undefined;
  const known = new Set(isRecord(properties) ? Object.keys(properties) : []);
  const matchers = isRecord(patterns)
    ? Object.keys(patterns).map((source) => compilation.pattern(node, "patternProperties", source))
    : [];
  if (matchers.length === 0) return (key) => !known.has(key);
  return (key) => !known.has(key) && !matchers.some((matcher) => matcher.test(key));
}

const buildAdditionalProperties: BuildKeyword = (_value, _schema, node, compilation) => {
  const check = compilation.child(node, "additionalProperties");
  if (check === undefined) return undefined;
  const isAdditional = additionalTest(node, compilation);
  return (object, run, seen) => {
    if (!isRecord(object)) return true;
    for (const key in object) {
      const member = own(object, key);
      if (member === undefined || !isAdditional(key)) continue;
      run.charge(1);
      if (!check(member, run, undefined)) return false;
      seen?.addKey(key);
    }
    return true;
  };
};

const buildPropertyNames: BuildKeyword = (_value, _schema, node, compilation) => {
  const check = compilation.child(node, "propertyNames");
  if (check === undefined) return undefined;
  return (object, run) => {
    if (!isRecord(object)) return true;
    const keys = presentKeys(object);
    run.charge(keys.length);
    return keys.every((key) => check(key, run, undefined));
  };
};

const buildRequired: BuildKeyword = (names) => {
  const required: readonly string[] = Array.isArray(names) ? names : [];
  if (required.length === 0) return undefined;
  return (object) => {
    if (!isRecord(object)) return true;
    for (const name of required) if (own(object, name) === undefined) return false;
    return true;
  };
};

function onSize(test: (size: number, limit: number) => boolean): BuildKeyword {
  return (limit) =>
    typeof limit === "number" ? (object) => !isRecord(object) || test(presentKeys(object).length, limit) : undefined;
}

function requires(lists: unknown): (object: Members) => boolean {
  const entries = Object.entries(isRecord(lists) ? lists : {}).filter(([, names]) => Array.isArray(names)) as [
    string,
    string[],
  ][];
  return (object) =>
    entries.every(
      ([name, names]) => own(object, name) === undefined || names.every((other) => own(object, other) !== undefined),
    );
}

const buildDependentRequired: BuildKeyword = (lists) => {
  const complete = requires(lists);
  return (object) => !isRecord(object) || complete(object);
};

function dependentSchemas(keyword: string): BuildKeyword {
  return (value, _schema, node, compilation) => {
    const complete = requires(value);
    const entries = namedChecks(keyword, value, node, compilation);
    return (object, run, seen) => {
      if (!isRecord(object)) return true;
      run.charge(entries.length);
      return (
        complete(object) &&
        entries.every(({ name, check }) => own(object, name) === undefined || check(object, run, seen))
      );
    };
  };
}

/** Objects, in the order they are tried. */
export const objectKeywords: KeywordFamily = {
  minProperties: onSize((size, limit) => size >= limit),
  maxProperties: onSize((size, limit) => size <= limit),
  properties: buildProperties,
  required: buildRequired,
  patternProperties: buildPatternProperties,
  additionalProperties: buildAdditionalProperties,
  propertyNames: buildPropertyNames,
  dependentRequired: buildDependentRequired,
  dependentSchemas: dependentSchemas("dependentSchemas"),
  dependencies: dependentSchemas("dependencies"),
};

/** Members nothing else has evaluated; runs after every other keyword. */
export const buildUnevaluatedProperties: BuildKeyword = (_value, _schema, node, compilation) => {
  const check = compilation.child(node, "unevaluatedProperties");
  if (check === undefined) return undefined;
  return (object, run, seen) => {
    if (!isRecord(object)) return true;
    const keys = presentKeys(object);
    run.charge(keys.length);
    const passes = keys.every((key) => seen?.hasKey(key) === true || check(object[key], run, undefined));
    seen?.addAllKeys();
    return passes;
  };
};

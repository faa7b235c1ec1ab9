// Keywords about one value by itself: its type, a fixed set of values, numbers and strings.

import { jsonEqual } from "./equal.ts";
import { isRecord } from "./json-schema.ts";
import type { BuildKeyword, Check, KeywordFamily } from "./program.ts";

type Test = (value: unknown) => boolean;

/** Whether a value is of a JSON Schema type; numbers by value, so that 1.0 is an integer. */
const typeTests: Readonly<Record<string, Test>> = {
  string: (value) => typeof value === "string",
  number: (value) => Number.isFinite(value),
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === "boolean",
  object: isRecord,
  array: (value) => Array.isArray(value),
  null: (value) => value === null,
};

const buildType: BuildKeyword = (names) => {
  const tests = (Array.isArray(names) ? names : [names]).flatMap((name) => typeTests[String(name)] ?? []);
  const [first, second] = tests;
  if (first !== undefined && tests.length === 1) return first;
  if (first !== undefined && second !== undefined && tests.length === 2)
    return (value) => first(value) || second(value);
  return (value) => tests.some((test) => test(value));
};

const buildConst: BuildKeyword = (wanted) => {
  if (typeof wanted !== "object" || wanted === null) return (value) => value === wanted;
  return (value, run) => jsonEqual(value, wanted, run);
};

const buildEnum: BuildKeyword = (choices) => {
  if (!Array.isArray(choices)) return undefined;
  const isCompound = (choice: unknown): boolean => typeof choice === "object" && choice !== null;
  const simple = new Set<unknown>(choices.filter((choice) => !isCompound(choice)));
  const compound = choices.filter(isCompound);
  if (compound.length === 0) return (value) => simple.has(value);
  return (value, run) => {
    if (!isCompound(value)) return simple.has(value);
    run.charge(compound.length);
    return compound.some((choice) => jsonEqual(value, choice, run));
  };
};

function onNumbers(test: (value: number, limit: number) => boolean): BuildKeyword {
  return (limit) =>
    typeof limit === "number" ? (value) => typeof value !== "number" || test(value, limit) : undefined;
}

function onStrings(test: (value: string, limit: number) => boolean): BuildKeyword {
  return (limit) =>
    typeof limit === "number" ? (value) => typeof value !== "string" || test(value, limit) : undefined;
}

/** The length of a string in code points. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let position = 1; position < text.length; position += 1) {
    const isLow = (text.charCodeAt(position) & 0xfc00) === 0xdc00;
    if (!isLow || (text.charCodeAt(position - 1) & 0xfc00) !== 0xd800) continue;
    count -= 1;
    position += 1;
  }
  return count;
}

function atMost(text: string, limit: number): boolean {
  return text.length <= limit || (text.length <= 2 * limit && codePoints(text) <= limit);
}

function atLeast(text: string, limit: number): boolean {
  return text.length >= limit && (text.length >= 2 * limit || codePoints(text) >= limit);
}

function isMultiple(value: number, divisor: number): boolean {
  if (!Number.isFinite(value)) return false;
  if (Number.isInteger(value) && Number.isInteger(divisor)) return value % divisor === 0;
  const a = toDecimal(value);
  const b = toDecimal(divisor);
  const scale = Math.min(a.exponent, b.exponent);
  return (a.digits * 10n ** BigInt(a.exponent - scale)) % (b.digits * 10n ** BigInt(b.exponent - scale)) === 0n;
}

/** A number as the decimal its author wrote: digits times a power of ten. */
function toDecimal(value: number): { digits: bigint; exponent: number } {
  const [mantissa = "0", exponent = "0"] = value.toExponential().split("e");
  const [whole = "0", fraction = ""] = mantissa.split(".");
  return { digits: BigInt(whole + fraction), exponent: Number(exponent) - fraction.length };
}

const buildPattern: BuildKeyword = (source, _schema, node, compilation) => {
  const matcher = compilation.pattern(node, "pattern", String(source));
  return (value) => typeof value !== "string" || matcher.test(value);
};

const buildFormat: BuildKeyword = (name, _schema, _node, compilation): Check | undefined => {
  const test = compilation.format(String(name));
  return test === undefined ? undefined : (value) => typeof value !== "string" || test(value);
};

/** Type, values, numbers and strings, cheapest first. */
export const valueKeywords: KeywordFamily = {
  type: buildType,
  const: buildConst,
  enum: buildEnum,
  minimum: onNumbers((value, limit) => value >= limit),
  maximum: onNumbers((value, limit) => value <= limit),
  exclusiveMinimum: onNumbers((value, limit) => value > limit),
  exclusiveMaximum: onNumbers((value, limit) => value < limit),
  multipleOf: onNumbers(isMultiple),
  minLength: onStrings(atLeast),
  maxLength: onStrings(atMost),
  pattern: buildPattern,
  format: buildFormat,
};

// The words for a keyword that a value fails by itself, without looking into parts of it. The second
// pass: never on the way of a value that fits.

import { firstDuplicate } from "./equal.ts";
import { codePoints } from "./evaluate-values.ts";
import { preview } from "./issue.ts";
import { isRecord } from "./json-schema.ts";
import { nearest } from "./nearest.ts";
import type { Run } from "./run.ts";

/** What goes after the place in a message: `must be a number (got "x")`. */
export interface Phrase {
  readonly predicate: string;
  /** What was wanted, when several such can be joined with "or". */
  readonly expected?: string;
}

type Describe = (operand: unknown, value: unknown, run: Run) => Phrase;

const typeNames: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  object: "an object",
  array: "a list",
  null: "null",
};

/** The most choices or names that a message lists. */
const longestList = 12;

/** The phrase for a failed keyword; general when the keyword has none of its own. */
export function describeKeyword(keyword: string, operand: unknown, value: unknown, run: Run): Phrase {
  const describe = Object.hasOwn(phrases, keyword) ? phrases[keyword] : undefined;
  return describe?.(operand, value, run) ?? { predicate: `does not satisfy ${keyword}` };
}

/** The phrase for a value that is none of what was wanted. */
export function mustBe(expected: string, value: unknown): Phrase {
  return { predicate: `must be ${expected} (got ${preview(value)})`, expected };
}

/** `a`, `a or b`, `a, b or c`; shortened when long. */
export function alternatives(items: readonly string[]): string {
  const different = [...new Set(items)];
  if (different.length > longestList)
    return `${different.slice(0, longestList).join(", ")} or ${different.length - longestList} others`;
  return different.length < 2 ? different.join("") : `${different.slice(0, -1).join(", ")} or ${different.at(-1)}`;
}

/** `a, b, c`; shortened when long. */
export function listing(items: readonly string[]): string {
  const shown = items.slice(0, longestList).join(", ");
  return items.length > longestList ? `${shown} and ${items.length - longestList} more` : shown;
}

function choices(operand: unknown, value: unknown): Phrase {
  const items: readonly unknown[] = Array.isArray(operand) ? operand : [operand];
  const names = items.filter((item) => typeof item === "string");
  const guess = typeof value === "string" ? nearest(value, names) : undefined;
  const phrase = mustBe(alternatives(items.map(shown)), value);
  return guess === undefined
    ? phrase
    : { ...phrase, predicate: `${phrase.predicate}, did you mean ${JSON.stringify(guess)}?` };
}

function shown(item: unknown): string {
  const text = JSON.stringify(item) ?? String(item);
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

function limit(words: string): Describe {
  return (operand, value) => ({ predicate: `must be ${words} ${String(operand)} (got ${preview(value)})` });
}

function size(words: string, noun: readonly [string, string], measure: (value: unknown) => number): Describe {
  return (operand, value) => ({
    predicate: `must have ${words} ${String(operand)} ${operand === 1 ? noun[0] : noun[1]} (has ${measure(value)})`,
  });
}

const characters = ["character", "characters"] as const;
const entries = ["entry", "entries"] as const;
const members = ["member", "members"] as const;
const textLength = (value: unknown): number => (typeof value === "string" ? codePoints(value) : 0);
const listLength = (value: unknown): number => (Array.isArray(value) ? value.length : 0);
const memberCount = (value: unknown): number => (isRecord(value) ? Object.keys(value).length : 0);

const phrases: Readonly<Record<string, Describe>> = {
  type: (operand, value) => {
    const names: readonly unknown[] = Array.isArray(operand) ? operand : [operand];
    return mustBe(alternatives(names.map((name) => typeNames[String(name)] ?? String(name))), value);
  },
  const: choices,
  enum: choices,
  minimum: limit("at least"),
  maximum: limit("at most"),
  exclusiveMinimum: limit("more than"),
  exclusiveMaximum: limit("less than"),
  multipleOf: limit("a multiple of"),
  minLength: size("at least", characters, textLength),
  maxLength: size("at most", characters, textLength),
  minItems: size("at least", entries, listLength),
  maxItems: size("at most", entries, listLength),
  minProperties: size("at least", members, memberCount),
  maxProperties: size("at most", members, memberCount),
  pattern: (operand, value) => ({ predicate: `must match the pattern ${String(operand)} (got ${preview(value)})` }),
  format: (operand, value) => ({ predicate: `must be a valid ${String(operand)} (got ${preview(value)})` }),
  uniqueItems: (_operand, value, run) => {
    const [first, second] = (Array.isArray(value) ? firstDuplicate(value, run) : undefined) ?? [0, 0];
    return { predicate: `must not have equal entries (positions ${first} and ${second} are equal)` };
  },
  contains: () => ({ predicate: "does not have the entries it must contain" }),
  not: () => ({ predicate: "is of a form that is excluded" }),
};

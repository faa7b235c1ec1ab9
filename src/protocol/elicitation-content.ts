/**
 * Whether a filled form fits the schema it was made from. Used on both sides: before an answer is sent and
 * after it arrived. Judging the schema itself is `elicitation-schema.ts`.
 *
 * Specification: Client > Elicitation > Requested Schema.
 */
import { isObject } from "../base/json.ts";
import { expected, listChoices, memberPath } from "./check.ts";
import { parseResourceUri } from "./resource-uri.ts";
import type { NumberSchema, PrimitiveSchemaDefinition, RequestedSchema, StringSchema } from "./types/elicitation.ts";

/** How `checkFormContent` judges. */
export interface FormContentOptions {
  /**
   * Whether a text fits a `pattern`. A pattern may come from a stranger, and a hostile one can keep a
   * regular expression busy for hours. Default: patterns without quantified groups, back references and
   * look-around, and with at most two open-ended quantifiers, are matched against texts of up to 2,000
   * characters; what is beyond is not judged. Give your own matcher to judge all of them.
   */
  matchesPattern?: (pattern: string, text: string) => boolean;
}

/**
 * Judges the content of an accepted form. Answers `undefined` when it fits, else one sentence:
 * `content.age: expected an integer, got 1.5`. Fields the form does not have are tolerated.
 * Specification: Client > Elicitation > Requested Schema [ELIC-014, ELIC-020].
 *
 * @param schema - a schema that `checkRequestedSchema` accepts
 *
 * @example
 * ```ts
 * const age = { type: "integer" } as const;
 * checkFormContent({ type: "object", properties: { age }, required: ["age"] }, {}); // "content.age: expected an integer, got nothing"
 * ```
 */
export function checkFormContent(
  schema: RequestedSchema,
  content: unknown,
  { matchesPattern = matchesSimplePattern }: FormContentOptions = {},
): string | undefined {
  if (!isObject(content)) {
    return `content${expected("an object", content)}`;
  }
  for (const [name, field] of Object.entries(schema.properties)) {
    const value = Object.hasOwn(content, name) ? content[name] : undefined;
    if (value === undefined && !schema.required?.includes(name)) {
      continue;
    }
    const fault = findFieldFault(field, value, matchesPattern);
    if (fault !== undefined) {
      return `content${memberPath(name)}${fault}`;
    }
  }
  return undefined;
}

type PatternMatcher = NonNullable<FormContentOptions["matchesPattern"]>;

function findFieldFault(
  field: PrimitiveSchemaDefinition,
  value: unknown,
  matchesPattern: PatternMatcher,
): string | undefined {
  switch (field.type) {
    case "boolean":
      return typeof value === "boolean" ? undefined : expected("true or false", value);
    case "number":
    case "integer":
      return findNumberFault(field, value);
    case "array": {
      const choices = "anyOf" in field.items ? field.items.anyOf.map((option) => option.const) : field.items.enum;
      return findSelectionFault(choices, field, value);
    }
    default:
      if ("oneOf" in field) {
        return findChoiceFault(
          field.oneOf.map((option) => option.const),
          value,
        );
      }
      return "enum" in field ? findChoiceFault(field.enum, value) : findTextFault(field, value, matchesPattern);
  }
}

function findNumberFault(field: NumberSchema, value: unknown): string | undefined {
  const fits = field.type === "integer" ? Number.isInteger(value) : Number.isFinite(value);
  if (!fits || typeof value !== "number") {
    return expected(field.type === "integer" ? "an integer" : "a number", value);
  }
  if (field.minimum !== undefined && value < field.minimum) {
    return expected(`at least ${field.minimum}`, value);
  }
  return field.maximum !== undefined && value > field.maximum ? expected(`at most ${field.maximum}`, value) : undefined;
}

function findChoiceFault(choices: readonly string[], value: unknown): string | undefined {
  return typeof value === "string" && choices.includes(value) ? undefined : expected(listChoices(choices), value);
}

function findSelectionFault(
  choices: readonly string[],
  bounds: { minItems?: number; maxItems?: number },
  value: unknown,
): string | undefined {
  if (!Array.isArray(value)) {
    return expected("an array of choices", value);
  }
  if (value.length < (bounds.minItems ?? 0)) {
    return `: expected at least ${bounds.minItems} choices, got ${value.length}`;
  }
  if (value.length > (bounds.maxItems ?? Number.POSITIVE_INFINITY)) {
    return `: expected at most ${bounds.maxItems} choices, got ${value.length}`;
  }
  const index = value.findIndex((choice) => findChoiceFault(choices, choice) !== undefined);
  return index === -1 ? undefined : `[${index}]${expected(listChoices(choices), value[index])}`;
}

function findTextFault(field: StringSchema, value: unknown, matchesPattern: PatternMatcher): string | undefined {
  if (typeof value !== "string") {
    return expected("a string", value);
  }
  const length = countCharacters(value);
  if (field.minLength !== undefined && length < field.minLength) {
    return `: expected at least ${field.minLength} characters, got ${length}`;
  }
  if (field.maxLength !== undefined && length > field.maxLength) {
    return `: expected at most ${field.maxLength} characters, got ${length}`;
  }
  if (field.format !== undefined && !formats[field.format].fits(value)) {
    return expected(formats[field.format].name, value);
  }
  return field.pattern !== undefined && !matchesPattern(field.pattern, value)
    ? expected(`a text that matches ${field.pattern}`, value)
    : undefined;
}

/** Characters as JSON Schema counts them: code points, not UTF-16 units. */
function countCharacters(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    const isPair = (text.codePointAt(index) ?? 0) > 0xffff;
    index += isPair ? 1 : 0;
    count += 1;
  }
  return count;
}

const formats: {
  readonly [format in NonNullable<StringSchema["format"]>]: { name: string; fits: (text: string) => boolean };
} = {
  email: {
    name: "an e-mail address",
    fits: (text) => text.length <= 320 && /^[^\s@]+@[^\s@.]+(\.[^\s@.]+)*$/.test(text),
  },
  uri: { name: "a URI with a scheme", fits: (text) => parseResourceUri(text).ok },
  date: { name: "a date such as 2026-01-31", fits: isDate },
  "date-time": { name: "a moment such as 2026-01-31T12:00:00Z", fits: isDateTime },
};

function isDate(text: string): boolean {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (parts === null) {
    return false;
  }
  const [year, month, day] = parts.slice(1).map(Number) as [number, number, number];
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0;
  return day >= 1 && day <= days;
}

function isDateTime(text: string): boolean {
  const parts = /^(.{10})[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d+)?(?:[Zz]|[+-](\d{2}):(\d{2}))$/.exec(text);
  if (parts === null || !isDate(parts[1] ?? "")) {
    return false;
  }
  const [hour, minute, second, offsetHour, offsetMinute] = parts.slice(2).map((part) => Number(part ?? 0));
  return (
    (hour ?? 0) < 24 && (minute ?? 0) < 60 && (second ?? 0) <= 60 && (offsetHour ?? 0) < 24 && (offsetMinute ?? 0) < 60
  );
}

const longestMatchedText = 2_000;

/** A matcher that cannot be made to hang: it does not judge patterns that might. */
function matchesSimplePattern(pattern: string, text: string): boolean {
  const bare = pattern.replace(/\\[^1-9k]/g, "x").replace(/\[(?:\\.|[^\]\\])*\]/g, "x");
  const openEnded = bare.match(/[*+]|\{\d*,\}/g)?.length ?? 0;
  if (/\)[*+{?]|\(\?[=!<]|\\[1-9k]/.test(bare) || openEnded > 2 || text.length > longestMatchedText) {
    return true;
  }
  try {
    return new RegExp(pattern, "u").test(text);
  } catch {
    // A pattern that is no regular expression forbids nothing.
    return true;
  }
}

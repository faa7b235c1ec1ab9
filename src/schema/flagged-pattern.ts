// Regular expressions whose flags JSON Schema has no words for. Libraries publish such a pattern without them, which
// is another pattern: it refuses what the library takes. So it is not published, and left to the library, as
// refinements are.

import { isRecord } from "./json-schema.ts";

/** The flags that change what matches. `u` is how patterns are read; `g`, `y` and `d` say how they are run. */
const telling = /[imsv]/u;

type Schema = Readonly<Record<string, unknown>>;

/** The source of a regular expression that says something else, or nothing, without its flags. */
export function flaggedSource(pattern: unknown): string | undefined {
  return pattern instanceof RegExp && telling.test(pattern.flags) ? pattern.source : undefined;
}

/** One converted string without the patterns that have these sources. */
export function withoutPatterns(schema: Schema, sources: readonly string[]): Record<string, unknown> {
  const { pattern, allOf, ...rest } = schema;
  const isFlagged = (value: unknown): boolean => typeof value === "string" && sources.includes(value);
  const parts = Array.isArray(allOf) ? allOf.filter((part) => !(isRecord(part) && isFlagged(part.pattern))) : allOf;
  const hasParts = Array.isArray(parts) ? parts.length > 0 : parts !== undefined;
  return {
    ...rest,
    ...(pattern !== undefined && !isFlagged(pattern) && { pattern }),
    ...(hasParts && { allOf: parts }),
  };
}

/** A converted ArkType schema without flagged patterns, which its description of itself names. */
export function withoutFlaggedRules(converted: Schema, description: unknown): Schema {
  const sources = flaggedRules(description);
  return sources.length === 0 ? converted : (everywhere(converted, sources) as Schema);
}

function everywhere(value: unknown, sources: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((entry) => everywhere(entry, sources));
  if (!isRecord(value)) return value;
  const entries = Object.entries(withoutPatterns(value, sources));
  return Object.fromEntries(entries.map(([key, entry]) => [key, everywhere(entry, sources)]));
}

function flaggedRules(description: unknown): string[] {
  if (Array.isArray(description)) return description.flatMap(flaggedRules);
  if (!isRecord(description)) return [];
  const { rule, flags } = description;
  const own = typeof rule === "string" && typeof flags === "string" && telling.test(flags) ? [rule] : [];
  return [...own, ...Object.values(description).flatMap(flaggedRules)];
}

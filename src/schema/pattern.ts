// Regular expressions from schemas. An author's are taken as they are; a peer's are measured first,
// because one bad pattern can occupy a process for minutes.

import { SchemaError } from "./error.ts";
import { patternCost } from "./pattern-cost.ts";
import { BoundReached } from "./run.ts";

/** Tests text against one regular expression, anywhere in the text. */
export interface PatternMatcher {
  test(text: string): boolean;
}

/**
 * Another regular-expression engine, for instance one that runs in linear time. Gets the source as the
 * schema has it; throws when it cannot handle it.
 *
 * @example
 * ```ts
 * import { createValidator, type RegexEngine } from "parley-mcp/schema";
 *
 * const engine: RegexEngine = (source) => new RegExp(source, "u"); // put another engine here
 * createValidator({ regexEngine: engine, untrusted: true }).compile({ pattern: "^a" });
 * ```
 */
export type RegexEngine = (source: string) => PatternMatcher;

/** How patterns are compiled. */
export interface PatternOptions {
  /** Whether the schema comes from a peer: dangerous patterns are refused, tested text is limited. */
  readonly untrusted: boolean;
  /** Replaces the built-in engine, and with it the guard. */
  readonly engine: RegexEngine | undefined;
}

/** Backtracking steps one test of a peer's pattern may take at worst. */
const stepBudget = 20_000_000;
/** The longest text a peer's pattern is tested on, however cheap the pattern. */
const longestText = 65_536;

/** Compiles a pattern; throws a SchemaError naming its place when it is malformed or too dangerous. */
export function compilePattern(source: string, pointer: string, options: PatternOptions): PatternMatcher {
  if (options.engine !== undefined) return withEngine(options.engine, source, pointer);
  const matcher = toRegExp(source, pointer);
  if (!options.untrusted) return matcher;
  const cost = patternCost(source);
  const limit = Math.min(longestText, Math.floor((stepBudget / cost.ways) ** (1 / Math.max(1, cost.degree))));
  if (cost.explosive || limit < 16) {
    throw new SchemaError(
      "pattern",
      pointer,
      `the pattern ${JSON.stringify(source)} could take exponential time and comes from a peer`,
    );
  }
  return {
    test(text) {
      if (text.length > limit)
        throw new BoundReached(`has text of more than ${limit} characters, the most its pattern is tested on`);
      return matcher.test(text);
    },
  };
}

function withEngine(engine: RegexEngine, source: string, pointer: string): PatternMatcher {
  try {
    return engine(source);
  } catch (cause) {
    throw new SchemaError("pattern", pointer, `the pattern ${JSON.stringify(source)} is refused by the chosen engine`, {
      cause,
    });
  }
}

/** With the `u` flag as the standard asks; without it for the many patterns that are legal only so. */
function toRegExp(source: string, pointer: string): RegExp {
  try {
    return new RegExp(source, "u");
  } catch {
    // Patterns such as ^[\w-.]+$ are common and legal only without the flag.
  }
  try {
    return new RegExp(source);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new SchemaError("pattern", pointer, `the pattern is malformed: ${reason}`, { cause });
  }
}

/**
 * Completers: what an author gives to suggest values, and how suggestions become a result of at most a hundred.
 *
 * Whose argument it is and whether the caller may know of it is completion.ts.
 */
import { UsageError } from "../../base/error.ts";
import type { CompleteResult } from "../../protocol/types/completion.ts";
import { type MaybePromise, whenDone } from "../maybe.ts";
import type { Context } from "../requests/context.ts";

/** Suggestions, the best first. */
export interface Suggestions {
  values: readonly string[];
  /** How many there are in all, where known. */
  total?: number | undefined;
  /** Whether there are more than these. */
  hasMore?: boolean | undefined;
}

/** The context of a completion: that of any request, and the values already chosen for the other arguments. */
export interface CompletionContext<Value = unknown> {
  readonly ctx: Context<Value>;
  /** By argument name; what the client has not sent is absent [COMP-003]. */
  readonly arguments: Readonly<Record<string, string | undefined>>;
}

/**
 * Suggests values: a function of what was typed so far, or a list that is searched for it.
 * Specification: Server > Utilities > Completion.
 */
export type Completer<Value = unknown> =
  | readonly string[]
  | ((typed: string, context: CompletionContext<Value>) => MaybePromise<readonly string[] | Suggestions>);

/** Completers by argument. */
export type Completers<Names extends string = string, Value = unknown> = {
  readonly [Name in Names]?: Completer<Value>;
};

/** The most values of one answer [COMP-004]. */
const maxValues = 100;

/** Runs a completer. */
export function runCompleter(
  completer: Completer<never>,
  typed: string,
  context: CompletionContext<never>,
): MaybePromise<CompleteResult> {
  const found = typeof completer === "function" ? completer(typed, context) : search(completer, typed);
  return whenDone(found, toResult);
}

/** Suggestions as a result; without any where there is no completer. */
export function toResult(suggestions: readonly string[] | Suggestions): CompleteResult {
  const { values, total, hasMore } = isSuggestions(suggestions) ? suggestions : { values: suggestions };
  if (!Array.isArray(values) || !values.every((value) => typeof value === "string")) {
    throw new UsageError("expected a completer to give a list of strings");
  }
  const all = total ?? (hasMore === true ? undefined : values.length);
  return {
    completion: {
      values: values.slice(0, maxValues),
      ...(all === undefined ? undefined : { total: all }),
      hasMore: hasMore === true || values.length > maxValues || (total ?? 0) > values.length,
    },
  };
}

function isSuggestions(suggestions: readonly string[] | Suggestions): suggestions is Suggestions {
  return "values" in suggestions && typeof suggestions.values !== "function";
}

/** Values that begin with what was typed, then those that hold it somewhere, whatever the case. */
function search(values: readonly string[], typed: string): readonly string[] {
  const wanted = typed.toLowerCase();
  const starting = values.filter((value) => value.toLowerCase().startsWith(wanted));
  const holding = values.filter((value) => {
    const at = value.toLowerCase().indexOf(wanted);
    return at > 0;
  });
  return [...starting, ...holding];
}

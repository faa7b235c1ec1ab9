/**
 * Under which names a store keeps things in Redis: everything under one prefix, and the keys of one log in one slot of a
 * cluster, because they share what stands between the first braces.
 */
import { UsageError } from "../../base/error.ts";

/** Keys and channels of one store. */
export interface Names {
  value(key: string): string;
  /** The key behind the name of a value. */
  keyOf(name: string): string;
  /** Matches the names of all values whose keys begin with a text. */
  valuePattern(start: string): string;
  /** Entries, state and tokens of a log. */
  log(log: string): readonly [string, string, string];
  topic(topic: string): string;
}

/**
 * Names under a prefix.
 *
 * @throws UsageError for a prefix with empty braces, which would spread the keys of a log over a cluster
 */
export function createNames(prefix: string): Names {
  if (prefix.includes("{}")) {
    throw new UsageError("prefix: expected a text without empty braces, which cluster mode takes as no hash tag");
  }
  const values = `${prefix}value:`;
  return {
    value: (key) => values + key,
    keyOf: (name) => name.slice(values.length),
    valuePattern: (start) => `${escapePattern(values + start)}*`,
    log: (log) => {
      const stream = `${prefix}{log:${log}}`;
      return [stream, `${stream}:state`, `${stream}:tokens`];
    },
    topic: (topic) => `${prefix}topic:${topic}`,
  };
}

function escapePattern(text: string): string {
  return text.replaceAll(/[\\*?[\]^]/g, "\\$&");
}

/**
 * Work that is done once per call, by key: later uses get the result of the first, also in a later run of the handler.
 *
 * What is kept travels with the client where a call takes several requests, so results must be JSON. Work that failed
 * is not kept and may be tried again.
 */
import { UsageError } from "../../base/error.ts";
import { isObject } from "../../base/json.ts";
import type { MaybePromise } from "../maybe.ts";

/** Results by key; a result of nothing has no `value`. */
export type Memories = { readonly [key: string]: { readonly value?: unknown } };

/** See the head of this file. */
export class Memo {
  readonly #memories: Map<string, { readonly value?: unknown }>;
  readonly #running = new Map<string, Promise<unknown>>();
  /** Keeps everything somewhere else too, before the result of new work is given. */
  keep: ((memories: Memories) => Promise<void>) | undefined;

  constructor(memories: Memories = {}) {
    this.#memories = new Map(Object.entries(memories));
  }

  /** Everything that is kept. */
  get memories(): Memories {
    return Object.fromEntries(this.#memories);
  }

  /**
   * The result of the work with this key; it runs unless it has run or is running.
   *
   * @throws UsageError where the result is not JSON; what the work throws
   */
  once<T>(key: string, work: () => MaybePromise<T>): Promise<T> {
    const kept = this.#memories.get(key);
    if (kept !== undefined) {
      return Promise.resolve(kept.value as T);
    }
    const running = this.#running.get(key) ?? this.#start(key, work);
    return running as Promise<T>;
  }

  /** Resolves when nothing is running, however it ended. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) {
      await Promise.allSettled(this.#running.values());
    }
  }

  #start(key: string, work: () => MaybePromise<unknown>): Promise<unknown> {
    const run = async (): Promise<unknown> => {
      try {
        const value = await work();
        const fault = findNonJson(value, key, 0);
        if (value !== undefined && fault !== undefined) {
          throw new UsageError(`once: ${fault}; give back what JSON can write, such as an id, and look up the rest`);
        }
        this.#memories.set(key, value === undefined ? {} : { value });
        await this.keep?.(this.memories);
        return value;
      } finally {
        this.#running.delete(key);
      }
    };
    // Begins in a later step, when it is known to be running: work that uses its own key does not begin again.
    const running = Promise.resolve().then(run);
    this.#running.set(key, running);
    return running;
  }
}

/** What of a value JSON would lose or change, if anything. */
export function findNonJson(value: unknown, at: string, depth: number): string | undefined {
  if (value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)) {
    return undefined;
  }
  if (depth > 100) {
    return `${at}: expected JSON nested at most 100 levels deep`;
  }
  if (Array.isArray(value)) {
    return first(value.entries(), ([index, item]) => findNonJson(item, `${at}[${index}]`, depth + 1));
  }
  const prototype: unknown = isObject(value) ? Object.getPrototypeOf(value) : undefined;
  if (!isObject(value) || (prototype !== Object.prototype && prototype !== null)) {
    const what = isObject(value) ? `an object of class ${value.constructor?.name ?? "unknown"}` : `a ${typeof value}`;
    return `${at}: expected JSON, got ${what}`;
  }
  return first(Object.entries(value), ([name, member]) =>
    member === undefined ? undefined : findNonJson(member, `${at}.${name}`, depth + 1),
  );
}

function first<T>(items: Iterable<T>, find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) {
      return found;
    }
  }
  return undefined;
}

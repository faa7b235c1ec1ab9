/** Logs in Redis: a stream each. A position is the time in milliseconds, or one more than the last. */
import { createId } from "../../base/id.ts";
import type { AppendOptions, Log, LogEntry, LogSlice } from "../contracts.ts";
import type { Commands } from "./commands.ts";
import { appendScript, dropScript, headScript } from "./log-scripts.ts";
import type { Names } from "./names.ts";
import { formatTtl } from "./values.ts";

/** An entry as Redis gives it: its id, and its fields with their names. */
type StreamEntry = readonly [id: unknown, fields: readonly unknown[]];

/** See the head of this file. */
export class RedisLog implements Log {
  readonly #commands: Commands;
  readonly #names: Names;

  constructor(commands: Commands, names: Names) {
    this.#commands = commands;
    this.#names = names;
  }

  async append(log: string, value: string, options: AppendOptions = {}): Promise<LogEntry> {
    const { ttlMs, maxEntries, maxBytes } = options;
    // An append whose reply was lost is made again with its token, by this store or by a client library that does so
    // unasked, and the server then answers what it did the first time. Refusing instead would leave it to every caller to
    // find out what is kept.
    const token = createId(16);
    const args = [token, value, formatTtl(ttlMs), formatLimit(maxEntries), formatLimit(maxBytes)];
    const outcome = await this.#commands.evaluate(appendScript, this.#names.log(log), args);
    const [position, previous] = outcome.value as [unknown, unknown];
    return { position: Number(position), previous: Number(previous), value };
  }

  async read(log: string, after = 0): Promise<LogSlice | undefined> {
    const names = this.#names.log(log);
    const range = ["XRANGE", names[0], `(${Math.max(0, Math.floor(after))}-0`, "+"];
    const { value } = await this.#commands.evaluateBefore(headScript, names, [], range);
    const [head, found] = value as [readonly [unknown, unknown] | null, readonly StreamEntry[]];
    if (head === null) {
      return undefined;
    }
    const [last, expired] = head.map(Number) as [number, number];
    const entries = found.map(toEntry).filter(({ position }) => position > expired);
    const [first] = entries;
    const follows = first === undefined ? last <= after : first.previous <= after;
    // Where the log was dropped and began again between the two, its first entry follows nothing.
    const isSame = last <= after || first === undefined || first.position <= last;
    return { entries, complete: follows && isSame };
  }

  async drop(log: string): Promise<void> {
    await this.#commands.evaluate(dropScript, this.#names.log(log), []);
  }
}

function toEntry([id, [, value, , previous]]: StreamEntry): LogEntry {
  return { position: Number.parseInt(String(id), 10), previous: Number(previous), value: String(value) };
}

/** A limit as the script reads it; empty for none. */
function formatLimit(limit: number | undefined): string {
  return limit === undefined || limit === Number.POSITIVE_INFINITY ? "" : String(Math.max(0, Math.floor(limit)));
}

/** Values in Redis: one key each, which Redis itself removes when its time is up. */
import { createId } from "../../base/id.ts";
import type { DeleteOptions, KeyValue, SetOptions, StoredValue } from "../contracts.ts";
import type { Commands } from "./commands.ts";
import type { Names } from "./names.ts";
import { deleteScript, setScript, versionLength } from "./value-scripts.ts";

/** Longer than any clock lasts, and short enough for the server to add to its own, in milliseconds. */
const foreverMs = 1e15;

/** See the head of this file. */
export class RedisValues implements KeyValue {
  readonly #commands: Commands;
  readonly #names: Names;

  constructor(commands: Commands, names: Names) {
    this.#commands = commands;
    this.#names = names;
  }

  async get(key: string): Promise<StoredValue | undefined> {
    const { value } = await this.#commands.run(["GET", this.#names.value(key)]);
    if (value === null) {
      return undefined;
    }
    const text = String(value);
    return { value: text.slice(versionLength), version: text.slice(0, versionLength) };
  }

  async set(key: string, value: string, { ttlMs, ifVersion }: SetOptions = {}): Promise<string | undefined> {
    const name = this.#names.value(key);
    // Random, so that it differs also from that of a value which has been deleted since.
    const version = createId(versionLength);
    const ttl = formatTtl(ttlMs);
    if (ifVersion === undefined && ttl !== "0") {
      // Made twice it is one write that comes later: like any without a condition, it takes the place of what is there.
      await this.#commands.run(["SET", name, version + value, ...(ttl === "" ? [] : ["PX", ttl])]);
      return version;
    }
    const condition = ifVersion === undefined ? ["any"] : ifVersion === null ? ["absent"] : ["version", ifVersion];
    const outcome = await this.#commands.evaluate(setScript, [name], [version, value, ttl, ...condition]);
    return this.#commands.readDone(outcome) ? version : undefined;
  }

  async delete(key: string, { ifVersion }: DeleteOptions = {}): Promise<boolean> {
    const name = this.#names.value(key);
    const outcome =
      ifVersion === undefined
        ? await this.#commands.run(["DEL", name])
        : await this.#commands.evaluate(deleteScript, [name], [ifVersion]);
    return this.#commands.readDone(outcome);
  }

  async *keys(prefix: string): AsyncGenerator<string, void, undefined> {
    const pattern = this.#names.valuePattern(prefix);
    const seen = new Set<string>();
    let cursor = "0";
    do {
      const { value } = await this.#commands.run(["SCAN", cursor, "MATCH", pattern, "COUNT", "1000"]);
      const [next, names] = value as [unknown, unknown[]];
      for (const name of names.map(String)) {
        if (!seen.has(name)) {
          seen.add(name);
          yield this.#names.keyOf(name);
        }
      }
      cursor = String(next);
    } while (cursor !== "0");
  }
}

/** Whole milliseconds; empty for no end, `0` for what is over at once, as is what is no number above zero. */
export function formatTtl(ttlMs: number = Number.POSITIVE_INFINITY): string {
  if (ttlMs >= foreverMs) {
    return "";
  }
  return ttlMs > 0 ? String(Math.ceil(ttlMs)) : "0";
}

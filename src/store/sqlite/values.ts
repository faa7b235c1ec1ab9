/** Values by key in a table. Each operation is one statement, in which `ifVersion` and expiry are decided too. */
import { createId } from "../../base/id.ts";
import type { Clock } from "../../base/timer.ts";
import type { DeleteOptions, KeyValue, SetOptions, StoredValue } from "../contracts.ts";
import type { Connection } from "./connection.ts";
import { toTtl, toWhole } from "./expiry.ts";
import type { Statements } from "./statements.ts";
import { decodeText, encodeText } from "./text.ts";

const live = "(expires_at IS NULL OR expires_at > ?)";

const select = `SELECT value, version FROM parley_values WHERE key = ? AND ${live}`;
const replace = `INSERT INTO parley_values(key, version, expires_at, value) VALUES(?, ?, ?, ?)
  ON CONFLICT(key) DO UPDATE SET version = excluded.version, expires_at = excluded.expires_at, value = excluded.value`;
const begin = `${replace} WHERE NOT (parley_values.expires_at IS NULL OR parley_values.expires_at > ?)`;
const update = `UPDATE parley_values SET version = ?, expires_at = ?, value = ? WHERE key = ? AND ${live} AND version = ?`;
const remove = `DELETE FROM parley_values WHERE key = ? AND ${live}`;
const removeVersion = `${remove} AND version = ?`;
/** In the order of UTF-8, in which all keys with one prefix stand together. */
const listFrom = `SELECT key FROM parley_values WHERE key >= ? AND ${live} ORDER BY key LIMIT ?`;
const listBehind = `SELECT key FROM parley_values WHERE key > ? AND ${live} ORDER BY key LIMIT ?`;
const findExpired = "SELECT 1 FROM parley_values WHERE expires_at <= ? LIMIT 1";
const removeExpired =
  "DELETE FROM parley_values WHERE id IN (SELECT id FROM parley_values WHERE expires_at <= ? LIMIT ?)";

const keysAtATime = 500;

/** See the head of this file. */
export class Values implements KeyValue {
  readonly #connection: Connection;
  readonly #clock: Clock;

  constructor(connection: Connection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
  }

  async get(key: string): Promise<StoredValue | undefined> {
    const row = await this.#connection.read((statements) => statements.get(select, encodeText(key), this.#now()));
    return row === undefined ? undefined : { value: decodeText(row.value), version: String(row.version) };
  }

  async set(key: string, value: string, { ttlMs, ifVersion }: SetOptions = {}): Promise<string | undefined> {
    const version = createId(16);
    const ttl = toTtl(ttlMs);
    const [name, text] = [encodeText(key), encodeText(value)];
    const { changes } = await this.#connection.write((statements) => {
      const now = this.#now();
      const expiresAt = ttl === null ? null : now + ttl;
      if (ifVersion === undefined) {
        return statements.run(replace, name, version, expiresAt, text);
      }
      return ifVersion === null
        ? statements.run(begin, name, version, expiresAt, text, now)
        : statements.run(update, version, expiresAt, text, name, now, ifVersion);
    });
    return changes === 0 ? undefined : version;
  }

  async delete(key: string, { ifVersion }: DeleteOptions = {}): Promise<boolean> {
    const name = encodeText(key);
    const { changes } = await this.#connection.write((statements) =>
      ifVersion === undefined
        ? statements.run(remove, name, this.#now())
        : statements.run(removeVersion, name, this.#now(), ifVersion),
    );
    return changes > 0;
  }

  async *keys(prefix: string): AsyncGenerator<string, void, undefined> {
    const start = encodeText(prefix);
    let last: string | undefined;
    for (;;) {
      const from = last;
      const rows = await this.#connection.read((statements) =>
        from === undefined
          ? statements.all(listFrom, start, this.#now(), keysAtATime)
          : statements.all(listBehind, from, this.#now(), keysAtATime),
      );
      for (const { key } of rows) {
        last = String(key);
        if (!last.startsWith(start)) {
          return;
        }
        yield decodeText(last);
      }
      if (rows.length < keysAtATime) {
        return;
      }
    }
  }

  /** Whether something has expired. */
  isDue(statements: Statements): boolean {
    return statements.get(findExpired, this.#now()) !== undefined;
  }

  /**
   * Removes some of what has expired.
   *
   * @param limit - most values that are removed
   * @returns whether there may be more to remove
   */
  sweep(statements: Statements, limit: number): boolean {
    return statements.run(removeExpired, this.#now(), limit).changes === limit;
  }

  #now(): number {
    return toWhole(this.#clock.now());
  }
}

/**
 * Logs in two tables: one row for each log, which says where it ends and what it keeps, and one for each entry.
 *
 * Where a log that was forgotten ended is remembered for all of them in one number, behind which every log begins.
 */
import type { Clock } from "../../base/timer.ts";
import type { AppendOptions, Log, LogEntry, LogSlice } from "../contracts.ts";
import type { Connection } from "./connection.ts";
import { toTtl, toWhole } from "./expiry.ts";
import { dropOldest, type LogState } from "./log-limits.ts";
import type { Statements } from "./statements.ts";
import { decodeText, encodeText } from "./text.ts";

const selectLog = "SELECT id, last, last_at, oldest_at, count, bytes, ttl FROM parley_logs WHERE name = ?";
const selectDue = `SELECT id, last, last_at, oldest_at, count, bytes, ttl FROM parley_logs
  WHERE ttl IS NOT NULL AND oldest_at + ttl <= ? LIMIT ?`;
const insertLog =
  "INSERT INTO parley_logs(name, last, last_at, oldest_at, count, bytes, ttl) VALUES(?, 0, 0, ?, 0, 0, NULL)";
/** Apart from the next, because columns with an index are dear to write. */
const updateLog = "UPDATE parley_logs SET last = ?, last_at = ?, count = ?, bytes = ? WHERE id = ?";
const updateLogAndAge =
  "UPDATE parley_logs SET last = ?, last_at = ?, oldest_at = ?, count = ?, bytes = ?, ttl = ? WHERE id = ?";
const deleteLog = "DELETE FROM parley_logs WHERE id = ?";
const insertEntry = "INSERT INTO parley_entries(log, position, previous, at, size, value) VALUES(?, ?, ?, ?, ?, ?)";
const selectEntries = `SELECT position, previous, value FROM parley_entries
  WHERE log = ? AND position > ? AND at > ? ORDER BY position`;
const deleteEntries = "DELETE FROM parley_entries WHERE log = ?";
const selectFloor = "SELECT value FROM parley_state WHERE name = 'floor'";
const raiseFloor = "UPDATE parley_state SET value = max(value, ?) WHERE name = 'floor'";

/** Logs looked at in one step of sweeping. */
const logsAtATime = 50;

/** See the head of this file. */
export class Logs implements Log {
  readonly #connection: Connection;
  readonly #clock: Clock;

  constructor(connection: Connection, clock: Clock) {
    this.#connection = connection;
    this.#clock = clock;
  }

  append(log: string, value: string, { ttlMs, maxEntries, maxBytes }: AppendOptions = {}): Promise<LogEntry> {
    const limits = { ttl: toTtl(ttlMs), maxEntries, maxBytes };
    const [name, text, size] = [encodeText(log), encodeText(value), 2 * value.length];
    return this.#connection.write((statements) => {
      const now = toWhole(this.#clock.now());
      const found = findLog(statements, name, now) ?? beginLog(statements, name, now);
      const position = Math.max(now, found.last + 1, found.last === 0 ? readFloor(statements) + 1 : 0);
      // Entries never grow younger, also where the clock is put back.
      const at = Math.max(now, found.lastAt);
      statements.run(insertEntry, found.id, position, found.last, at, size, text);
      const grown = {
        ...found,
        last: position,
        lastAt: at,
        count: found.count + 1,
        bytes: found.bytes + size,
        ttl: limits.ttl,
      };
      const kept = dropOldest(statements, grown, { ...limits, now, keepsNewest: true });
      saveLog(statements, kept, found.ttl !== kept.ttl || isDue(found, now));
      return { position, previous: found.last, value };
    });
  }

  read(log: string, after = 0): Promise<LogSlice | undefined> {
    const name = encodeText(log);
    return this.#connection.read((statements) =>
      statements.transaction("deferred", () => {
        const now = toWhole(this.#clock.now());
        const found = statements.get(selectLog, name);
        if (found === undefined) {
          return undefined;
        }
        const state = toState(found);
        if (hasExpired(state, now)) {
          return undefined;
        }
        const expiredAt = state.ttl === null ? -1 : now - state.ttl;
        const entries = statements.all(selectEntries, state.id, after, expiredAt).map((row) => ({
          position: Number(row.position),
          previous: Number(row.previous),
          value: decodeText(row.value),
        }));
        return { entries, complete: (entries[0]?.previous ?? state.last) <= after };
      }),
    );
  }

  drop(log: string): Promise<void> {
    const name = encodeText(log);
    return this.#connection.write((statements) => {
      const found = statements.get(selectLog, name);
      if (found !== undefined) {
        forgetLog(statements, toState(found));
      }
    });
  }

  /** Whether some entry may have expired. */
  isDue(statements: Statements): boolean {
    return statements.get(selectDue, toWhole(this.#clock.now()), 1) !== undefined;
  }

  /**
   * Removes some entries that have expired, and logs of which none is left.
   *
   * @param limit - most entries that are removed
   * @returns whether there may be more to remove
   */
  sweep(statements: Statements, limit: number): boolean {
    const now = toWhole(this.#clock.now());
    const rows = statements.all(selectDue, now, logsAtATime);
    let left = limit;
    for (const row of rows) {
      const state = toState(row);
      const kept = dropOldest(statements, state, { ttl: state.ttl, now, keepsNewest: false, maxDropped: left });
      left -= state.count - kept.count;
      if (kept.count === 0) {
        forgetLog(statements, kept);
      } else {
        saveLog(statements, kept, true);
      }
      if (left <= 0) {
        return true;
      }
    }
    return rows.length === logsAtATime;
  }
}

function toState(row: Readonly<Record<string, unknown>>): LogState {
  return {
    id: Number(row.id),
    last: Number(row.last),
    lastAt: Number(row.last_at),
    oldestAt: Number(row.oldest_at),
    count: Number(row.count),
    bytes: Number(row.bytes),
    ttl: row.ttl === null ? null : Number(row.ttl),
  };
}

/** The state of a log, unless it has expired as a whole; then it is forgotten here. */
function findLog(statements: Statements, name: string, now: number): LogState | undefined {
  const row = statements.get(selectLog, name);
  const state = row === undefined ? undefined : toState(row);
  if (state !== undefined && hasExpired(state, now)) {
    forgetLog(statements, state);
    return undefined;
  }
  return state;
}

function beginLog(statements: Statements, name: string, now: number): LogState {
  const { lastId } = statements.run(insertLog, name, now);
  return { id: lastId, last: 0, lastAt: 0, oldestAt: now, count: 0, bytes: 0, ttl: null };
}

function saveLog(statements: Statements, state: LogState, savesAge: boolean): void {
  const { id, last, lastAt, oldestAt, count, bytes, ttl } = state;
  if (savesAge) {
    statements.run(updateLogAndAge, last, lastAt, oldestAt, count, bytes, ttl, id);
  } else {
    statements.run(updateLog, last, lastAt, count, bytes, id);
  }
}

function forgetLog(statements: Statements, { id, last }: LogState): void {
  statements.run(deleteEntries, id);
  statements.run(deleteLog, id);
  statements.run(raiseFloor, last);
}

function readFloor(statements: Statements): number {
  return Number(statements.get(selectFloor)?.value ?? 0);
}

/** Whether an entry may have expired. */
function isDue({ oldestAt, ttl }: LogState, now: number): boolean {
  return ttl !== null && oldestAt + ttl <= now;
}

/** Whether all entries have. */
function hasExpired({ lastAt, ttl }: LogState, now: number): boolean {
  return ttl !== null && lastAt + ttl <= now;
}

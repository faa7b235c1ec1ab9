/** What a log keeps: its oldest entries go while there are too many, too much or too old ones. */
import type { Statements } from "./statements.ts";

/** A log as its row has it. */
export interface LogState {
  readonly id: number;
  /** The position of its newest entry; 0 before the first. */
  readonly last: number;
  /** When the newest entry came, in milliseconds since the epoch. */
  readonly lastAt: number;
  /** When the oldest entry that is kept came, or earlier. */
  readonly oldestAt: number;
  readonly count: number;
  readonly bytes: number;
  /** How long entries are kept, in milliseconds; `null` for as long as the log is. */
  readonly ttl: number | null;
}

/** What is dropped. */
export interface LogLimits {
  readonly ttl: number | null;
  readonly maxEntries?: number | undefined;
  readonly maxBytes?: number | undefined;
  /** In whole milliseconds. */
  readonly now: number;
  /** Whether the newest entry stays in any case. */
  readonly keepsNewest: boolean;
  /** How many entries may go at once. Default: all that have to. */
  readonly maxDropped?: number | undefined;
}

const selectOldest = "SELECT position, at, size FROM parley_entries WHERE log = ? ORDER BY position LIMIT ?";
const deleteUpTo = "DELETE FROM parley_entries WHERE log = ? AND position <= ?";

/** Mostly one entry goes for one that comes; the first look is at that one and at the one behind it. */
const firstLook = 2;
const longestLook = 128;

/**
 * Deletes the oldest entries of a log until its limits hold.
 *
 * @returns the state of the log then, which is not written here
 */
export function dropOldest(statements: Statements, before: LogState, limits: LogLimits): LogState {
  let state = before;
  let { maxDropped = Number.POSITIVE_INFINITY } = limits;
  for (let look = firstLook; isBeyond(state, state.oldestAt, limits) && maxDropped > 0; look *= 4) {
    const rows = statements.all(selectOldest, state.id, Math.min(look, longestLook, maxDropped));
    let { count, bytes, oldestAt } = state;
    let cut = 0;
    for (const row of rows) {
      oldestAt = Number(row.at);
      if (!isBeyond({ count, bytes }, oldestAt, limits)) {
        break;
      }
      count -= 1;
      bytes -= Number(row.size);
      cut = Number(row.position);
    }
    if (cut > 0) {
      statements.run(deleteUpTo, state.id, cut);
    }
    maxDropped -= state.count - count;
    state = { ...state, count, bytes, oldestAt };
    if (cut === 0) {
      break;
    }
  }
  return state;
}

/** Whether the oldest entry, which came at a time, has to go. */
function isBeyond(
  { count, bytes }: Pick<LogState, "count" | "bytes">,
  oldestAt: number,
  { ttl, maxEntries = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY, now, keepsNewest }: LogLimits,
): boolean {
  if (count <= (keepsNewest ? 1 : 0)) {
    return false;
  }
  return count > maxEntries || bytes > maxBytes || (ttl !== null && oldestAt + ttl <= now);
}

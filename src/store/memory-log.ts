/**
 * The logs of a store in memory. All of them share one bound; beyond it the oldest entries go, whichever log they are in.
 *
 * A log whose last entry goes is forgotten. What stays of it is one number for all such logs, so that a log that begins
 * again does so behind where it ended.
 */
import type { Clock } from "../base/timer.ts";
import type { AppendOptions, LogEntry, LogSlice } from "./contracts.ts";
import { type Due, DueQueue } from "./due-queue.ts";
import { StoreError } from "./error.ts";

/** An entry, and where it stands among those of all logs. */
interface Kept {
  readonly entry: LogEntry;
  readonly log: KeptLog;
  readonly atMs: number;
  older: Kept | undefined;
  newer: Kept | undefined;
}

interface KeptLog {
  readonly name: string;
  /** Those before `start` are gone; their places are given up now and then. */
  entries: (Kept | undefined)[];
  start: number;
  /** Bytes of values. */
  bytes: number;
  last: number;
  limits: AppendOptions;
  /** When the oldest entry expires. */
  due: Due<KeptLog> | undefined;
}

/** What an entry costs beside its text, in bytes, about. */
const bytesBeside = 200;

/** See the head of this file. */
export class MemoryLog {
  readonly #maxBytes: number;
  readonly #clock: Clock;
  readonly #logs = new Map<string, KeptLog>();
  readonly #expiry: DueQueue<KeptLog>;
  #oldest: Kept | undefined;
  #newest: Kept | undefined;
  #entries = 0;
  #bytes = 0;
  /** The last position of any log that was forgotten. */
  #floor = 0;

  constructor(maxBytes: number, clock: Clock) {
    this.#maxBytes = maxBytes;
    this.#clock = clock;
    this.#expiry = new DueQueue(clock, (log, now) => {
      log.due = undefined;
      this.#dropAged(log, now);
    });
  }

  get logs(): number {
    return this.#logs.size;
  }

  get entries(): number {
    return this.#entries;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** @throws StoreError for an entry that is larger than the bound of all logs */
  append(name: string, value: string, limits: AppendOptions = {}): LogEntry {
    this.#expiry.run();
    const size = sizeOf(name, value);
    if (size > this.#maxBytes) {
      throw new StoreError(
        "full",
        `expected an entry of at most ${this.#maxBytes} bytes, which is the bound of all logs in memory, got one of ${size}; raise maxLogBytes`,
      );
    }
    const log = this.#logs.get(name) ?? this.#begin(name, limits);
    const now = this.#clock.now();
    const isFirst = log.start === log.entries.length;
    const entry = {
      position: Math.max(now, log.last + 1),
      previous: isFirst ? 0 : log.last,
      value,
    };
    this.#add({ entry, log, atMs: now, older: this.#newest, newer: undefined });
    log.limits = limits;
    this.#trim(log, now);
    while (this.#bytes > this.#maxBytes && this.#oldest !== undefined) {
      this.#dropOldest(this.#oldest.log);
    }
    this.#plan(log);
    return entry;
  }

  read(name: string, after = 0): LogSlice | undefined {
    this.#expiry.run();
    const log = this.#logs.get(name);
    if (log === undefined) {
      return undefined;
    }
    const kept = log.entries.slice(findBehind(log, after));
    return {
      entries: kept.flatMap((each) => (each === undefined ? [] : [each.entry])),
      complete: (log.entries[log.start]?.entry.previous ?? 0) <= after,
    };
  }

  drop(name: string): void {
    const log = this.#logs.get(name);
    while (log !== undefined && log.start < log.entries.length) {
      this.#dropOldest(log);
    }
  }

  clear(): void {
    this.#expiry.clear();
    this.#logs.clear();
    this.#oldest = undefined;
    this.#newest = undefined;
    this.#entries = 0;
    this.#bytes = 0;
  }

  #begin(name: string, limits: AppendOptions): KeptLog {
    const log = { name, entries: [], start: 0, bytes: 0, last: this.#floor, limits, due: undefined };
    this.#logs.set(name, log);
    return log;
  }

  #add(kept: Kept): void {
    const { log, entry } = kept;
    if (this.#newest === undefined) {
      this.#oldest = kept;
    } else {
      this.#newest.newer = kept;
    }
    this.#newest = kept;
    this.#entries += 1;
    this.#bytes += sizeOf(log.name, entry.value);
    log.entries.push(kept);
    log.bytes += 2 * entry.value.length;
    log.last = entry.position;
  }

  /** Keeps to the limits of a log, but for the newest entry, which stays. */
  #trim(log: KeptLog, now: number): void {
    const { maxEntries = Number.POSITIVE_INFINITY, maxBytes = Number.POSITIVE_INFINITY } = log.limits;
    while (countOf(log) > 1 && (countOf(log) > maxEntries || log.bytes > maxBytes)) {
      this.#dropOldest(log);
    }
    this.#dropAged(log, now);
  }

  /** Drops what has expired, and plans when the next one does. */
  #dropAged(log: KeptLog, now: number): void {
    for (let at = expiryOf(log); at !== undefined && at <= now; at = expiryOf(log)) {
      this.#dropOldest(log);
    }
    this.#plan(log);
  }

  #dropOldest(log: KeptLog): void {
    const kept = log.entries[log.start];
    if (kept === undefined) {
      return;
    }
    this.#unlink(kept);
    log.entries[log.start] = undefined;
    log.start += 1;
    log.bytes -= 2 * kept.entry.value.length;
    if (countOf(log) === 0) {
      this.#forget(log);
    } else if (log.start > 32 && log.start * 2 > log.entries.length) {
      log.entries = log.entries.slice(log.start);
      log.start = 0;
    }
  }

  #unlink(kept: Kept): void {
    const { older, newer, log, entry } = kept;
    if (older === undefined) {
      this.#oldest = newer;
    } else {
      older.newer = newer;
    }
    if (newer === undefined) {
      this.#newest = older;
    } else {
      newer.older = older;
    }
    this.#entries -= 1;
    this.#bytes -= sizeOf(log.name, entry.value);
  }

  #forget(log: KeptLog): void {
    this.#logs.delete(log.name);
    this.#floor = Math.max(this.#floor, log.last);
    this.#plan(log);
  }

  #plan(log: KeptLog): void {
    const at = expiryOf(log);
    if (log.due?.atMs === at) {
      return;
    }
    if (log.due !== undefined) {
      this.#expiry.remove(log.due);
    }
    log.due = at === undefined ? undefined : this.#expiry.add(log, at);
  }
}

function countOf(log: KeptLog): number {
  return log.entries.length - log.start;
}

/** When the oldest entry of a log expires; `undefined` for never. */
function expiryOf({ entries, start, limits: { ttlMs } }: KeptLog): number | undefined {
  const oldest = entries[start];
  if (oldest === undefined || ttlMs === undefined || ttlMs === Number.POSITIVE_INFINITY) {
    return undefined;
  }
  // What is no number of milliseconds is a time that is over, as it is for values.
  return Number.isNaN(ttlMs) ? oldest.atMs : oldest.atMs + ttlMs;
}

/** The index of the first entry behind a position. */
function findBehind({ entries, start }: KeptLog, after: number): number {
  let [low, high] = [start, entries.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.entry.position ?? 0) > after) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

function sizeOf(name: string, value: string): number {
  return 2 * (name.length + value.length) + bytesBeside;
}

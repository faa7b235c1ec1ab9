/**
 * One value as backends that hold all of them at once keep it, and the rules of expiry and of `ifVersion` on a map of such.
 *
 * Pure: where the map comes from, how big it may be and who else writes is the backend's.
 */
import type { StoredValue } from "./contracts.ts";

/** A value and when it is gone. */
export interface Entry extends StoredValue {
  /** Milliseconds since the epoch; `Infinity` where it stays. */
  readonly expiresAtMs: number;
}

/** Entries by key, expired ones included until they are dropped. */
export type Entries = Map<string, Entry>;

/**
 * An entry that is written now.
 *
 * @param ttlMs - default: it stays. What is no number of milliseconds above zero makes it expired at once.
 */
export function toEntry(value: string, version: string, now: number, ttlMs: number = Number.POSITIVE_INFINITY): Entry {
  return { value, version, expiresAtMs: now + ttlMs };
}

/** Whether it still counts. The negation of this is right for `NaN` too. */
export function isLive(entry: Entry, now: number): boolean {
  return entry.expiresAtMs > now;
}

/** The entry of a key, unless it has expired. */
export function findLive(entries: ReadonlyMap<string, Entry>, key: string, now: number): Entry | undefined {
  const entry = entries.get(key);
  return entry !== undefined && isLive(entry, now) ? entry : undefined;
}

/**
 * Whether `ifVersion` holds.
 *
 * @param found - the live entry, where there is one
 * @param ifVersion - a version, `null` for no value, `undefined` for whatever is there
 */
export function isExpected(found: Entry | undefined, ifVersion: string | null | undefined): boolean {
  return ifVersion === undefined || (found?.version ?? null) === ifVersion;
}

/** Removes what has expired. */
export function dropExpired(entries: Entries, now: number): void {
  for (const [key, entry] of entries) {
    if (!isLive(entry, now)) {
      entries.delete(key);
    }
  }
}

/** Keys with a live entry that begin with a prefix, as they are now. */
export function listKeys(entries: ReadonlyMap<string, Entry>, prefix: string, now: number): string[] {
  return [...entries].flatMap(([key, entry]) => (key.startsWith(prefix) && isLive(entry, now) ? [key] : []));
}

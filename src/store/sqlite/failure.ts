/** What an error of SQLite means to a store: wait and try again, or give up and say why. */
import { isMcpError } from "../../base/error.ts";
import { StoreError } from "../error.ts";

/** Primary result codes for a lock that somebody else holds: SQLITE_BUSY and SQLITE_LOCKED. */
const lockCodes: readonly unknown[] = [5, 6];

/** Whether another connection was in the way, so that the same may work in a moment. */
export function isBusy(error: unknown): boolean {
  if (typeof error !== "object" || error === null) {
    return false;
  }
  // node:sqlite tells by number (`errcode`), the others by name (`code`); extended codes carry the primary one below.
  const { code, errcode } = error as { readonly code?: unknown; readonly errcode?: unknown };
  return (
    (typeof code === "string" && /^SQLITE_(BUSY|LOCKED)/.test(code)) ||
    (typeof errcode === "number" && lockCodes.includes(errcode % 256))
  );
}

/**
 * The error for the caller of a store; one of this library stays what it is.
 *
 * @param name - of the database, as messages have it
 */
export function toStoreError(error: unknown, name: string): Error {
  if (isMcpError(error)) {
    return error;
  }
  // SQLite's messages name tables and columns, never what is in them.
  const reason = error instanceof Error ? error.message : String(error);
  return new StoreError("unavailable", `${name} could not be used: ${reason}`, { cause: error });
}

/**
 * The error for the caller who waited for a lock in vain.
 *
 * @param timeoutMs - how long it was waited for
 */
export function toBusyError(error: unknown, name: string, timeoutMs: number): StoreError {
  return new StoreError(
    "unavailable",
    `${name} was locked by another connection for longer than ${timeoutMs} ms; look for a long transaction on it, or raise timeoutMs`,
    { cause: error },
  );
}

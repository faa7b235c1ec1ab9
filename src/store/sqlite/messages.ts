/**
 * Messages in a table, for the short time until every process has looked.
 *
 * Ids are given in the order of commits and without a gap, so one that is lacking was removed before it was read.
 */
import type { Row, Statements } from "./statements.ts";
import { decodeText, encodeText } from "./text.ts";

/** A message as it was read. */
export interface KeptMessage {
  readonly id: number;
  readonly sender: string;
  readonly topic: string;
  readonly message: string;
}

/** How long a message is kept at least, in milliseconds: whoever does not look for so long is told that it missed some. */
const keptMs = 30_000;
/** How many messages are kept at least, unless they are older than that. */
const keptCount = 4_096;
/** Every so many messages twice as many at most are removed, so that the table shrinks again. */
const messagesPerRemoval = 256;

const insert = "INSERT INTO parley_messages(sender, sent_at, topic, message) VALUES(?, ?, ?, ?)";
const selectLast = "SELECT seq FROM sqlite_sequence WHERE name = 'parley_messages'";
const selectBehind = "SELECT id, sender, topic, message FROM parley_messages WHERE id > ? ORDER BY id LIMIT ?";
const findOld = "SELECT 1 FROM parley_messages WHERE sent_at <= ? LIMIT 1";
const deleteOld = `DELETE FROM parley_messages
  WHERE id IN (SELECT id FROM parley_messages WHERE sent_at <= ? ORDER BY id LIMIT ?)`;
const deleteUpTo = `DELETE FROM parley_messages
  WHERE id IN (SELECT id FROM parley_messages WHERE id <= ? ORDER BY id LIMIT ?)`;
/** Changes when another connection has committed, and when this one has written. Neither looks at a table. */
const selectForeign = "PRAGMA data_version";
const selectOwn = "SELECT total_changes() AS changes";

/** Adds a message and gives its id. */
export function addMessage(
  statements: Statements,
  { sender, topic, message }: Omit<KeptMessage, "id">,
  now: number,
): number {
  return statements.run(insert, sender, now, encodeText(topic), encodeText(message)).lastId;
}

/** The id of the newest message, kept or not; 0 where there never was one. */
export function findLastId(statements: Statements): number {
  return Number(statements.get(selectLast)?.seq ?? 0);
}

/** The messages behind an id, the oldest first, at most so many. */
export function readMessages(statements: Statements, after: number, limit: number): KeptMessage[] {
  return statements.all(selectBehind, after, limit).map(toMessage);
}

function toMessage({ id, sender, topic, message }: Row): KeptMessage {
  return { id: Number(id), sender: String(sender), topic: decodeText(topic), message: decodeText(message) };
}

/** A text that differs whenever something may have been written since. */
export function readChanges(statements: Statements): string {
  return `${statements.get(selectForeign)?.data_version} ${statements.get(selectOwn)?.changes}`;
}

/** Whether some message is too old. */
export function hasOldMessages(statements: Statements, now: number): boolean {
  return statements.get(findOld, now - keptMs) !== undefined;
}

/**
 * Removes some messages that are too old.
 *
 * @returns whether there may be more to remove
 */
export function removeOldMessages(statements: Statements, now: number, limit: number): boolean {
  return statements.run(deleteOld, now - keptMs, limit).changes === limit;
}

/**
 * Removes, now and then, some messages that are too many.
 *
 * @param lastId - of the one that was just added
 */
export function removeExcessMessages(statements: Statements, lastId: number): void {
  if (lastId % messagesPerRemoval === 0) {
    statements.run(deleteUpTo, lastId - keptCount, 2 * messagesPerRemoval);
  }
}

/**
 * What stands in the log of an event stream: messages for its client, and what nodes tell each other about it.
 *
 * Only encoding; who writes what is stream-writer.ts and standing-stream.ts, who reads it stream-reader.ts.
 */
import { isObject, parseJson } from "../../base/json.ts";
import type { RequestId } from "../../jsonrpc/message.ts";

/** A place in the standing stream: in its own log, and in the feed of changes. */
export interface StandingPlace {
  readonly position: number;
  readonly changes: number;
}

/** What an entry says. Messages are JSON text. */
export type StreamEntry =
  | { readonly kind: "message"; readonly text: string }
  /** The answer to one request, while others of the same POST are still worked on. */
  | { readonly kind: "answer"; readonly text: string; readonly id: RequestId }
  /** The stream ends behind this; the text is empty where there is no more to say. */
  | { readonly kind: "end"; readonly text: string }
  /** The writer lives: what it still owes, and the newest entry before this that a client gets. */
  | { readonly kind: "mark"; readonly unanswered: readonly RequestId[]; readonly last: number }
  /** Whoever is connected lets go, because a client connects at the node, or shall come back. */
  | { readonly kind: "release"; readonly node: string | undefined }
  /** The connection that began with the `release` at this position has ended; how far its client is, where it began. */
  | { readonly kind: "left"; readonly connection: number; readonly place: StandingPlace | undefined };

const letters = { message: "m", answer: "a", end: "e", mark: "k", release: "r", left: "l" } as const;

/** An entry as text. */
export function encodeEntry(entry: StreamEntry): string {
  switch (entry.kind) {
    case "message":
    case "end":
      return letters[entry.kind] + entry.text;
    case "answer":
      return `${letters.answer}${JSON.stringify(entry.id)} ${entry.text}`;
    default: {
      const { kind, ...content } = entry;
      return letters[kind] + JSON.stringify(content);
    }
  }
}

/** Reads an entry; `undefined` for what {@link encodeEntry} of this version did not write. */
export function decodeEntry(value: string): StreamEntry | undefined {
  const text = value.slice(1);
  switch (value[0]) {
    case letters.message:
      return { kind: "message", text };
    case letters.end:
      return { kind: "end", text };
    case letters.answer: {
      const match = /^("(?:[^"\\]|\\.)*"|-?[\d.eE+-]+) /.exec(text);
      const id = match?.[1] === undefined ? undefined : parse(match[1]);
      return isId(id) ? { kind: "answer", id, text: text.slice(match?.[0].length) } : undefined;
    }
    default:
      return decodeNote(value[0], parse(text));
  }
}

function decodeNote(letter: string | undefined, content: unknown): StreamEntry | undefined {
  if (!isObject(content)) {
    return undefined;
  }
  const { unanswered, last, node, connection, place } = content;
  if (letter === letters.mark && Array.isArray(unanswered) && typeof last === "number") {
    return { kind: "mark", unanswered: unanswered.filter(isId), last };
  }
  if (letter === letters.release) {
    return { kind: "release", node: typeof node === "string" ? node : undefined };
  }
  return letter === letters.left && typeof connection === "number"
    ? { kind: "left", connection, place: isPlace(place) ? place : undefined }
    : undefined;
}

function parse(text: string): unknown {
  const parsed = parseJson(text, 4);
  return parsed.ok ? parsed.value : undefined;
}

function isId(value: unknown): value is RequestId {
  return typeof value === "string" || typeof value === "number";
}

function isPlace(value: unknown): value is StandingPlace {
  return isObject(value) && typeof value.position === "number" && typeof value.changes === "number";
}

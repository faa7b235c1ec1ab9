/**
 * Event ids as they go over the wire: each names a stream and how far its client is in every log that stream is made of,
 * so that resuming needs nothing else, on any node [HTTP-035].
 *
 * Specification: Basic > Transports > Streamable HTTP > Resumability and Redelivery.
 */

/** A stream among all streams of all sessions. */
export interface StreamName {
  /** Whose it is. Letters, digits, `-` and `_`; hard to guess. */
  readonly owner: string;
  /** Which of the owner's: the standing one, or what {@link createStreamId} has made. */
  readonly stream: string;
}

/** What an event id says. */
export interface EventPlace extends StreamName {
  /** In the stream's own log. */
  readonly position: number;
  /** In the feed of changes, for the standing stream; 0 for others. */
  readonly changes: number;
}

/** The standing stream of a session. */
export const standingId = "0";

/** Names the stream of a POST uniquely among all nodes: by the node that writes it, and a number there. */
export function createStreamId(node: string, number: number): string {
  return `${number}-${node}`;
}

/** The node that writes a stream; `undefined` for the standing stream, which all nodes write. */
export function readWriter(stream: string): string | undefined {
  return stream === standingId ? undefined : stream.slice(stream.indexOf("-") + 1);
}

/** The name of a stream's log in the store. */
export function toLogName({ owner, stream }: StreamName): string {
  return `stream/${owner}/${stream}`;
}

/** An event's id as it goes over the wire. */
export function encodeEventId({ owner, stream, position, changes }: EventPlace): string {
  const id = `${owner}.${stream}.${position}`;
  return stream === standingId ? `${id}.${changes}` : id;
}

const postPattern = /^([A-Za-z0-9_-]{1,64})\.(\d{1,15}-[A-Za-z0-9_-]{1,64})\.(\d{1,15})$/;
const standingPattern = /^([A-Za-z0-9_-]{1,64})\.(0)\.(\d{1,15})\.(\d{1,15})$/;

/** Reads an event id; `undefined` for what {@link encodeEventId} cannot have made. */
export function parseEventId(id: string): EventPlace | undefined {
  const [, owner, stream, position, changes] = postPattern.exec(id) ?? standingPattern.exec(id) ?? [];
  return owner === undefined || stream === undefined
    ? undefined
    : { owner, stream, position: Number(position), changes: Number(changes ?? 0) };
}

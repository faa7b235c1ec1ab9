/**
 * The header names of Streamable HTTP, and what may stand in the headers that both sides read.
 *
 * Names are in lower case, as every edge looks them up. Media types are media-type.ts.
 * Specification: Basic > Transports > Streamable HTTP.
 */

/** Header names, in lower case. */
export const headerNames = {
  accept: "accept",
  authorization: "authorization",
  contentType: "content-type",
  /** Where a broken event stream is to go on. */
  lastEventId: "last-event-id",
  origin: "origin",
  /** The negotiated revision, on every request behind the handshake. */
  protocolVersion: "mcp-protocol-version",
  retryAfter: "retry-after",
  /** The session a request belongs to. */
  sessionId: "mcp-session-id",
} as const;

/** Longest session id that is taken, in characters. */
const maxSessionIdLength = 256;

/**
 * Whether a text can be a session id: visible ASCII, 0x21 to 0x7E, at most 256 characters.
 * Specification: Basic > Transports > Session management [HTTP-041].
 */
export function isSessionId(text: string): boolean {
  return text.length <= maxSessionIdLength && /^[\x21-\x7e]+$/.test(text);
}

/**
 * How long a `Retry-After` header asks to wait, in milliseconds.
 *
 * @param value - seconds or an HTTP date; anything else gives `undefined`
 * @param nowMs - milliseconds since the epoch, against which a date is measured
 */
export function parseRetryAfter(value: string | null | undefined, nowMs: number): number | undefined {
  const text = value?.trim() ?? "";
  if (/^\d{1,10}$/.test(text)) {
    return Number(text) * 1_000;
  }
  // A date begins with the name of a day; Date.parse alone would take many other things for one.
  const at = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : Math.max(0, at - nowMs);
}

/** A wait as the value of a `Retry-After` header: whole seconds, at least one. */
export function encodeRetryAfter(delayMs: number): string {
  return String(Math.max(1, Math.ceil(delayMs / 1_000)));
}

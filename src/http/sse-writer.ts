/**
 * Event streams as text: events, comments and the time to wait before reconnecting.
 *
 * Only encoding; when something is written, and to whom, is decided in server/. HTML Living Standard, section 9.2.
 */

/** One event. */
export interface SseEvent {
  /** What a client names to go on behind this event. Must hold no line break and no NUL. */
  readonly id?: string | undefined;
  /** The event's type; clients take `message` where there is none. Must hold no line break. */
  readonly event?: string | undefined;
  /** The payload. Line breaks are kept. An empty one is no message to the client, but its id counts. */
  readonly data: string;
}

/** Headers of every event stream. Proxies are told neither to store, to change nor to hold it back. */
export const eventStreamHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
} as const;

/** A comment: bytes that keep a connection open and that no client reports. */
export const keepAliveComment = ": keep-alive\n\n";

/** One event as text. */
export function encodeEvent({ id, event, data }: SseEvent): string {
  const head = `${event === undefined ? "" : `event: ${event}\n`}${id === undefined ? "" : `id: ${id}\n`}`;
  if (data.includes("\n") || data.includes("\r")) {
    return `${head}data: ${data.split(/\r\n|\r|\n/).join("\ndata: ")}\n\n`;
  }
  return data === "" ? `${head}data:\n\n` : `${head}data: ${data}\n\n`;
}

/**
 * How long a client waits before it reconnects, as a block of its own that is no event.
 *
 * @param retryMs - milliseconds; fractions are dropped
 */
export function encodeRetry(retryMs: number): string {
  return `retry: ${Math.trunc(retryMs)}\n\n`;
}

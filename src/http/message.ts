/**
 * The neutral request and reply that every HTTP edge converts to, so that policy is written once.
 *
 * No web `Request` or `Response` and no Node object appears here. A reply is either one text or a live event stream,
 * which the edge connects to the socket through a {@link Sink}.
 */

/** Response headers; names in lower case. */
export type HttpHeaders = { readonly [name: string]: string };

/** One HTTP request as the handler sees it. */
export interface HttpRequest {
  /** In upper case. */
  readonly method: string;
  /** Path and query as received; may also be absolute. */
  readonly url: string;
  /** Host and port that the client addressed; `undefined` where it named none. */
  readonly authority: string | undefined;
  /**
   * A header's value; several values are joined by a comma.
   *
   * @param name - in lower case
   */
  header(name: string): string | undefined;
  /**
   * Reads the body to its end. Called at most once.
   *
   * @param maxBytes - bytes that are taken; reading stops behind them
   */
  readBody(maxBytes: number): Promise<HttpBody>;
  /** Runs a listener once when the client is gone before it had its whole reply; at once when it already is. */
  onGone(listener: () => void): void;
}

/** The body of a request, or why there is none. */
export type HttpBody =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly reason: "too-large" | "not-utf8" | "broken-off" };

/** What a request is answered with. */
export type HttpReply = TextReply | StreamReply;

/** A reply that is there as a whole. */
export interface TextReply {
  readonly kind: "text";
  readonly status: number;
  readonly headers: HttpHeaders;
  /** Empty for a reply without a body. */
  readonly body: string;
  /** Whether the connection must be closed behind the reply, because not all of the request was read. */
  readonly closes?: boolean | undefined;
  /** Scopes that the caller would have needed, for whoever makes a challenge of them. No part of what is sent. */
  readonly neededScopes?: readonly string[] | undefined;
}

/** A reply whose body is written bit by bit. */
export interface StreamReply {
  readonly kind: "stream";
  readonly status: number;
  readonly headers: HttpHeaders;
  /** Called once by the edge, when the head of the reply is out or about to be. */
  open(sink: Sink): SinkListener;
}

/**
 * Where the text of a stream goes.
 *
 * Implementors promise: nothing here throws, whatever the state of the connection; what is written after the end or
 * after the client has gone is dropped; {@link SinkListener.closed} is called exactly once, also after `end` and `cut`.
 */
export interface Sink {
  /** Bytes accepted but not yet handed to the operating system. */
  readonly bufferedBytes: number;
  /** Writes text. False when the sender should wait for {@link SinkListener.drained}. */
  write(text: string): boolean;
  /** Ends the body in order, behind everything written. */
  end(): void;
  /** Drops the connection with whatever is still buffered. */
  cut(): void;
}

/** What a sink tells whoever writes to it. */
export interface SinkListener {
  /** More may be written. */
  drained(): void;
  /** The connection has ended, by either side. */
  closed(): void;
}

/** A text reply without a body. */
export function createEmptyReply(status: number, headers: HttpHeaders = {}): TextReply {
  return { kind: "text", status, headers, body: "" };
}

/** The path of a request target, without query: `/mcp` for `/mcp?x=1` and for `http://host/mcp`. */
export function toPath(url: string): string {
  const target = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/[^/?#]*/.exec(url);
  const rest = target === null ? url : url.slice(target[0].length);
  return /^[^?#]*/.exec(rest)?.[0] || "/";
}

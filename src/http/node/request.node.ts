/**
 * A request of `node:http` or `node:http2` as the neutral one. Nothing is copied until somebody asks for it.
 */
import { Buffer, isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { HttpBody, HttpRequest } from "../message.ts";

/** A request with what a body parser in front may have left on it. */
type ParsedMessage = IncomingMessage & { readonly body?: unknown };

/** The neutral request. */
export class NodeRequest implements HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly #message: ParsedMessage;
  readonly #response: ServerResponse;

  constructor(message: IncomingMessage, response: ServerResponse) {
    this.method = message.method ?? "GET";
    this.url = message.url ?? "/";
    this.#message = message;
    this.#response = response;
  }

  /** An absolute target wins over the header: RFC 9112, section 3.2.2. HTTP/2 has a field of its own. */
  get authority(): string | undefined {
    const absolute = /^[A-Za-z][A-Za-z0-9+.-]*:\/\/([^/?#]*)/.exec(this.url);
    return absolute?.[1] ?? this.header(":authority") ?? this.header("host");
  }

  header(name: string): string | undefined {
    // Node keeps the first of several credentials and drops the rest in silence: which one counts is not its to say.
    const value = name === "authorization" ? this.#credentials : this.#message.headers[name];
    return typeof value === "string" || value === undefined ? value : value.join(", ");
  }

  /** A request of `node:http2` has no distinct headers, and rejects repeated ones by itself. */
  get #credentials(): string | readonly string[] | undefined {
    const { headers, headersDistinct } = this.#message as Partial<IncomingMessage>;
    return headersDistinct === undefined ? headers?.authorization : headersDistinct.authorization;
  }

  readBody(maxBytes: number): Promise<HttpBody> {
    const { body } = this.#message;
    if (body !== undefined || this.#message.readableEnded) {
      return Promise.resolve(fromParser(body, maxBytes));
    }
    return collect(this.#message, maxBytes);
  }

  onGone(listener: () => void): void {
    const response = this.#response;
    const check = (): void => {
      if (!response.writableFinished) {
        listener();
      }
    };
    if (response.destroyed) {
      check();
    } else {
      response.once("close", check);
    }
  }
}

/** Reads a body to its end, or to one chunk behind the limit; what follows stays in the socket. */
function collect(message: IncomingMessage, maxBytes: number): Promise<HttpBody> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (body: HttpBody): void => {
      message.off("data", onData).off("end", onEnd).off("close", onBroken);
      resolve(body);
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > maxBytes) {
        message.pause();
        settle({ ok: false, reason: "too-large" });
        return;
      }
      chunks.push(chunk);
    };
    const onEnd = (): void => {
      const [first] = chunks;
      settle(toText(chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, size)));
    };
    const onBroken = (): void => settle({ ok: false, reason: "broken-off" });
    // The listener for errors stays: one may still come when nobody reads any more, and must find somebody.
    message.on("data", onData).on("end", onEnd).on("close", onBroken).on("error", onBroken);
    if (message.destroyed) {
      onBroken();
    }
  });
}

/** A body that a parser in front has read already, such as that of Express. */
function fromParser(body: unknown, maxBytes: number): HttpBody {
  if (body === undefined) {
    return { ok: false, reason: "broken-off" };
  }
  const bytes =
    body instanceof Uint8Array
      ? Buffer.from(body)
      : Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
  return bytes.length > maxBytes ? { ok: false, reason: "too-large" } : toText(bytes);
}

function toText(bytes: Buffer): HttpBody {
  if (!isUtf8(bytes)) {
    return { ok: false, reason: "not-utf8" };
  }
  const text = bytes.toString("utf8");
  return { ok: true, text: text.charCodeAt(0) === byteOrderMark ? text.slice(1) : text };
}

const byteOrderMark = 0xfeff;

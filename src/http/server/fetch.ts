/**
 * The web-standard edge: a `Request` to the neutral request, the neutral reply to a `Response`.
 */

import { parseUrl } from "../../base/url.ts";
import type { HttpBody, HttpReply, HttpRequest, Sink, SinkListener, StreamReply } from "../message.ts";

/** Bytes that a response stream takes before its writer is asked to wait. */
const highWaterMark = 65_536;

const decoder = /* @__PURE__ */ new TextDecoder("utf-8", { fatal: true });

const encoder = /* @__PURE__ */ new TextEncoder();

/** Serves a web request. Never rejects. */
export async function serveFetch(
  handle: (request: HttpRequest) => Promise<HttpReply>,
  request: Request,
): Promise<Response> {
  const reply = await handle(new FetchRequest(request));
  if (reply.kind === "stream") {
    return new Response(createBody(reply, request.signal), { status: reply.status, headers: reply.headers });
  }
  // A status such as 204 must come without any body, even an empty one.
  return new Response(reply.body === "" ? null : reply.body, { status: reply.status, headers: reply.headers });
}

class FetchRequest implements HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly authority: string | undefined;
  readonly #request: Request;

  constructor(request: Request) {
    const url = parseUrl(request.url);
    this.#request = request;
    this.method = request.method.toUpperCase();
    this.url = url === undefined ? request.url : `${url.pathname}${url.search}`;
    this.authority = request.headers.get("host") ?? url?.host;
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? undefined;
  }

  async readBody(maxBytes: number): Promise<HttpBody> {
    const chunks: Uint8Array[] = [];
    let size = 0;
    try {
      const reader = this.#request.body?.getReader();
      for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
        size += part.value.byteLength;
        if (size > maxBytes) {
          // Nobody waits for the rest; whether it could be called off changes nothing for the answer.
          reader?.cancel().catch(() => undefined);
          return { ok: false, reason: "too-large" };
        }
        chunks.push(part.value);
      }
    } catch {
      // Broken off by the client, or read by somebody before us: there is no body either way.
      return { ok: false, reason: "broken-off" };
    }
    try {
      return { ok: true, text: decoder.decode(concat(chunks, size)) };
    } catch {
      // A fatal decoder throws for nothing else.
      return { ok: false, reason: "not-utf8" };
    }
  }

  onGone(listener: () => void): void {
    const { signal } = this.#request;
    if (signal.aborted) {
      listener();
    } else {
      signal.addEventListener("abort", listener, { once: true });
    }
  }
}

function concat(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [first] = chunks;
  if (chunks.length === 1 && first !== undefined) {
    return first;
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.byteLength;
  }
  return whole;
}

/** A sink on a response stream. Ends with the stream, by whichever side. */
class ControllerSink implements Sink {
  readonly #controller: ReadableStreamDefaultController<Uint8Array>;
  #listener: SinkListener | undefined;
  #isClosed = false;

  constructor(controller: ReadableStreamDefaultController<Uint8Array>) {
    this.#controller = controller;
  }

  get bufferedBytes(): number {
    return this.#isClosed ? 0 : Math.max(0, highWaterMark - (this.#controller.desiredSize ?? highWaterMark));
  }

  /** Who is told. Told at once of an end that came before. */
  listen(listener: SinkListener): void {
    this.#listener = listener;
    if (this.#isClosed) {
      listener.closed();
    }
  }

  write(text: string): boolean {
    if (this.#isClosed) {
      return true;
    }
    this.#controller.enqueue(encoder.encode(text));
    return (this.#controller.desiredSize ?? 0) > 0;
  }

  end(): void {
    if (!this.#isClosed) {
      this.#controller.close();
      this.gone();
    }
  }

  cut(): void {
    if (!this.#isClosed) {
      this.#controller.error(new Error("the connection was cut because its client takes too little"));
      this.gone();
    }
  }

  drained(): void {
    this.#listener?.drained();
  }

  /** The stream has ended. */
  gone(): void {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#listener?.closed();
    }
  }
}

function createBody(reply: StreamReply, signal: AbortSignal): ReadableStream<Uint8Array> {
  let sink: ControllerSink | undefined;
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        const made = new ControllerSink(controller);
        sink = made;
        made.listen(reply.open(made));
        signal.addEventListener("abort", () => made.cut(), { once: true });
        if (signal.aborted) {
          made.cut();
        }
      },
      pull: () => sink?.drained(),
      cancel: () => sink?.gone(),
    },
    { highWaterMark, size: (chunk) => chunk.byteLength },
  );
}

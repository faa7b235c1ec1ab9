/**
 * The neutral reply written to a response of `node:http` or `node:http2`.
 */
import { Buffer } from "node:buffer";
import type { ServerResponse } from "node:http";
import type { HttpReply, Sink, SinkListener, StreamReply, TextReply } from "../message.ts";

/** Writes a reply, or connects a stream. Never throws for what the client does. */
export function writeReply(response: ServerResponse, reply: HttpReply): void {
  if (reply.kind === "stream") {
    writeStream(response, reply);
  } else if (!response.destroyed) {
    writeText(response, reply);
  }
}

function writeText(response: ServerResponse, { status, headers, body, closes }: TextReply): void {
  const all: { [name: string]: string | number } = { ...headers };
  if (status !== 204) {
    all["content-length"] = Buffer.byteLength(body);
  }
  // HTTP/2 has no such header, and closes streams, not connections.
  if (closes === true && response.req.httpVersionMajor < 2) {
    all.connection = "close";
  }
  response.writeHead(status, all);
  response.end(body);
}

function writeStream(response: ServerResponse, reply: StreamReply): void {
  const sink = new NodeSink(response);
  if (!response.destroyed) {
    response.writeHead(reply.status, reply.headers);
  }
  sink.listen(reply.open(sink));
  if (!response.destroyed && !response.writableEnded) {
    // A stream that has nothing to say yet must still show its head.
    response.flushHeaders();
  }
}

/** A sink on a response. */
class NodeSink implements Sink {
  readonly #response: ServerResponse;
  /** Responses of HTTP/2 do not say themselves that they are destroyed. */
  #isClosed = false;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  get bufferedBytes(): number {
    return this.#response.writableLength;
  }

  /** Who is told. Told at once of an end that came before. */
  listen(listener: SinkListener): void {
    if (this.#response.destroyed) {
      listener.closed();
      return;
    }
    this.#response.on("drain", () => listener.drained());
    this.#response.once("close", () => {
      this.#isClosed = true;
      listener.closed();
    });
  }

  write(text: string): boolean {
    return this.#isOver || this.#response.write(text);
  }

  end(): void {
    if (!this.#isOver) {
      this.#response.end();
    }
  }

  cut(): void {
    this.#response.destroy();
  }

  get #isOver(): boolean {
    return this.#isClosed || this.#response.destroyed || this.#response.writableEnded;
  }
}

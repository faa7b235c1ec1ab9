/**
 * Event streams read from chunks of bytes, over `eventsource-parser`: events with data, and what a later request
 * needs to resume the stream. It knows nothing of messages, connections or time.
 *
 * Specification: Basic > Transports > Sending messages, Resumability and redelivery.
 */
import { createParser, type EventSourceParser } from "eventsource-parser";
import { MessageTooLargeError } from "../jsonrpc/too-large.ts";
import { Utf8Reader } from "./utf8-reader.ts";

/** One event that carries data. */
export interface ServerSentEvent {
  /** The `event` field; `message` where there was none. */
  readonly type: string;
  readonly data: string;
}

/** Options of an {@link SseReader}. */
export interface SseReaderOptions {
  /** Largest event that is taken, in bytes of its data. */
  maxEventBytes: number;
  /** The id that this stream resumes, which counts until the stream gives another. */
  lastEventId?: string | undefined;
  /** Called for each event with data, in order. Comments and events without data never get here [HTTP-015]. */
  onEvent(event: ServerSentEvent): void;
  /** Called once when the bytes are not UTF-8. They are read with U+FFFD in their place. */
  onInvalidUtf8?: (() => void) | undefined;
  /**
   * Called for an event over the limit, with what is known of how its data begins and ends; reading goes on behind it.
   * Without this, such an event ends the stream.
   */
  onOversize?: ((error: MessageTooLargeError, head: string, tail: string) => void) | undefined;
}

/** Room for field names and ids beside the data of an event, in characters. */
const fieldRoom = 1_024;

/** How much is kept of either end of an event that is over the limit, in characters. */
const endLength = 4_096;

/** Reads one event stream. */
export class SseReader {
  readonly #options: SseReaderOptions;
  readonly #utf8: Utf8Reader;
  #parser: EventSourceParser;
  /** How the event that is being read began, as far as a chunk shows where it did. */
  #head = "";
  /** The end of what was read of an event that is being skipped. */
  #skipped: string | undefined;
  #lastEventId: string | undefined;
  #retryMs: number | undefined;
  #oversize: MessageTooLargeError | undefined;

  constructor(options: SseReaderOptions) {
    this.#options = options;
    this.#lastEventId = options.lastEventId;
    this.#utf8 = new Utf8Reader(() => options.onInvalidUtf8?.());
    this.#parser = this.#createParser();
  }

  /** The id of the last whole event that had one, also of one without data; it holds for all that follow. */
  get lastEventId(): string | undefined {
    return this.#lastEventId;
  }

  /** How long the server wants a client to wait before it connects again, in milliseconds. */
  get retryMs(): number | undefined {
    return this.#retryMs;
  }

  /**
   * Takes the next bytes. An event that is still incomplete when the stream ends never happened.
   *
   * @throws {@link MessageTooLargeError} when an event is over the limit; the stream cannot be read further
   */
  feed(chunk: Uint8Array): void {
    const text = this.#skip(this.#utf8.decode(chunk));
    if (this.#oversize === undefined && text !== "") {
      this.#head += text.slice(0, endLength - this.#head.length);
      this.#parser.feed(text);
    }
    if (this.#oversize !== undefined && this.#skipped === undefined) {
      this.#leave(this.#oversize, text);
    }
  }

  #createParser(): EventSourceParser {
    const { maxEventBytes } = this.#options;
    return createParser({
      maxBufferSize: maxEventBytes + fieldRoom,
      onEvent: ({ id, event, data }) => this.#receive(id, event ?? "message", data),
      onRetry: (retryMs) => {
        this.#retryMs = retryMs;
      },
      onError: ({ type }) => {
        if (type === "max-buffer-size-exceeded") {
          this.#refuse(maxEventBytes + 1);
        }
      },
    });
  }

  /** An event over the limit ends the stream, or is skipped to the empty line behind it. */
  #leave(oversize: MessageTooLargeError, text: string): void {
    if (this.#options.onOversize === undefined) {
      throw oversize;
    }
    // Whole events of this chunk have been read, so the one that is too long began behind the last of them.
    const start = Math.max(text.lastIndexOf("\n\n"), text.lastIndexOf("\n\r\n"), text.lastIndexOf("\r\r"));
    const begun = start === -1 ? text : text.slice(start).trimStart();
    this.#head = start === -1 ? this.#head : begun.slice(0, endLength);
    this.#skipped = begun.slice(-endLength);
  }

  /** What follows behind the event that is being skipped. */
  #skip(text: string): string {
    if (this.#skipped === undefined) {
      return text;
    }
    const whole = this.#skipped + text;
    const end = /\r\n\r\n|\n\n|\r\r/.exec(whole);
    if (end === null) {
      this.#skipped = whole.slice(-endLength);
      return "";
    }
    const oversize = this.#oversize ?? new MessageTooLargeError(0, this.#options.maxEventBytes);
    const [head, tail] = [this.#head, whole.slice(0, end.index).slice(-endLength)];
    this.#skipped = undefined;
    this.#oversize = undefined;
    this.#head = "";
    this.#parser = this.#createParser();
    this.#options.onOversize?.(oversize, head, tail);
    return whole.slice(end.index + end[0].length);
  }

  #receive(id: string | undefined, type: string, data: string): void {
    if (this.#oversize !== undefined) {
      return;
    }
    this.#head = "";
    const bytes = byteLength(data, this.#options.maxEventBytes);
    if (bytes > this.#options.maxEventBytes) {
      this.#refuseWhole(bytes, data);
      return;
    }
    if (id !== undefined) {
      // An empty id takes back the ones before: there is nothing to resume from.
      this.#lastEventId = id === "" ? undefined : id;
    }
    if (data !== "") {
      this.#options.onEvent({ type, data });
    }
  }

  #refuseWhole(sizeBytes: number, data: string): void {
    const { onOversize, maxEventBytes } = this.#options;
    if (onOversize === undefined) {
      this.#refuse(sizeBytes);
    } else {
      onOversize(new MessageTooLargeError(sizeBytes, maxEventBytes), data.slice(0, endLength), data.slice(-endLength));
    }
  }

  #refuse(sizeBytes: number): void {
    this.#oversize ??= new MessageTooLargeError(sizeBytes, this.#options.maxEventBytes);
  }
}

/** Size in UTF-8, or the number of characters where even that is over the limit or cannot reach it. */
function byteLength(text: string, limitBytes: number): number {
  return text.length > limitBytes || text.length * 3 <= limitBytes
    ? text.length
    : new TextEncoder().encode(text).length;
}

/**
 * The framing of stdio: one JSON value per line, in UTF-8, in both directions. Specification: Basic > Transports > stdio.
 *
 * Portable: bytes come from and lines go to whoever holds the streams. Cutting into lines is line-reader.ts.
 */
import { decodeText, encodeMessage } from "../jsonrpc/codec.ts";
import { rpcCodes } from "../jsonrpc/error.ts";
import type { ChannelProblem } from "../jsonrpc/link.ts";
import type { JsonRpcMessage } from "../jsonrpc/message.ts";
import { recoverId } from "../jsonrpc/recover-id.ts";
import { MessageTooLargeError } from "../jsonrpc/too-large.ts";
import { LineReader, type OversizeLine } from "./line-reader.ts";

/**
 * Longest message in either direction unless configured otherwise: 64 MiB. Several full-screen pictures in base64 fit;
 * a peer that never ends its line costs no more than this.
 */
export const defaultMaxMessageBytes: number = 64 * 1_048_576;

const excerptHead = 4_096;
const excerptTail = 1_024;

/** What a {@link MessageReader} delivers to. */
export interface MessageSink {
  /** One JSON value, not yet looked at. */
  message(value: unknown): void;
  /**
   * A line that gave no JSON value. Reading goes on behind it.
   *
   * @param line - its text, or as much of it as was kept
   */
  malformed(problem: ChannelProblem, line: string): void;
}

/** Reads messages from chunks of bytes that may be cut anywhere. */
export class MessageReader {
  readonly #sink: MessageSink;
  readonly #maxMessageBytes: number;
  readonly #lines: LineReader;
  readonly #strict = new TextDecoder("utf-8", { fatal: true });
  readonly #lenient = new TextDecoder("utf-8");

  /** @param maxMessageBytes - longest line that is parsed, in bytes */
  constructor(sink: MessageSink, maxMessageBytes: number) {
    this.#sink = sink;
    this.#maxMessageBytes = maxMessageBytes;
    this.#lines = new LineReader(
      { line: (bytes) => this.#receive(bytes), oversize: (line) => this.#receiveOversize(line) },
      maxMessageBytes,
    );
  }

  /** Takes the next bytes and delivers the messages that are complete with them. */
  push(chunk: Uint8Array): void {
    this.#lines.push(chunk);
  }

  /** The stream ended: a last message without a line break is delivered too. */
  end(): void {
    this.#lines.end();
  }

  #receive(bytes: Uint8Array): void {
    let text: string;
    try {
      text = this.#strict.decode(bytes);
    } catch {
      // The decoder tells no more than that; the line is read again to see whose it was.
      const message = "expected a line of UTF-8, got bytes that are none";
      this.#reject({ code: rpcCodes.parseError, message }, this.#lenient.decode(bytes));
      return;
    }
    const decoded = decodeText(text);
    if (decoded.ok) {
      this.#sink.message(decoded.value);
    } else if (text.trim() !== "") {
      this.#reject(decoded.error, text);
    }
  }

  #receiveOversize({ head, tail, sizeBytes }: OversizeLine): void {
    const { message, limitBytes } = new MessageTooLargeError(sizeBytes, this.#maxMessageBytes);
    const error = { code: rpcCodes.invalidRequest, message, data: { sizeBytes, limitBytes } };
    const text = this.#lenient.decode(head);
    this.#sink.malformed({ error, ...recoverId(text, this.#lenient.decode(tail)) }, text);
  }

  #reject(error: ChannelProblem["error"], text: string): void {
    const recovered = recoverId(text.slice(0, excerptHead), text.slice(-excerptTail));
    this.#sink.malformed({ error, ...recovered }, text);
  }
}

/**
 * Encodes a message as one line, line break included.
 *
 * @param maxMessageBytes - largest line, without its line break, in bytes
 * @throws {@link MessageTooLargeError} when the message is larger
 */
export function encodeLine(message: JsonRpcMessage, maxMessageBytes: number): string {
  const text = encodeMessage(message);
  // No character takes more than three bytes per UTF-16 unit, so most messages need not be measured.
  if (text.length * 3 > maxMessageBytes) {
    const sizeBytes = measureUtf8(text);
    if (sizeBytes > maxMessageBytes) {
      throw new MessageTooLargeError(sizeBytes, maxMessageBytes);
    }
  }
  return `${text}\n`;
}

/** Size in UTF-8. Surrogates come in pairs here, since encoding escapes single ones. */
function measureUtf8(text: string): number {
  let size = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) {
      size += 1;
    } else if (unit < 0x800 || (unit >= 0xd800 && unit < 0xe000)) {
      size += 2;
    } else {
      size += 3;
    }
  }
  return size;
}

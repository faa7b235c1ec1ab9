/**
 * The last lines of a program's standard error, bounded, for the error that explains why it is gone.
 *
 * What is written there is never taken for a failure. Specification: Basic > Transports > stdio.
 */
import { LineReader } from "./line-reader.ts";

const maxLines = 50;
/** What is longer is cut. */
const maxLineBytes = 8_192;

/** Keeps the end of a stream of text. */
export class StderrTail {
  readonly #lines: string[] = [];
  readonly #reader: LineReader;
  readonly #decoder = new TextDecoder();

  /** @param onLine - told of each line as it comes */
  constructor(onLine?: (line: string) => void) {
    const add = (line: string): void => {
      this.#lines.push(line);
      if (this.#lines.length > maxLines) {
        this.#lines.shift();
      }
      onLine?.(line);
    };
    this.#reader = new LineReader(
      {
        line: (bytes) => add(this.#decoder.decode(bytes)),
        oversize: ({ head, sizeBytes }) => add(`${this.#decoder.decode(head)}... (${sizeBytes} bytes)`),
      },
      maxLineBytes,
    );
  }

  /** The last lines, oldest first. */
  get lines(): readonly string[] {
    return [...this.#lines];
  }

  /** Takes the next bytes. */
  push(chunk: Uint8Array): void {
    this.#reader.push(chunk);
  }

  /** The stream ended. */
  end(): void {
    this.#reader.end();
  }
}

/**
 * Bytes in chunks to lines of bytes, with a limit. Every byte is looked at once and copied a bounded number of times.
 *
 * A line over the limit is skipped to its line break with bounded memory: its beginning and its end are kept, so that
 * somebody can be told. What the bytes mean is the business of others.
 */

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const headBytes = 4_096;
const tailBytes = 1_024;
/** Memory that is not written to yet is only an address range, so this can be generous. */
const growth = 4;
/** A buffer up to this size is kept for the next line. */
const keptBufferBytes = 65_536;

/** What is left of a line that was too long to keep. */
export interface OversizeLine {
  /** Its beginning, up to 4 KiB. */
  readonly head: Uint8Array;
  /** Its end, up to 1 KiB. */
  readonly tail: Uint8Array;
  /** Its size without the line break, in bytes. */
  readonly sizeBytes: number;
}

/** What a {@link LineReader} delivers to. */
export interface LineSink {
  /** A line that is not empty, without its LF or CRLF. The bytes are valid during the call only. */
  line(bytes: Uint8Array): void;
  /** A line that was skipped. */
  oversize(line: OversizeLine): void;
}

/** Cuts one stream of bytes into lines. */
export class LineReader {
  readonly #sink: LineSink;
  readonly #maxLineBytes: number;
  #held = new Uint8Array(0);
  #heldLength = 0;
  #skipped: Skipped | undefined;

  /** @param maxLineBytes - longest line that is delivered, without its line break, in bytes */
  constructor(sink: LineSink, maxLineBytes: number) {
    this.#sink = sink;
    this.#maxLineBytes = maxLineBytes;
  }

  /** Takes the next bytes. They are not referred to afterwards. */
  push(chunk: Uint8Array): void {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      this.#finish(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start < chunk.length) {
      this.#hold(chunk.subarray(start));
    }
  }

  /** The stream ended: a line without a line break is delivered as if it had one. */
  end(): void {
    this.#finish(new Uint8Array(0));
  }

  #finish(rest: Uint8Array): void {
    if (this.#heldLength === 0 && this.#skipped === undefined) {
      this.#deliver(rest);
      return;
    }
    this.#hold(rest);
    const skipped = this.#skipped;
    if (skipped !== undefined) {
      this.#skipped = undefined;
      this.#sink.oversize(skipped.finish());
      return;
    }
    const line = this.#held.subarray(0, this.#heldLength);
    this.#heldLength = 0;
    this.#deliver(line);
    if (this.#held.length > keptBufferBytes) {
      this.#held = new Uint8Array(0);
    }
  }

  #deliver(bytes: Uint8Array): void {
    const line = bytes.at(-1) === carriageReturn ? bytes.subarray(0, -1) : bytes;
    if (line.length > this.#maxLineBytes) {
      const skipped = new Skipped();
      skipped.add(line);
      this.#sink.oversize(skipped.finish());
    } else if (line.length > 0) {
      this.#sink.line(line);
    }
  }

  #hold(piece: Uint8Array): void {
    const length = this.#heldLength + piece.length;
    // One byte more than the limit, which may turn out to be the CR of a CRLF.
    if (this.#skipped === undefined && length > this.#maxLineBytes + 1) {
      this.#skipped = new Skipped();
      this.#skipped.add(this.#held.subarray(0, this.#heldLength));
      this.#held = new Uint8Array(0);
      this.#heldLength = 0;
    }
    if (this.#skipped !== undefined) {
      this.#skipped.add(piece);
      return;
    }
    if (length > this.#held.length) {
      this.#grow(length);
    }
    this.#held.set(piece, this.#heldLength);
    this.#heldLength = length;
  }

  /** Grows by a factor, so that a line of any number of pieces is copied a bounded number of times. */
  #grow(length: number): void {
    const capacity = Math.max(length, Math.min(growth * this.#held.length, this.#maxLineBytes + 1), headBytes);
    const grown = new Uint8Array(capacity);
    grown.set(this.#held.subarray(0, this.#heldLength));
    this.#held = grown;
  }
}

/** Beginning, end and size of a line that is being skipped. */
class Skipped {
  readonly #head = new Uint8Array(headBytes);
  #tail = new Uint8Array(0);
  #sizeBytes = 0;

  add(piece: Uint8Array): void {
    if (this.#sizeBytes < headBytes) {
      this.#head.set(piece.subarray(0, headBytes - this.#sizeBytes), this.#sizeBytes);
    }
    this.#sizeBytes += piece.length;
    // Copies throughout: a view would keep the whole chunk alive.
    if (piece.length >= tailBytes) {
      this.#tail = new Uint8Array(piece.subarray(-tailBytes));
      return;
    }
    const kept = this.#tail.subarray(Math.max(0, this.#tail.length + piece.length - tailBytes));
    const tail = new Uint8Array(kept.length + piece.length);
    tail.set(kept);
    tail.set(piece, kept.length);
    this.#tail = tail;
  }

  finish(): OversizeLine {
    const head = this.#head.subarray(0, Math.min(this.#sizeBytes, headBytes));
    return { head, tail: this.#tail, sizeBytes: this.#sizeBytes };
  }
}

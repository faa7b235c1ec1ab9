/**
 * Lines to a Node stream: those written in one turn of the event loop leave in one write, in order, and a stream that
 * is full makes senders wait.
 */
import process from "node:process";
import type { Writable } from "node:stream";
import { createDeferred, type Deferred } from "../base/deferred.ts";
import { ClosedError } from "../base/error.ts";

/** Lines up to this length, in UTF-16 units, are gathered. */
const maxBatchLength = 65_536;

/** Writes lines to one stream. */
export class LineWriter {
  readonly #stream: Writable;
  readonly #write: (text: string, done?: () => void) => boolean;
  #batch = "";
  #isScheduled = false;
  #isFull = false;
  #isClosed = false;
  #drained: Deferred<void> | undefined;
  readonly #onDrain = (): void => this.#resume();

  /** Takes hold of the stream's `write` as it is now: replacing it later does not change where lines go. */
  constructor(stream: Writable) {
    this.#stream = stream;
    this.#write = stream.write.bind(stream);
    stream.on("drain", this.#onDrain);
  }

  /**
   * Writes one line, its line break included.
   *
   * @returns nothing while the stream takes more, else a promise for when it does
   * @throws {@link ClosedError} after `close`
   */
  write(line: string): Promise<void> | undefined {
    if (this.#isClosed) {
      throw new ClosedError("expected an open stream, got one that has ended: nothing can be written");
    }
    this.#batch += line;
    if (this.#batch.length >= maxBatchLength && !this.#isFull) {
      this.#flush();
    } else if (!this.#isScheduled && !this.#isFull) {
      this.#isScheduled = true;
      // Behind the promise callbacks that are ready now, so that answers given in the same turn travel together.
      process.nextTick(() => {
        this.#isScheduled = false;
        if (!this.#isFull) {
          this.#flush();
        }
      });
    }
    if (!this.#isFull) {
      return undefined;
    }
    this.#drained ??= createDeferred();
    return this.#drained.promise;
  }

  /** Hands what is left to the stream and takes no more. Senders that wait are told. */
  close(): void {
    if (this.#isClosed) {
      return;
    }
    this.#flush();
    this.#isClosed = true;
    this.#stream.off("drain", this.#onDrain);
    this.#drained?.reject(new ClosedError("the stream ended before it took more"));
    this.#drained = undefined;
  }

  /** Resolves when the stream has passed on everything it was given, or cannot. */
  flushed(): Promise<void> {
    return new Promise((resolve) => {
      if (this.#stream.writableLength === 0 || !this.#stream.writable) {
        resolve();
      } else {
        this.#write("", resolve);
      }
    });
  }

  #flush(): void {
    const batch = this.#batch;
    this.#batch = "";
    if (batch !== "" && this.#stream.writable) {
      this.#isFull = !this.#write(batch);
    }
  }

  #resume(): void {
    this.#isFull = false;
    this.#flush();
    if (!this.#isFull) {
      this.#drained?.resolve();
      this.#drained = undefined;
    }
  }
}

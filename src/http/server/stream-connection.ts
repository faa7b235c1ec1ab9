/**
 * One connected event stream: writes to a sink, keeps it alive, and lets go of a client that takes nothing.
 *
 * Knows bytes only. Which messages belong on it, and how fast they come, is stream-output.ts.
 */
import { createDeferred, type Deferred } from "../../base/deferred.ts";
import type { Sink, SinkListener } from "../message.ts";
import { keepAliveComment } from "../sse-writer.ts";
import type { DelayQueue } from "./delay-queue.ts";
import type { LiveConnection } from "./runtime.ts";

/** What a connection needs from whoever makes it. */
export interface ConnectionHost {
  readonly keepAlive: DelayQueue<LiveConnection>;
  /** Bytes that may wait in the sink before the connection is cut. */
  readonly maxBufferedBytes: number;
  /** The connection has ended, by either side. */
  closed(connection: StreamConnection): void;
  /** The connection was cut because its client takes too little. */
  stalled(message: string): void;
}

/** The connection between a stream and its client. */
export class StreamConnection implements SinkListener, LiveConnection {
  dueAt = 0;
  readonly #sink: Sink;
  readonly #host: ConnectionHost;
  /** Waits for the sink to take more. */
  #drain: Deferred<void> | undefined;
  #wasStalled = false;
  #isClosed = false;
  #isEnding = false;

  constructor(sink: Sink, host: ConnectionHost) {
    this.#sink = sink;
    this.#host = host;
    host.keepAlive.add(this);
  }

  /** Whether nothing more can be written. */
  get isClosed(): boolean {
    return this.#isClosed || this.#isEnding;
  }

  /** Writes text. A promise resolves when more should be written, also when the connection ends before. */
  write(text: string): Promise<void> | undefined {
    if (this.isClosed) {
      return undefined;
    }
    if (this.#sink.bufferedBytes > this.#host.maxBufferedBytes) {
      this.cut(`more than ${this.#host.maxBufferedBytes} bytes were waiting to be taken by the client`);
      return undefined;
    }
    if (this.#sink.write(text)) {
      return this.#drain?.promise;
    }
    this.#drain ??= createDeferred();
    return this.#drain.promise;
  }

  /** Ends the connection in order, behind what was written. */
  end(): void {
    if (!this.isClosed) {
      this.#isEnding = true;
      this.#sink.end();
    }
  }

  /** Drops the connection with whatever is still to be taken by the client. */
  cut(why: string): void {
    if (!this.#isClosed) {
      this.#isEnding = true;
      this.#host.stalled(why);
      this.#sink.cut();
    }
  }

  /** Time to show that the connection lives. A client that took nothing since the last time is let go. */
  keepAlive(): void {
    if (this.#isClosed) {
      return;
    }
    if (this.#drain !== undefined || this.#isEnding) {
      if (this.#wasStalled) {
        this.cut("the client took nothing for two keep-alive intervals");
        return;
      }
      this.#wasStalled = true;
    } else {
      // Also where something was just sent: otherwise silence could last for nearly two intervals.
      void this.write(keepAliveComment);
    }
    this.#host.keepAlive.add(this);
  }

  drained(): void {
    this.#wasStalled = false;
    this.#release();
  }

  closed(): void {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#host.keepAlive.delete(this);
      this.#release();
      this.#host.closed(this);
    }
  }

  #release(): void {
    const drain = this.#drain;
    this.#drain = undefined;
    drain?.resolve();
  }
}

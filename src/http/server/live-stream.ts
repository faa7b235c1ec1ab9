/**
 * An event stream that nobody can resume: it lives as long as its connection.
 *
 * For requests without a session, and for sessions where nothing is kept.
 */
import type { StreamReply } from "../message.ts";
import { eventStreamHeaders } from "../sse-writer.ts";
import type { ReplyStream } from "./reply-stream.ts";
import type { HttpRuntime } from "./runtime.ts";
import { StreamOutput } from "./stream-output.ts";

/** What a stream is part of. */
export interface LiveStreamOptions {
  /** A connection was made or has ended. */
  onConnections(change: 1 | -1): void;
  /** The connection has ended while the stream had more to say. */
  onDetached(): void;
}

/** See the head of this file. */
export class LiveStream implements ReplyStream {
  readonly canSuspend = false;
  readonly #runtime: HttpRuntime;
  readonly #options: LiveStreamOptions;
  /** What was sent before there was a connection. */
  #early: string[] = [];
  #output: StreamOutput | undefined;
  #isFinished = false;

  constructor(runtime: HttpRuntime, options: LiveStreamOptions) {
    this.#runtime = runtime;
    this.#options = options;
  }

  async send(message: string): Promise<void> {
    if (this.#isFinished) {
      return;
    }
    if (this.#output === undefined) {
      this.#early.push(message);
    }
    this.#output?.put(undefined, message);
    await this.#output?.caughtUp;
  }

  finish(message?: string): void {
    if (message !== undefined) {
      void this.send(message);
    }
    this.#isFinished = true;
    this.#output?.end(false);
  }

  suspend(): void {
    // Does nothing: the client could not come back.
  }

  async toReply(): Promise<StreamReply> {
    return {
      kind: "stream",
      status: 200,
      headers: eventStreamHeaders,
      open: (sink) => {
        const output = new StreamOutput(this.#runtime, sink, {
          polling: false,
          onConnections: (change) => this.#connections(change),
        });
        this.#output = output;
        for (const message of this.#early) {
          output.put(undefined, message);
        }
        this.#early = [];
        if (this.#isFinished) {
          output.end(false);
        }
        return output.listener;
      },
    };
  }

  #connections(change: 1 | -1): void {
    this.#options.onConnections(change);
    if (change === -1 && !this.#isFinished) {
      this.#options.onDetached();
    }
  }
}

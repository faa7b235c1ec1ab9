/**
 * The event stream of one POST that a client can resume, as the node has it that does the work.
 *
 * Its connections here are readers of its log like those on any other node.
 */
import type { RequestId } from "../../jsonrpc/message.ts";
import type { Sink, SinkListener, StreamReply } from "../message.ts";
import { eventStreamHeaders } from "../sse-writer.ts";
import type { StreamName } from "./event-id.ts";
import type { ReplyStream } from "./reply-stream.ts";
import type { HttpRuntime } from "./runtime.ts";
import { StreamLog } from "./stream-log.ts";
import { type OutputOptions, StreamOutput } from "./stream-output.ts";
import { StreamReader } from "./stream-reader.ts";
import { StreamWriter } from "./stream-writer.ts";

/** What a stream is part of. */
export interface KeptStreamOptions extends OutputOptions {
  /** The requests that were posted. */
  readonly ids: readonly RequestId[];
  /** Its end is kept. */
  onEnded(): void;
}

/** See the head of this file. */
export class KeptStream implements ReplyStream {
  readonly log: StreamLog;
  readonly #runtime: HttpRuntime;
  readonly #options: KeptStreamOptions;
  readonly #writer: StreamWriter;

  constructor(runtime: HttpRuntime, name: StreamName, options: KeptStreamOptions) {
    this.#runtime = runtime;
    this.#options = options;
    this.log = new StreamLog(runtime, name);
    this.#writer = new StreamWriter(runtime, this.log, options.ids, options.onEnded);
  }

  get canSuspend(): boolean {
    return this.#options.polling;
  }

  send(message: string, answered?: RequestId): Promise<void> {
    return this.#writer.send(message, answered);
  }

  finish(message = ""): void {
    this.#writer.end(message);
  }

  suspend(): void {
    this.#writer.suspend();
  }

  /** The head of the reply and the first id go out together, so that no client is left with a stream it cannot resume. */
  async toReply(): Promise<StreamReply> {
    return this.#toReply(await this.#writer.begun, 0);
  }

  /**
   * The reply that connects a client again.
   *
   * @param after - the last entry that the client has
   * @param connectedAt - where this connection stands in the log
   */
  resume(after: number, connectedAt: number): StreamReply {
    return this.#toReply(after, connectedAt);
  }

  /**
   * Ends the connection and writes nothing more.
   *
   * @param comesBack - whether the client goes on elsewhere
   * @returns when everything that was sent is kept
   */
  stop(comesBack: boolean): Promise<void> {
    return this.#writer.stop(comesBack);
  }

  #toReply(after: number, connectedAt: number): StreamReply {
    const open = (sink: Sink): SinkListener => {
      const output = new StreamOutput(this.#runtime, sink, this.#options);
      const primes = connectedAt === 0 && this.#options.polling;
      const reader = new StreamReader(this.#runtime, this.log, output, {
        after,
        connectedAt,
        primes,
        skipsGaps: false,
        isLocal: true,
        getChanges: () => 0,
        onTakenOver: () => undefined,
      });
      this.#writer.connect(reader);
      return output.listener;
    };
    return { kind: "stream", status: 200, headers: eventStreamHeaders, open };
  }
}

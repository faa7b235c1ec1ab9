/**
 * The events of one connection: written as fast as its client takes them, and held back, within a bound, while it does not.
 *
 * Whoever brings events follows a log, and is told to pause once enough is held back: the log has the rest. It remembers
 * how far its client is. What events mean is stream-reader.ts; bytes are stream-connection.ts.
 */
import { createDeferred, type Deferred } from "../../base/deferred.ts";
import type { Sink, SinkListener } from "../message.ts";
import { encodeEvent, encodeRetry } from "../sse-writer.ts";
import { type EventPlace, encodeEventId } from "./event-id.ts";
import type { HttpRuntime } from "./runtime.ts";
import { StreamConnection } from "./stream-connection.ts";

/** Who brings events. */
export interface EventSource {
  /** There is room again. */
  goOn(): void;
  /** The connection has ended. */
  stop(): void;
}

/** What an output is part of. */
export interface OutputOptions {
  /** Whether the client is told when to come back where a connection ends before its stream. */
  readonly polling: boolean;
  /** A connection was made or has ended. */
  onConnections(change: 1 | -1): void;
}

/** An event, or with nothing in it, only a place that the client has reached. */
interface Held {
  readonly place: EventPlace | undefined;
  readonly data: string | undefined;
}

/** See the head of this file. */
export class StreamOutput {
  readonly #runtime: HttpRuntime;
  readonly #options: OutputOptions;
  readonly #connection: StreamConnection;
  readonly #sources: EventSource[] = [];
  readonly #held: Held[] = [];
  #heldLength = 0;
  #isWaiting = false;
  #end: { readonly comesBack: boolean } | undefined;
  #place: EventPlace | undefined;
  /** Whoever sends waits for this. */
  #caughtUp: Deferred<void> | undefined;
  #isClosed = false;

  constructor(runtime: HttpRuntime, sink: Sink, options: OutputOptions) {
    this.#runtime = runtime;
    this.#options = options;
    this.#connection = new StreamConnection(sink, {
      keepAlive: runtime.keepAlive,
      maxBufferedBytes: runtime.options.maxBufferedBytes,
      closed: () => this.#closed(),
      stalled: (message) => runtime.report("MCP_D_STREAM_CUT", `a slow event stream was cut: ${message}`),
    });
    runtime.counters.streams += 1;
    options.onConnections(1);
  }

  /** What the edge tells of the connection. */
  get listener(): SinkListener {
    return this.#connection;
  }

  /** The place of the last event that was written; nothing before there is one. */
  get place(): EventPlace | undefined {
    return this.#place;
  }

  /** Whether nothing more is taken. */
  get isOver(): boolean {
    return this.#end !== undefined || this.#connection.isClosed;
  }

  /** Whether so much is held back that sources should pause. */
  get isFull(): boolean {
    return this.#heldLength > this.#runtime.options.maxBufferedBytes;
  }

  /** Resolves once nothing is held back, or the connection has ended; nothing where that is so already. */
  get caughtUp(): Promise<void> | undefined {
    if (!this.#isWaiting || this.#connection.isClosed) {
      return undefined;
    }
    this.#caughtUp ??= createDeferred();
    return this.#caughtUp.promise;
  }

  /** Adds whoever brings events. */
  attach(source: EventSource): void {
    this.#sources.push(source);
  }

  /**
   * Sends an event.
   *
   * @param place - where its client then is, and the event's id; nothing for an event that nobody can resume from
   * @param data - nothing where the client gets nothing of what is there
   */
  put(place: EventPlace | undefined, data: string | undefined): void {
    if (this.isOver) {
      return;
    }
    if (place === undefined && data !== undefined && this.isFull) {
      // No log has it, so it could neither be left for later nor be left out.
      const { maxBufferedBytes } = this.#runtime.options;
      this.#connection.cut(`more than ${maxBufferedBytes} bytes were waiting to be taken by the client`);
    } else {
      this.#held.push({ place, data });
      this.#heldLength += data?.length ?? 0;
      this.#pump();
    }
  }

  /**
   * Ends the connection behind all that was sent.
   *
   * @param comesBack - whether the client is expected to connect again
   */
  end(comesBack: boolean): void {
    this.#end ??= { comesBack };
    this.#pump();
  }

  /** Another connection has the client: what is held back is left to it, and this one ends at once. */
  handOver(): void {
    this.#held.length = 0;
    this.#heldLength = 0;
    this.#isWaiting = false;
    this.end(true);
  }

  #pump(): void {
    while (!this.#isWaiting && !this.#connection.isClosed) {
      const next = this.#held.shift();
      if (next === undefined) {
        break;
      }
      this.#heldLength -= next.data?.length ?? 0;
      this.#write(next);
    }
    if (!this.#isWaiting && this.#end !== undefined && !this.#connection.isClosed) {
      if (this.#end.comesBack && this.#options.polling) {
        void this.#connection.write(encodeRetry(this.#runtime.options.retryMs));
      }
      this.#connection.end();
    }
  }

  #write({ place, data }: Held): void {
    const id = place && encodeEventId(place);
    const drained = data === undefined ? undefined : this.#connection.write(encodeEvent({ id, data }));
    if (!this.#connection.isClosed) {
      this.#place = place ?? this.#place;
    }
    if (drained !== undefined) {
      this.#wait(drained);
    }
  }

  #wait(drained: Promise<void>): void {
    this.#isWaiting = true;
    void drained.then(() => {
      this.#isWaiting = false;
      this.#pump();
      if (!this.#isWaiting) {
        this.#caughtUp?.resolve();
        this.#caughtUp = undefined;
        if (!this.isOver) {
          this.#goOn();
        }
      }
    });
  }

  #goOn(): void {
    for (const source of this.#sources) {
      source.goOn();
    }
  }

  #closed(): void {
    if (this.#isClosed) {
      return;
    }
    this.#isClosed = true;
    this.#held.length = 0;
    this.#runtime.counters.streams -= 1;
    this.#caughtUp?.resolve();
    for (const source of this.#sources) {
      source.stop();
    }
    this.#options.onConnections(-1);
  }
}

/**
 * A logical event stream: messages in order, delivered over one connection after the other.
 *
 * With an event log, each event has an id and is kept before it goes out; a later connection is caught up with from it.
 * What a slow connection has not had waits here, within a bound. Without a log, a stream lives as long as its connection.
 * Specification: Basic > Transports > Sending messages to the server, and Resumability.
 */
import { createDeferred, type Deferred } from "../../base/deferred.ts";
import type { Sink, SinkListener, StreamReply } from "../message.ts";
import { encodeEvent, encodeRetry, eventStreamHeaders } from "../sse-writer.ts";
import type { LoggedEvent, Replay } from "./event-log.ts";
import type { HttpRuntime } from "./runtime.ts";
import { type ConnectionHost, StreamConnection } from "./stream-connection.ts";
import { type KeptStream, StreamRecord } from "./stream-record.ts";
import { UnsentEvents } from "./unsent-events.ts";

/** What a stream is part of. */
export interface ReplyStreamOptions {
  /** Nothing where the stream cannot be resumed. */
  readonly kept: KeptStream | undefined;
  /** Whether a connection begins with an empty event and ends with the time to wait before the next. */
  readonly polling: boolean;
  /** A connection was made or has ended. */
  onConnections(change: 1 | -1): void;
  /** A connection has ended while the stream had more to say. */
  onDetached(): void;
  /** The last message was sent. */
  onFinished?(): void;
}

/** Messages to one client, in order. */
export class ReplyStream {
  readonly #runtime: HttpRuntime;
  readonly #options: ReplyStreamOptions;
  readonly #record: StreamRecord | undefined;
  readonly #host: ConnectionHost;
  #connection: StreamConnection | undefined;
  /** The last event that was written to a connection; nothing before the first connection. */
  #written: number | undefined;
  /** Whether the connection, or the log, has to answer before more is written. */
  #isWaiting = false;
  #isSuspended = false;
  #isFinished = false;
  /** What is stored and not written, for a connection that is there or about to be made. */
  readonly #unsent: UnsentEvents;
  /** Whoever sends waits for this while a connection is behind. */
  #caughtUp: Deferred<void> | undefined;
  /** What was sent before there was a connection, where no log keeps it. */
  #early: string[] | undefined = [];

  constructor(runtime: HttpRuntime, options: ReplyStreamOptions) {
    this.#runtime = runtime;
    this.#options = options;
    this.#record = options.kept && new StreamRecord(runtime, options.kept);
    this.#unsent = new UnsentEvents(runtime.options.maxBufferedBytes);
    this.#host = {
      keepAlive: runtime.keepAlive,
      maxBufferedBytes: runtime.options.maxBufferedBytes,
      closed: (connection) => this.#detached(connection),
      stalled: (message) => runtime.report("MCP_D_STREAM_CUT", `a slow event stream was cut: ${message}`),
    };
  }

  /** Whether a client is connected. */
  get isConnected(): boolean {
    return this.#connection !== undefined && !this.#connection.isClosed;
  }

  /** Whether the connection may be ended early, because the client knows how to come back. */
  get canSuspend(): boolean {
    return this.#options.polling && this.#record !== undefined;
  }

  /**
   * Sends a message. A promise resolves when more should be sent; it never rejects.
   *
   * @param message - as JSON text
   */
  send(message: string): Promise<void> | undefined {
    if (this.#isFinished) {
      return undefined;
    }
    if (this.#record !== undefined) {
      return this.#record.append(message, (event, previous) => this.#stored(event, previous));
    }
    const text = encodeEvent({ data: message });
    this.#early?.push(text);
    return this.#connection?.write(text);
  }

  /** The last message was sent: the connection ends behind it [HTTP-022]. */
  finish(): void {
    if (!this.#isFinished) {
      this.#isFinished = true;
      this.#options.onFinished?.();
      this.#settle();
    }
  }

  /**
   * Ends the connection but not the stream: the client comes back for the rest [HTTP-016] [HTTP-018].
   * A connection that is only about to be made ends once it has what was sent until then.
   */
  suspend(): void {
    this.#isSuspended = true;
    this.#settle();
  }

  /** The reply that connects a client to the stream from where it stands. */
  toReply(): StreamReply {
    return { kind: "stream", status: 200, headers: eventStreamHeaders, open: (sink) => this.#attach(sink, undefined) };
  }

  /**
   * The reply that goes on behind an event [HTTP-037].
   *
   * @param after - the number of the last event that the client has
   * @returns "unknown" for an event that never was, "gone" where events that followed are no longer kept
   */
  async resume(after: number): Promise<StreamReply | "unknown" | "gone"> {
    if (this.#record === undefined || after >= this.#record.next) {
      return "unknown";
    }
    if (after < this.#record.stored) {
      const replay = await this.#record.read(after);
      if (replay?.complete !== true) {
        return "gone";
      }
    }
    return { kind: "stream", status: 200, headers: eventStreamHeaders, open: (sink) => this.#attach(sink, after) };
  }

  #attach(sink: Sink, after: number | undefined): SinkListener {
    const previous = this.#connection;
    const connection = new StreamConnection(sink, this.#host);
    this.#connection = connection;
    this.#isWaiting = false;
    this.#count(1);
    // Only one connection at a time, or messages would arrive twice [HTTP-032]; the newest is the living one.
    this.#release(previous);
    if (after === undefined) {
      this.#prime(connection);
    } else {
      this.#isSuspended = false;
      this.#written = after;
    }
    const early = this.#early?.join("") ?? "";
    this.#early = undefined;
    if (early !== "") {
      void connection.write(early);
    }
    this.#pump();
    return connection;
  }

  /** Gives the client an id to come back with before there is any message [HTTP-014]. */
  #prime(connection: StreamConnection): void {
    const isFirst = this.#written === undefined;
    this.#written ??= 0;
    if (this.#record === undefined || !this.canSuspend) {
      return;
    }
    if (!isFirst) {
      if (this.#written < this.#record.stored) {
        // Messages are waiting and carry ids of their own; a newer id before them would let a client skip them.
        return;
      }
      this.#written = this.#record.skip();
    }
    void connection.write(this.#record.encode({ sequence: this.#written, data: "" }));
  }

  /** An event is kept: it goes out, unless earlier ones have to go first. */
  #stored(event: LoggedEvent, previous: number): Promise<void> | undefined {
    const isNext = !this.#isWaiting && this.#written !== undefined && this.#written >= previous && this.isConnected;
    if (isNext) {
      const drained = this.#write(event);
      this.#settle();
      return drained;
    }
    if (!this.isConnected && this.#written !== undefined) {
      // Nobody is connected: whoever comes back reads the log.
      return undefined;
    }
    this.#unsent.add(event, previous);
    if (!this.isConnected) {
      return undefined;
    }
    this.#caughtUp ??= createDeferred();
    return this.#caughtUp.promise;
  }

  #write(event: LoggedEvent): Promise<void> | undefined {
    this.#written = event.sequence;
    const drained = this.#connection?.write(this.#record?.encode(event) ?? "");
    if (drained !== undefined) {
      this.#waitFor(drained, () => undefined);
    }
    return drained;
  }

  /** Writes what the connection has not had, from the log, as fast as the client takes it. */
  #pump(): void {
    while (this.#record !== undefined && this.isConnected && !this.#isWaiting && !this.#hasAll) {
      const replay = this.#unsent.take(this.#written ?? 0) ?? this.#record.read(this.#written ?? 0);
      if (replay instanceof Promise) {
        this.#waitFor(replay, (value) => this.#replay(value));
      } else {
        this.#replay(replay);
      }
    }
    this.#settle();
  }

  #replay(replay: Replay | undefined): void {
    if (replay?.complete !== true || replay.events.length === 0) {
      // The client learns what it missed when it resumes; going on would hide the gap.
      const what = "an event stream was cut: the event log dropped what was still to be sent on it";
      this.#runtime.report("MCP_D_EVENTS_DROPPED", what);
      this.#connection?.end();
      return;
    }
    for (const [index, event] of replay.events.entries()) {
      if (this.#write(event) !== undefined) {
        this.#unsent.putBack(replay.events.slice(index + 1));
        return;
      }
    }
  }

  /** Holds the pump until a promise resolves, unless another connection has taken over by then. */
  #waitFor<T>(promise: Promise<T>, then: (value: T) => void): void {
    const connection = this.#connection;
    this.#isWaiting = true;
    const goOn = (action: () => void): void => {
      if (this.#connection === connection) {
        this.#isWaiting = false;
        action();
        this.#pump();
      }
    };
    promise.then(
      (value) => goOn(() => then(value)),
      (error: unknown) => {
        const what = "an event stream was cut: the event log could not be read";
        this.#runtime.report("MCP_D_EVENT_LOG_FAILED", what, error);
        goOn(() => connection?.end());
      },
    );
  }

  get #hasAll(): boolean {
    return (this.#written ?? 0) >= (this.#record?.stored ?? 0);
  }

  /** Ends the connection once it has everything, where it is to end. */
  #settle(): void {
    if (this.#connection === undefined || this.#isWaiting || this.#record?.isStoring === true || !this.#hasAll) {
      return;
    }
    this.#releaseSenders();
    if (this.#isFinished) {
      this.#connection.end();
    } else if (this.#isSuspended) {
      this.#release(this.#connection);
    }
  }

  #releaseSenders(): void {
    this.#caughtUp?.resolve();
    this.#caughtUp = undefined;
  }

  #release(connection: StreamConnection | undefined): void {
    if (connection !== undefined && !connection.isClosed) {
      if (this.canSuspend) {
        void connection.write(encodeRetry(this.#runtime.options.retryMs));
      }
      connection.end();
    }
  }

  #detached(connection: StreamConnection): void {
    this.#count(-1);
    if (this.#connection === connection) {
      this.#connection = undefined;
      this.#isWaiting = false;
      this.#unsent.clear();
      this.#releaseSenders();
      if (!this.#isFinished) {
        this.#options.onDetached();
      }
    }
  }

  #count(change: 1 | -1): void {
    this.#runtime.counters.streams += change;
    this.#options.onConnections(change);
  }
}

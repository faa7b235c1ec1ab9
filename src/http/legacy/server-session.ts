/**
 * The server's end of one HTTP+SSE connection: messages go out on its event stream and come in by POST.
 *
 * It begins and ends with the stream. Which POST belongs to it, and who may send one, is server.ts.
 * Specification (first revision): Basic > Transports > HTTP with SSE.
 */
import { createDeferred } from "../../base/deferred.ts";
import { ClosedError, type McpError } from "../../base/error.ts";
import { encodeMessage } from "../../jsonrpc/codec.ts";
import type { Channel, ChannelReceiver } from "../../jsonrpc/link.ts";
import type { JsonRpcMessage } from "../../jsonrpc/message.ts";
import type { AuthInfo } from "../../protocol/types/auth.ts";
import type { Sink, SinkListener } from "../message.ts";
import type { Delayed } from "../server/delay-queue.ts";
import { type ConnectionHost, StreamConnection } from "../server/stream-connection.ts";
import { encodeEvent } from "../sse-writer.ts";

/** What a session needs from whoever makes it. */
export interface LegacySessionHost extends Pick<ConnectionHost, "keepAlive" | "maxBufferedBytes"> {
  /** A message went in or out. */
  active(session: LegacySession): void;
  /** The session has ended. */
  ended(session: LegacySession, fault: McpError | undefined): void;
}

/** One client. */
export class LegacySession implements Channel, Delayed {
  dueAt = 0;
  readonly id: string;
  /** Who opened it; nobody else may send to it. */
  readonly auth: AuthInfo | undefined;
  readonly #host: LegacySessionHost;
  /** Resolves when somebody reads, or with nothing when the session ends before. */
  readonly #opened = createDeferred<ChannelReceiver | undefined>();
  #receiver: ChannelReceiver | undefined;
  #connection: StreamConnection | undefined;
  #end: { readonly fault: McpError | undefined } | undefined;

  constructor(id: string, auth: AuthInfo | undefined, host: LegacySessionHost) {
    this.id = id;
    this.auth = auth;
    this.#host = host;
  }

  /**
   * Begins the event stream, with where to POST as its first event [O24-002].
   *
   * @param messageUrl - a URL for this session alone
   */
  connect(sink: Sink, messageUrl: string): SinkListener {
    const { keepAlive, maxBufferedBytes } = this.#host;
    const connection = new StreamConnection(sink, {
      keepAlive,
      maxBufferedBytes,
      closed: () => this.end(undefined),
      stalled: (message) => this.end(new ClosedError(`a slow event stream was cut: ${message}`)),
    });
    this.#connection = connection;
    void connection.write(encodeEvent({ event: "endpoint", data: messageUrl }));
    if (this.#end !== undefined) {
      connection.end();
    }
    return connection;
  }

  async open(receiver: ChannelReceiver): Promise<void> {
    if (this.#end !== undefined) {
      receiver.closed(this.#end.fault);
      return;
    }
    this.#receiver = receiver;
    this.#opened.resolve(receiver);
  }

  send(message: JsonRpcMessage): Promise<void> | undefined {
    if (this.#end !== undefined || this.#connection === undefined) {
      throw new ClosedError("the HTTP+SSE session has ended");
    }
    this.#host.active(this);
    return this.#connection.write(encodeEvent({ event: "message", data: encodeMessage(message) }));
  }

  async close(): Promise<void> {
    this.end(undefined);
  }

  /** Delivers what was posted, once somebody reads; false where the session has ended by then. */
  async receive(value: unknown): Promise<boolean> {
    const receiver = await this.#opened.promise;
    if (receiver === undefined || this.#end !== undefined) {
      return false;
    }
    this.#host.active(this);
    receiver.message(value);
    return true;
  }

  /** Ends the session and its stream; a client that is still there sees the end of its stream. */
  end(fault: McpError | undefined): void {
    if (this.#end === undefined) {
      this.#end = { fault };
      this.#host.ended(this, fault);
      this.#connection?.end();
      this.#opened.resolve(undefined);
      this.#receiver?.closed(fault);
    }
  }
}

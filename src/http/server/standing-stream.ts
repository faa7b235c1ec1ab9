/**
 * The stream of a session for what belongs to no request: opened by GET, one connection at a time.
 *
 * While a client is expected to open it, or to come back, messages wait in the event log; otherwise they are refused
 * at once, rather than kept for nobody. Specification: Basic > Transports > Listening for messages from the server.
 */
import { encodeMessage } from "../../jsonrpc/codec.ts";
import type { Call, LinkRequestOptions } from "../../jsonrpc/link.ts";
import { type JsonObject, toNotification } from "../../jsonrpc/message.ts";
import type { StreamReply } from "../message.ts";
import type { Questions } from "./questions.ts";
import type { ReplyStream } from "./reply-stream.ts";
import type { HttpRuntime } from "./runtime.ts";
import { createUnreachableError } from "./unreachable.ts";

/** The standing stream of one session. */
export class StandingStream {
  readonly #runtime: HttpRuntime;
  readonly #createStream: (onDetached: () => void) => ReplyStream;
  #stream: ReplyStream | undefined;
  /** When a connection was last there, or could first have been made. */
  #lastSeenAt: number;

  constructor(runtime: HttpRuntime, createStream: (onDetached: () => void) => ReplyStream) {
    this.#runtime = runtime;
    this.#createStream = createStream;
    this.#lastSeenAt = runtime.options.clock.now();
  }

  /** Whether a client is connected. */
  get isConnected(): boolean {
    return this.#stream?.isConnected === true;
  }

  /** The stream itself; made when first needed. */
  get stream(): ReplyStream {
    this.#stream ??= this.#createStream(() => {
      this.#lastSeenAt = this.#runtime.options.clock.now();
    });
    return this.#stream;
  }

  /** Connects a client. One that was connected is let go [PP-007]. */
  connect(): StreamReply {
    this.#lastSeenAt = this.#runtime.options.clock.now();
    return this.stream.toReply();
  }

  /** Sends a notification, or reports that nobody will get it. */
  async notify(call: Call): Promise<void> {
    if (this.#reachesClient) {
      await this.stream.send(encodeMessage(toNotification(call)));
    } else {
      this.#runtime.report(
        "MCP_D_NOTIFICATION_UNSENT",
        `${call.method} was dropped: the client has no event stream open and is not expected to open one`,
      );
    }
  }

  /** Asks the client, or fails at once where it could not be reached [PP-043]. */
  ask(call: Call, options: LinkRequestOptions, questions: Questions): Promise<JsonObject> {
    if (!this.#reachesClient) {
      const why =
        "it has no event stream open (GET) and is not expected to open one; " +
        "ask while a request of the client is in progress, through that request's own context";
      return Promise.reject(createUnreachableError(call.method, why));
    }
    return questions.ask(call, options, (text) => void this.stream.send(text));
  }

  /** Ends the connection; the client comes back [HTTP-018]. */
  suspend(): void {
    if (this.#stream?.isConnected === true && this.#stream.canSuspend) {
      this.#stream.suspend();
    }
  }

  /** Ends the stream for good. */
  finish(): void {
    this.#stream?.finish();
  }

  get #reachesClient(): boolean {
    const { log, reconnectWindowMs, clock } = this.#runtime.options;
    return this.isConnected || (log !== undefined && clock.now() - this.#lastSeenAt < reconnectWindowMs);
  }
}

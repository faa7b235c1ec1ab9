/**
 * The requests of one POST: dispatched, answered together in one reply, given up together.
 *
 * The same for a session and for a request that stands for itself; what differs is the {@link PostHost}.
 */
import { ClosedError } from "../../base/error.ts";
import { encodeMessage } from "../../jsonrpc/codec.ts";
import { rpcCodes } from "../../jsonrpc/error.ts";
import type { Call, LinkRequestOptions } from "../../jsonrpc/link.ts";
import {
  createErrorResponse,
  type JsonObject,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type RequestId,
  toNotification,
} from "../../jsonrpc/message.ts";
import type { AuthInfo } from "../../protocol/types/auth.ts";
import type { McpContext } from "../../revision/exchange.ts";
import type { HttpReply, HttpRequest, TextReply } from "../message.ts";
import { answerRequest } from "./answer.ts";
import { InboundExchange, type Outlet } from "./exchange.ts";
import type { ReplyFormat } from "./options.ts";
import { PendingReply } from "./pending-reply.ts";
import type { Asking } from "./questions.ts";
import type { ReplyStream } from "./reply-stream.ts";
import type { HttpRuntime } from "./runtime.ts";
import { createUnreachableError } from "./unreachable.ts";
import type { ActivePost, WorkInProgress } from "./work.ts";

/** The event streams that replies become. */
export interface PostStreams {
  /** Whether an answer can still be fetched when the connection is lost. */
  readonly isResumable: boolean;
  /**
   * Makes the event stream of a reply.
   *
   * @param ids - the requests that are answered on it
   * @param onDetached - told when the connection is lost
   */
  create(ids: readonly RequestId[], onDetached: () => void): ReplyStream;
  /** Ends the connection of the standing stream, so that the client comes back to it. */
  closeStanding(): void;
}

/** What a POST belongs to. */
export interface PostHost {
  readonly runtime: HttpRuntime;
  readonly work: WorkInProgress;
  readonly streams: PostStreams;
  readonly questions: Asking;
  /** Aborts when it ends. */
  readonly signal: AbortSignal;
  /** Sends a notification that belongs to no request. */
  notify(call: Call): Promise<void>;
  /** Gives up the request that a cancellation names; does nothing for other notifications. */
  cancel(notification: JsonRpcNotification): void;
  /** Asks the client something that belongs to no request. */
  request(call: Call, options?: LinkRequestOptions): Promise<JsonObject>;
}

/** What was posted. */
export interface PostedRequests {
  readonly request: HttpRequest;
  readonly messages: readonly JsonRpcRequest[];
  /** Answers that are known beforehand, for the invalid entries of a batch, as JSON text. */
  readonly errors: readonly string[];
  readonly isBatch: boolean;
  readonly format: ReplyFormat;
  readonly context: McpContext;
}

/** What a client gets on an open stream for a request that the server gave up. */
const givenUp = {
  code: rpcCodes.internalError,
  message: "the server stopped working on this request before it was answered; it is unknown whether it was done",
};

/** One POST with requests. */
export class Post implements Outlet, ActivePost {
  readonly #host: PostHost;
  readonly #posted: PostedRequests;
  readonly #reply: PendingReply;
  readonly #exchanges: readonly InboundExchange[];
  #running: number;

  constructor(host: PostHost, posted: PostedRequests) {
    const { messages, errors, format, isBatch, context } = posted;
    const ids = messages.map(({ id }) => id);
    this.#host = host;
    this.#posted = posted;
    this.#reply = new PendingReply({
      format,
      ids: [...ids, ...errors.map(() => 0)],
      isBatch,
      createStream: () => host.streams.create(ids, () => this.#disconnected()),
    });
    this.#exchanges = messages.map(({ id }) => new InboundExchange(id, context, this));
    this.#running = messages.length;
  }

  get size(): number {
    return this.#running;
  }

  get auth(): AuthInfo | undefined {
    return this.#posted.context.auth;
  }

  /** Starts the work. Resolves as soon as it is known how the reply begins. */
  serve(): Promise<HttpReply> {
    const { messages, errors, format, request } = this.#posted;
    const { runtime } = this.#host;
    runtime.counters.exchanges += messages.length;
    if (messages.length > 0) {
      this.#host.work.began(this);
    }
    for (const error of errors) {
      this.#reply.answer({ text: error, status: 200 });
    }
    messages.forEach((message, index) => {
      const exchange = this.#exchanges[index];
      if (exchange !== undefined) {
        void this.#run(message, exchange);
      }
    });
    if (!this.#host.streams.isResumable) {
      request.onGone(() => this.#disconnected());
    }
    if (!this.#reply.isDecided && this.#reply.canStream) {
      runtime.promoteLater(this.#reply, format === "stream");
    }
    return this.#reply.reply;
  }

  find(id: RequestId): InboundExchange[] {
    return this.#exchanges.filter((exchange) => exchange.id === id && !exchange.isOver);
  }

  abort(reason: unknown, reply: TextReply): void {
    const unanswered = this.#exchanges.filter((exchange) => !exchange.isOver);
    for (const exchange of unanswered) {
      exchange.abort(reason);
    }
    const errors = unanswered.map(({ id }) => ({ id, text: encodeMessage(createErrorResponse(id, givenUp)) }));
    this.#reply.giveUp(reply, errors);
  }

  async notify(call: Call): Promise<void> {
    const stream = this.#reply.stream;
    if (stream === undefined) {
      this.#host.runtime.report(
        "MCP_D_NOTIFICATION_UNSENT",
        `${call.method} was dropped: the request it belongs to is answered with JSON, which has no place for it`,
      );
      return;
    }
    await stream.send(encodeMessage(toNotification(call)));
  }

  request(call: Call, options: LinkRequestOptions): Promise<JsonObject> {
    const { stream } = this.#reply;
    if (stream === undefined) {
      const why =
        "the request it belongs to is answered with JSON; " +
        "let the server answer with event streams, and the client accept text/event-stream";
      return Promise.reject(createUnreachableError(call.method, why));
    }
    return this.#host.questions.ask(call, options, (text) => void stream.send(text));
  }

  closeStream(): void {
    const { stream } = this.#reply;
    if (stream?.canSuspend === true) {
      stream.suspend();
    } else {
      this.#host.runtime.report(
        "MCP_D_STREAM_NOT_CLOSED",
        "an event stream was kept open: the client could not come back to it; that needs sessions, resumability and a revision with polling",
      );
    }
  }

  closeStandingStream(): void {
    this.#host.streams.closeStanding();
  }

  async #run(message: JsonRpcRequest, exchange: InboundExchange): Promise<void> {
    const answer = await answerRequest(this.#host.runtime, message, exchange);
    exchange.finish();
    this.#host.runtime.counters.exchanges -= 1;
    this.#running -= 1;
    this.#reply.answer(exchange.isAborted ? undefined : answer, exchange.id);
    if (this.#running === 0) {
      this.#host.runtime.forgetPromotion(this.#reply);
      this.#host.work.ended(this);
    }
  }

  /** Nobody can get the answers any more, unless they are kept [HTTP-023] [PP-019]. */
  #disconnected(): void {
    if (!this.#host.streams.isResumable) {
      const reason = new ClosedError("the client disconnected before it was answered");
      for (const exchange of this.#exchanges) {
        exchange.abort(reason);
      }
    }
  }
}

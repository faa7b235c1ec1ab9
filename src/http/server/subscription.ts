/**
 * One request that listens for changes: its event stream, which lasts until either side ends it, and its end.
 *
 * What is sent on it is the dispatcher's to say. When the server closes, it is asked for its result and not cut.
 * Specification: Basic > Utilities > Subscriptions.
 */
import { ClosedError } from "../../base/error.ts";
import { encodeMessage } from "../../jsonrpc/codec.ts";
import type { Call } from "../../jsonrpc/link.ts";
import { type JsonObject, type JsonRpcRequest, toNotification } from "../../jsonrpc/message.ts";
import type { McpContext } from "../../revision/exchange.ts";
import type { HttpReply, HttpRequest, TextReply } from "../message.ts";
import { answerRequest } from "./answer.ts";
import { InboundExchange, type Outlet } from "./exchange.ts";
import { PendingReply } from "./pending-reply.ts";
import type { PostStreams } from "./post.ts";
import type { HttpRuntime } from "./runtime.ts";
import { refuseServerRequest } from "./unreachable.ts";

/** The method that opens one. */
export const listenMethod = "subscriptions/listen";

/** What a subscription is made from. */
export interface SubscriptionOptions {
  readonly message: JsonRpcRequest;
  readonly context: McpContext;
  readonly streams: Pick<PostStreams, "create">;
  /** The dispatcher is done with it. */
  onEnded(subscription: Subscription): void;
}

/** See the head of this file. */
export class Subscription implements Outlet {
  readonly #runtime: HttpRuntime;
  readonly #options: SubscriptionOptions;
  readonly #reply: PendingReply;
  readonly #exchange: InboundExchange;

  constructor(runtime: HttpRuntime, options: SubscriptionOptions) {
    const { message, context, streams } = options;
    this.#runtime = runtime;
    this.#options = options;
    this.#reply = new PendingReply({
      format: "stream",
      ids: [message.id],
      isBatch: false,
      createStream: () => streams.create([message.id], () => this.#disconnected()),
    });
    this.#exchange = new InboundExchange(message.id, context, this);
  }

  /** Starts it. The stream begins with the first message, or at once where nothing refuses it before. */
  serve(request: HttpRequest): Promise<HttpReply> {
    void this.#run();
    request.onGone(() => this.#disconnected());
    if (!this.#reply.isDecided) {
      this.#runtime.promoteLater(this.#reply, true);
    }
    return this.#reply.reply;
  }

  /** Asks for the result that closes it [M-SUB-012]. */
  conclude(reason: unknown): void {
    this.#exchange.conclude(reason);
  }

  /** Ends the stream without a result; where nothing was sent yet, the client gets the given reply. */
  cut(reason: unknown, reply: TextReply): void {
    this.#exchange.abort(reason);
    this.#reply.giveUp(reply);
  }

  async notify(call: Call): Promise<void> {
    await this.#reply.stream?.send(encodeMessage(toNotification(call)));
  }

  request({ method }: Call): Promise<JsonObject> {
    return refuseServerRequest(method, this.#exchange.context.revision);
  }

  closeStream(): void {
    const what = "the event stream of a subscription was kept open: its client could not come back to it";
    this.#runtime.report("MCP_D_STREAM_NOT_CLOSED", what);
  }

  closeStandingStream(): void {
    this.closeStream();
  }

  async #run(): Promise<void> {
    const answer = await answerRequest(this.#runtime, this.#options.message, this.#exchange);
    this.#exchange.finish();
    this.#runtime.forgetPromotion(this.#reply);
    this.#reply.answer(this.#exchange.isAborted ? undefined : answer);
    this.#options.onEnded(this);
  }

  /** That is how a client ends it [M-SUB-011]. */
  #disconnected(): void {
    this.#exchange.abort(new ClosedError("the client ended the subscription"));
  }
}

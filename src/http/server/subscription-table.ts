/**
 * The subscriptions of one handler: bounded in number, for each caller too, and brought to their end when it closes.
 *
 * Specification: Basic > Utilities > Subscriptions.
 */
import type { JsonRpcRequest } from "../../jsonrpc/message.ts";
import { toPrincipalKey } from "../../protocol/principal.ts";
import type { McpContext } from "../../revision/exchange.ts";
import { encodeRetryAfter, headerNames } from "../headers.ts";
import type { HttpReply, HttpRequest, TextReply } from "../message.ts";
import { createRefusal } from "../status.ts";
import { chooseFormat, refuseFormat } from "./format.ts";
import type { PostStreams } from "./post.ts";
import { type Exceeded, Quota } from "./quota.ts";
import type { HttpRuntime } from "./runtime.ts";
import { Subscription } from "./subscription.ts";

/** How long subscriptions get to send their result when the handler closes, in milliseconds. */
const closeGraceMs = 500;

/** How long a client waits that found no room, in milliseconds. */
const retryAfterMs = 30_000;

/** Subscriptions that are open. */
export class SubscriptionTable {
  readonly #runtime: HttpRuntime;
  readonly #streams: Pick<PostStreams, "create">;
  readonly #open = new Set<Subscription>();
  readonly #quota: Quota;
  #cancelGrace: (() => void) | undefined;

  constructor(runtime: HttpRuntime, streams: Pick<PostStreams, "create">) {
    this.#runtime = runtime;
    this.#streams = streams;
    const { maxSubscriptions, maxSubscriptionsPerCaller } = runtime.options;
    this.#quota = new Quota({ total: maxSubscriptions, perCaller: maxSubscriptionsPerCaller });
  }

  /**
   * Opens one, or refuses it: the client must take an event stream, whatever else this server likes to answer with,
   * and there must be room [M-SUB-016] [M-SUB-017].
   */
  open(message: JsonRpcRequest, request: HttpRequest, context: McpContext): Promise<HttpReply> | HttpReply {
    const { strictAccept } = this.#runtime.options;
    const formats = { response: "stream", strictAccept } as const;
    if (chooseFormat(request.header(headerNames.accept), formats) === undefined) {
      return refuseFormat(formats, message.id);
    }
    const caller = toPrincipalKey(context.auth);
    const exceeded = this.#quota.findExceeded(caller);
    if (exceeded !== undefined) {
      return refuseMore(exceeded, message);
    }
    const release = this.#quota.take(caller);
    const subscription = new Subscription(this.#runtime, {
      message,
      context,
      streams: this.#streams,
      onEnded: (ended) => {
        this.#open.delete(ended);
        release();
        if (this.#open.size === 0) {
          this.#cancelGrace?.();
        }
      },
    });
    this.#open.add(subscription);
    return subscription.serve(request);
  }

  /**
   * Asks all for their result. What has sent none after a short grace is cut.
   *
   * @param reply - for those that have sent nothing at all by then
   */
  close(reason: unknown, reply: TextReply): void {
    for (const subscription of this.#open) {
      subscription.conclude(reason);
    }
    if (this.#open.size > 0) {
      this.#cancelGrace = this.#runtime.options.clock.after(closeGraceMs, () => {
        for (const subscription of this.#open) {
          subscription.cut(reason, reply);
        }
      });
    }
  }
}

function refuseMore({ whose, limit }: Exceeded, { id }: JsonRpcRequest): TextReply {
  const refusal = whose === "server" ? "tooManySubscriptions" : "tooManyRequests";
  return createRefusal(refusal, `this ${whose} already has ${limit} subscriptions open; end some, or try again later`, {
    id,
    headers: { [headerNames.retryAfter]: encodeRetryAfter(retryAfterMs) },
  });
}

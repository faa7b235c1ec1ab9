/**
 * What everything in one HTTP handler shares: its options, its dispatcher, its timers and its counters.
 *
 * Built once per handler; nothing in it belongs to one request or one session.
 */
import type { McpDispatcher } from "../../revision/exchange.ts";
import { type Delayed, DelayQueue } from "./delay-queue.ts";
import type { ResolvedHttpServerOptions } from "./options.ts";

/** Open things, for gauges and tests. */
export interface HttpStats {
  /** Sessions that are open. */
  readonly sessions: number;
  /** Event streams with a client connected. */
  readonly streams: number;
  /** Requests in progress, without those that listen until somebody ends them. */
  readonly exchanges: number;
}

/** A connection that shows from time to time that it lives. */
export interface LiveConnection extends Delayed {
  keepAlive(): void;
}

/** A reply that becomes an event stream when it takes its time. */
export interface SlowReply extends Delayed {
  promote(): void;
}

/** What the parts of one handler have in common. */
export class HttpRuntime {
  readonly dispatcher: McpDispatcher;
  readonly options: ResolvedHttpServerOptions;
  /** Connections that have to show that they live. */
  readonly keepAlive: DelayQueue<LiveConnection>;
  readonly counters = { streams: 0, exchanges: 0 };
  /** Replies that become event streams when they take long. */
  readonly #slow: DelayQueue<SlowReply>;
  /** Replies that become event streams as soon as they are not there at once. */
  readonly #streaming: DelayQueue<SlowReply>;

  constructor(dispatcher: McpDispatcher, options: ResolvedHttpServerOptions) {
    const { clock } = options;
    const promote = (reply: SlowReply): void => reply.promote();
    this.dispatcher = dispatcher;
    this.options = options;
    this.keepAlive = new DelayQueue(clock, options.keepAliveMs, (connection) => connection.keepAlive());
    this.#slow = new DelayQueue(clock, options.streamAfterMs, promote);
    this.#streaming = new DelayQueue(clock, 0, promote);
  }

  /** Makes an event stream of a reply that takes its time. */
  promoteLater(reply: SlowReply, isEager: boolean): void {
    (isEager ? this.#streaming : this.#slow).add(reply);
  }

  /** The reply is decided. */
  forgetPromotion(reply: SlowReply): void {
    if (!this.#slow.delete(reply)) {
      this.#streaming.delete(reply);
    }
  }

  /** Reports what nobody's call can be told of. */
  report(code: string, message: string, detail?: unknown): void {
    this.options.onDiagnostic?.(detail === undefined ? { code, message } : { code, message, detail });
  }

  /** Drops all timers. */
  close(): void {
    this.keepAlive.clear();
    this.#slow.clear();
    this.#streaming.clear();
  }
}

/**
 * What everything in one HTTP handler shares: its options, its dispatcher, its store, its timers and its counters.
 *
 * Built once per handler; nothing in it belongs to one request or one session.
 */
import { createChangeFeed } from "../../protocol/change-feed.ts";
import type { McpDispatcher } from "../../revision/exchange.ts";
import type { Store } from "../../store/contracts.ts";
import type { Feed } from "../../store/feed.ts";
import { createMemoryStore } from "../../store/memory.ts";
import { Presence } from "../../store/presence.ts";
import { ChangesTail } from "./changes-tail.ts";
import { type Delayed, DelayQueue } from "./delay-queue.ts";
import type { ResolvedHttpServerOptions } from "./options.ts";

/** Open things of one node, for gauges and tests. */
export interface HttpStats {
  /** Sessions that it has something of: those that began here, and those that a request came for. */
  readonly sessions: number;
  /** Event streams with a client connected. */
  readonly streams: number;
  /** Requests in progress, without those that listen until somebody ends them. */
  readonly exchanges: number;
  /** Questions to clients that wait for their answer. */
  readonly questions: number;
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
  /** Where everything is kept that another node may need. */
  readonly store: Store;
  /** This node among those that share the store. */
  readonly presence: Presence;
  /** The changes of lists and resources, by whichever node. */
  readonly changes: Feed;
  /** How far those changes have come. */
  readonly changesTail: ChangesTail;
  /** Connections that have to show that they live. */
  readonly keepAlive: DelayQueue<LiveConnection>;
  readonly counters = { streams: 0, exchanges: 0 };
  /** Replies that become event streams when they take long. */
  readonly #slow: DelayQueue<SlowReply>;
  /** Replies that become event streams as soon as they are not there at once. */
  readonly #streaming: DelayQueue<SlowReply>;
  /** Whether the store was made here, for nobody else. */
  readonly #ownsStore: boolean;
  #streams = 0;

  constructor(dispatcher: McpDispatcher, options: ResolvedHttpServerOptions) {
    const { clock, leaseMs } = options;
    const promote = (reply: SlowReply): void => reply.promote();
    this.dispatcher = dispatcher;
    this.options = options;
    const given = options.store ?? dispatcher.store;
    this.store = given ?? createMemoryStore({ clock });
    this.#ownsStore = given === undefined;
    this.presence = new Presence(this.store, { leaseMs, clock });
    this.changes = createChangeFeed(this.store, clock);
    this.changesTail = new ChangesTail(this.changes);
    this.keepAlive = new DelayQueue(clock, options.keepAliveMs, (connection) => connection.keepAlive());
    this.#slow = new DelayQueue(clock, options.streamAfterMs, promote);
    this.#streaming = new DelayQueue(clock, 0, promote);
  }

  /** Numbers an event stream, uniquely on this node. */
  numberStream(): number {
    this.#streams += 1;
    return this.#streams;
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
    this.changesTail.close();
  }

  /** The very last thing: others no longer count on this node, and a store that nobody else has is closed. */
  async leave(): Promise<void> {
    await this.presence.end();
    if (this.#ownsStore) {
      await this.store.close();
    }
  }
}

/**
 * The cancellations of one session: each finds the one request it means, on whichever node that is running.
 *
 * Ids are the client's choice, so several requests may carry the same one; then none is cancelled [PP-017]. Which node has
 * how many is asked of all, because a table of ids in the store would cost every request a write.
 */
import type { JsonRpcNotification } from "../../jsonrpc/message.ts";
import { mcpCancellation } from "../../protocol/cancellation.ts";
import type { HttpRuntime } from "./runtime.ts";
import type { SessionChannel, SessionMessage } from "./session-channel.ts";
import type { Cancelled, WorkInProgress } from "./work.ts";

/** How long other nodes have to say what they have, in milliseconds. Who has not by then counts as gone. */
const answerTimeMs = 250;

/** A search under way. */
interface Search {
  readonly counts: Map<string, number>;
  /** Who has not answered. */
  readonly silent: Set<string>;
  finish(): void;
}

/** See the head of this file. */
export class Cancellation {
  readonly #runtime: HttpRuntime;
  readonly #work: WorkInProgress;
  readonly #channel: SessionChannel;
  readonly #searches = new Map<number, Search>();
  #next = 0;
  #isClosed = false;

  constructor(runtime: HttpRuntime, work: WorkInProgress, channel: SessionChannel) {
    this.#runtime = runtime;
    this.#work = work;
    this.#channel = channel;
  }

  /** Does what a notification says; nothing where it is no cancellation. */
  cancel(notification: JsonRpcNotification): void {
    const cancelled = mcpCancellation.parse(notification);
    if (cancelled === undefined) {
      return;
    }
    if (this.#channel.peers.size === 0) {
      this.#work.cancel(cancelled);
      return;
    }
    this.#search(cancelled)
      .then((counts) => this.#decide(cancelled, counts))
      .catch((error: unknown) => {
        this.#runtime.report("MCP_D_STORE_FAILED", "other nodes could not be told of a cancellation", error);
      });
  }

  /** Takes part in the searches of others, and in their outcome. */
  hear(message: SessionMessage, from: string): void {
    if (message.kind === "seek") {
      const { number, id } = message;
      void this.#channel.inform({ kind: "found", number, count: this.#work.count(id) }, from);
    } else if (message.kind === "found") {
      this.#found(message, from);
    } else if (message.kind === "cancel") {
      this.#work.cancel(message.cancelled);
    }
  }

  /** The session has ended: nothing is left to cancel, and nobody is waited for. */
  close(): void {
    this.#isClosed = true;
    for (const search of this.#searches.values()) {
      search.finish();
    }
  }

  /** How many requests with that id each of the other nodes has. */
  async #search({ id }: Cancelled): Promise<ReadonlyMap<string, number>> {
    const { peers } = this.#channel;
    const number = this.#next;
    this.#next += 1;
    const counts = new Map<string, number>();
    const silent = new Set(peers);
    const answered = new Promise<void>((resolve) => {
      this.#searches.set(number, { counts, silent, finish: resolve });
    });
    const cancelTimer = this.#runtime.options.clock.after(answerTimeMs, () => {
      // It has died, or will say so itself when it comes back.
      for (const peer of silent) {
        peers.delete(peer);
      }
      this.#searches.get(number)?.finish();
    });
    try {
      await this.#channel.tell({ kind: "seek", number, id });
      await answered;
    } finally {
      cancelTimer();
      this.#searches.delete(number);
    }
    return counts;
  }

  #found({ number, count }: SessionMessage & { kind: "found" }, from: string): void {
    const search = this.#searches.get(number);
    if (search === undefined) {
      return;
    }
    if (count > 0) {
      search.counts.set(from, count);
    }
    search.silent.delete(from);
    if (search.silent.size === 0) {
      search.finish();
    }
  }

  #decide(cancelled: Cancelled, elsewhere: ReadonlyMap<string, number>): void {
    if (this.#isClosed) {
      return;
    }
    const here = this.#work.count(cancelled.id);
    const [other] = elsewhere;
    if (other === undefined) {
      this.#work.cancel(cancelled);
    } else if (here === 0 && elsewhere.size === 1 && other[1] === 1) {
      void this.#channel.inform({ kind: "cancel", cancelled }, other[0]);
    } else {
      const count = [...elsewhere.values()].reduce((sum, some) => sum + some, here);
      this.#work.reportAmbiguous(cancelled, count);
    }
  }
}

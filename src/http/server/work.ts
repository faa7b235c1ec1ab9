/** The POSTs in progress of one session, or of all requests without one: counted, cancelled by id, given up together. */
import { RpcError, rpcCodes } from "../../jsonrpc/error.ts";
import type { RequestId } from "../../jsonrpc/message.ts";
import { toPrincipalKey } from "../../protocol/principal.ts";
import type { AuthInfo } from "../../protocol/types/auth.ts";
import type { TextReply } from "../message.ts";
import type { InboundExchange } from "./exchange.ts";
import type { Quota } from "./quota.ts";
import type { HttpRuntime } from "./runtime.ts";

/** A POST as the table of them sees it. */
export interface ActivePost {
  readonly auth: AuthInfo | undefined;
  /** How many of its requests are in progress. */
  readonly size: number;
  /** Those in progress that carry an id. */
  find(id: RequestId): readonly InboundExchange[];
  /** Gives all of them up. Where nothing was sent yet, the client gets the given reply. */
  abort(reason: unknown, reply: TextReply): void;
}

/** A request that is to be given up, and why, in the words of whoever wants that. */
export interface Cancelled {
  readonly id: RequestId;
  readonly reason?: string | undefined;
}

/** POSTs whose requests are being worked on. */
export class WorkInProgress {
  readonly #runtime: HttpRuntime;
  readonly #onActivity: () => void;
  readonly #quota: Quota | undefined;
  /** Each with what takes it off the quota. */
  readonly #posts = new Map<ActivePost, (() => void) | undefined>();

  /**
   * @param onActivity - told whenever a POST begins or ends
   * @param quota - what their requests count for
   */
  constructor(runtime: HttpRuntime, onActivity: () => void, quota?: Quota) {
    this.#runtime = runtime;
    this.#onActivity = onActivity;
    this.#quota = quota;
  }

  /** How many POSTs there are. */
  get size(): number {
    return this.#posts.size;
  }

  /** How many requests are in progress. */
  get requests(): number {
    let requests = 0;
    for (const post of this.#posts.keys()) {
      requests += post.size;
    }
    return requests;
  }

  /** Adds a POST. */
  began(post: ActivePost): void {
    this.#posts.set(post, this.#quota?.take(toPrincipalKey(post.auth), post.size));
    this.#onActivity();
  }

  /** All of a POST's requests are done. */
  ended(post: ActivePost): void {
    this.#posts.get(post)?.();
    this.#posts.delete(post);
    this.#onActivity();
  }

  /** How many requests with this id are in progress. */
  count(id: RequestId): number {
    return this.#find(id).length;
  }

  /**
   * Cancels the one request that is meant. Ids are the client's choice, so where several requests carry the same one,
   * none is cancelled [PP-017].
   */
  cancel(cancelled: Cancelled): void {
    const exchanges = this.#find(cancelled.id);
    const [exchange] = exchanges;
    if (exchange === undefined) {
      const id = JSON.stringify(cancelled.id);
      this.#runtime.report("MCP_D_CANCEL_UNKNOWN", `a cancellation of request ${id}, which is not running`);
    } else if (exchanges.length > 1) {
      this.reportAmbiguous(cancelled, exchanges.length);
    } else {
      const why = cancelled.reason ?? "cancelled by the client";
      exchange.abort(new RpcError(rpcCodes.internalError, why, { remote: true }));
    }
  }

  /** Says that a cancellation could have meant any of several requests. */
  reportAmbiguous({ id }: Cancelled, count: number): void {
    const what = `a cancellation of request ${JSON.stringify(id)} cancelled nothing: ${count} requests carry that id`;
    this.#runtime.report("MCP_D_CANCEL_AMBIGUOUS", what);
  }

  /**
   * Gives up everything.
   *
   * @param reply - for requests of which nothing was answered yet
   */
  abort(reason: unknown, reply: TextReply): void {
    for (const post of this.#posts.keys()) {
      post.abort(reason, reply);
    }
  }

  #find(id: RequestId): InboundExchange[] {
    return [...this.#posts.keys()].flatMap((post) => post.find(id));
  }
}

/** What a handler has of one inbound message on a pipe: its signal, and the way back to whoever sent it. */
import type { Inflight } from "./inflight.ts";
import type { Call, Exchange, Link, LinkRequestOptions } from "./link.ts";
import type { JsonObject } from "./message.ts";

/** Notifications cannot be cancelled. */
const neverAborted: AbortSignal = /* @__PURE__ */ new AbortController().signal;

/** See the head of this file. */
export class PeerExchange<Context> implements Exchange<Context> {
  readonly context: Context;
  readonly #peer: Pick<Link, "notify" | "request">;
  readonly #inflight: Inflight | undefined;

  /** @param inflight - the request being answered; `undefined` for a notification */
  constructor(peer: Pick<Link, "notify" | "request">, context: Context, inflight: Inflight | undefined) {
    this.#peer = peer;
    this.context = context;
    this.#inflight = inflight;
  }

  get signal(): AbortSignal {
    return this.#inflight?.signal ?? neverAborted;
  }

  /** What belongs to a request is dropped once that is answered or given up. */
  async notify(call: Call): Promise<void> {
    if (this.#inflight?.done !== true && this.#inflight?.aborted !== true) {
      await this.#peer.notify(call);
    }
  }

  request(call: Call, options?: LinkRequestOptions): Promise<JsonObject> {
    return this.#peer.request(call, options);
  }
}

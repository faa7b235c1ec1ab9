/**
 * One inbound request over HTTP as the dispatcher sees it.
 *
 * Told apart by the object, never by the client's id: any number of requests may carry the same one. What it sends
 * goes to an outlet, which is the reply of its own POST [PP-044]. Notifications are in inbound.ts.
 */
import { ClosedError } from "../../base/error.ts";
import type { Call, LinkRequestOptions } from "../../jsonrpc/link.ts";
import type { JsonObject, RequestId } from "../../jsonrpc/message.ts";
import type { McpContext, McpExchange } from "../../revision/exchange.ts";
import { refuseServerRequest } from "./unreachable.ts";

/**
 * An exchange of the HTTP server. Handlers that work for long may let the connection go, so that the client polls.
 * Specification: Basic > Transports > Sending messages to the server [HTTP-016].
 */
export interface HttpExchange extends McpExchange {
  /**
   * Ends the connection of this request's event stream, while the request goes on: the client is told when to come
   * back, and then gets everything that was sent in between. Does nothing, and reports it, where the stream cannot be
   * resumed.
   */
  closeStream(): void;
  /** The same for the connection of the session's standing stream. */
  closeStandingStream(): void;
}

/** Where an exchange sends what it has to say before the answer. */
export interface Outlet {
  notify(call: Call): Promise<void>;
  request(call: Call, options: LinkRequestOptions): Promise<JsonObject>;
  closeStream(): void;
  closeStandingStream(): void;
}

/** The exchange of a request. Its abort controller is made only when somebody asks for the signal. */
export class InboundExchange implements HttpExchange {
  readonly context: McpContext;
  /** As the client chose it. */
  readonly id: RequestId;
  readonly #outlet: Outlet;
  #controller: AbortController | undefined;
  #abortion: { readonly reason: unknown } | undefined;
  /** Whether it was given up, not only told to come to an end. */
  #isGivenUp = false;
  #isDone = false;

  constructor(id: RequestId, context: McpContext, outlet: Outlet) {
    this.id = id;
    this.context = context;
    this.#outlet = outlet;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#abortion !== undefined) {
        this.#controller.abort(this.#abortion.reason);
      }
    }
    return this.#controller.signal;
  }

  /** Whether it was given up. */
  get isAborted(): boolean {
    return this.#isGivenUp;
  }

  /** Whether nothing more is sent for it. */
  get isOver(): boolean {
    return this.#isDone || this.#isGivenUp;
  }

  /** Gives it up. The first reason stays; after the answer it does nothing. */
  abort(reason: unknown): void {
    if (!this.#isDone) {
      this.#isGivenUp = true;
      this.conclude(reason);
    }
  }

  /** Asks it to come to its end: its signal aborts, but what it still says, and its answer, are sent. */
  conclude(reason: unknown): void {
    if (!this.#isDone && this.#abortion === undefined) {
      this.#abortion = { reason };
      this.#controller?.abort(reason);
    }
  }

  /** It was answered: nothing more is sent for it. */
  finish(): void {
    this.#isDone = true;
  }

  async notify(call: Call): Promise<void> {
    if (!this.isOver) {
      await this.#outlet.notify(call);
    }
  }

  request(call: Call, options: LinkRequestOptions = {}): Promise<JsonObject> {
    const { revision } = this.context;
    if (!revision.traits.serverRequests) {
      return refuseServerRequest(call.method, revision);
    }
    if (this.isOver) {
      const why = this.#isDone ? "has been answered" : "was given up";
      return Promise.reject(
        new ClosedError(`${call.method}: the request it belongs to ${why}`, { cause: this.#abortion?.reason }),
      );
    }
    return this.#outlet.request(call, options);
  }

  closeStream(): void {
    if (!this.isOver) {
      this.#outlet.closeStream();
    }
  }

  closeStandingStream(): void {
    this.#outlet.closeStandingStream();
  }
}

/**
 * What a server sends on its event streams: notifications and requests, handed to the dispatcher in order, each answer
 * sent back as a POST of its own [HTTP-006].
 *
 * One per session, as ids of the server's requests mean something in their session only.
 */
import type { OnDiagnostic } from "../../base/diagnostic.ts";
import { toMcpError } from "../../base/error.ts";
import { RpcError, rpcCodes } from "../../jsonrpc/error.ts";
import { type Inflight, InflightCalls } from "../../jsonrpc/inflight.ts";
import type { Call, Dispatcher, Exchange, LinkRequestOptions } from "../../jsonrpc/link.ts";
import {
  createErrorResponse,
  type InvalidMessage,
  type JsonObject,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
} from "../../jsonrpc/message.ts";
import { mcpCancellation } from "../../protocol/cancellation.ts";
import type { McpContext } from "../../revision/exchange.ts";
import type { HttpSession } from "./session.ts";

/** Requests of the server worked on at once; one more is refused. */
const maxConcurrentRequests = 1_000;

/** What inbound messages are handed to, and how answers and further messages go out. */
export interface InboundOptions {
  readonly session: HttpSession;
  readonly dispatcher: Dispatcher<McpContext>;
  readonly report: OnDiagnostic;
  /** Sends an answer. */
  respond(response: JsonRpcResponse): Promise<void>;
  notify(call: Call): Promise<void>;
  request(call: Call, options?: LinkRequestOptions): Promise<JsonObject>;
}

/** Takes what the server says on the stream of a request, beside the answer. */
export interface Receiver {
  /** Takes a request. */
  request(message: JsonRpcRequest): void;
  /** Takes a notification that belongs to no request of ours. */
  notification(message: JsonRpcNotification): void;
  /** Stops the request that a notification cancels, if it is a cancellation; whoever receives it gets it all the same. */
  cancellation(message: JsonRpcNotification): void;
  /** Takes what is no message. */
  invalid(invalid: InvalidMessage): void;
}

/** Receives what the server says in a session. */
export class Inbound implements Receiver {
  readonly #options: InboundOptions;
  readonly #inflight = new InflightCalls();

  constructor(options: InboundOptions) {
    this.#options = options;
    options.session.signal.addEventListener("abort", () => this.#inflight.drain(options.session.signal.reason), {
      once: true,
    });
  }

  notification(message: JsonRpcNotification): void {
    if (this.#options.session.signal.aborted) {
      return;
    }
    this.cancellation(message);
    void this.#dispatch(message, undefined);
  }

  cancellation(message: JsonRpcNotification): void {
    const cancelled = mcpCancellation.parse(message);
    if (cancelled === undefined) {
      return;
    }
    const text = cancelled.reason ?? "cancelled by the server";
    if (!this.#inflight.abort(cancelled.id, new RpcError(rpcCodes.internalError, text, { remote: true }))) {
      const id = JSON.stringify(cancelled.id);
      this.#options.report({
        code: "MCP_D_CANCEL_UNKNOWN",
        message: `a cancellation of request ${id}, which is not running`,
      });
    }
  }

  request(message: JsonRpcRequest): void {
    if (this.#options.session.signal.aborted) {
      return;
    }
    if (this.#inflight.size >= maxConcurrentRequests) {
      const text = "too many requests in progress: wait for answers first";
      this.#respond(createErrorResponse(message.id, { code: rpcCodes.internalError, message: text }));
      return;
    }
    const inflight = this.#inflight.register(message.id);
    if (inflight === undefined) {
      // A resumed stream may bring a request again; an error would answer the first, which is being worked on.
      const id = JSON.stringify(message.id);
      this.#options.report({
        code: "MCP_D_DUPLICATE_REQUEST",
        message: `request ${id} came again and was not begun anew`,
      });
      return;
    }
    void this.#dispatch(message, inflight).then((response) => {
      this.#inflight.finish(inflight);
      if (response !== undefined && !inflight.aborted) {
        this.#respond(response);
      }
    });
  }

  /** Answers what is no valid request, and reports what else it may be. */
  invalid(invalid: InvalidMessage): void {
    if (invalid.meant === "request") {
      this.#respond(createErrorResponse(invalid.id, invalid.error));
    }
    this.#options.report({ code: "MCP_D_INVALID_MESSAGE", message: invalid.error.message });
  }

  async #dispatch(
    message: JsonRpcRequest | JsonRpcNotification,
    inflight: Inflight | undefined,
  ): Promise<JsonRpcResponse | undefined> {
    const { dispatcher, report } = this.#options;
    return await deliver(message, this.#createExchange(inflight), dispatcher, report);
  }

  #createExchange(inflight: Inflight | undefined): Exchange<McpContext> {
    const { session, notify, request } = this.#options;
    return {
      context: { revision: session.revision, session: undefined, auth: undefined, http: undefined },
      get signal() {
        return inflight === undefined ? session.signal : inflight.signal;
      },
      notify: async (call) => {
        if (inflight?.done !== true && inflight?.aborted !== true) {
          await notify(call);
        }
      },
      request: (call, options) => request(call, options),
    };
  }

  #respond(response: JsonRpcResponse): void {
    this.#options.respond(response).catch((error: unknown) => {
      const id = JSON.stringify(response.id);
      const message = `the answer to request ${id} did not reach the server: ${toMcpError(error).message}`;
      this.#options.report({ code: "MCP_D_ANSWER_UNSENT", message, detail: error });
    });
  }
}

/** Hands a message to the dispatcher. Dispatchers promise not to reject; one that does must not take the stream with it. */
export async function deliver(
  message: JsonRpcRequest | JsonRpcNotification,
  exchange: Exchange<McpContext>,
  dispatcher: Dispatcher<McpContext>,
  report: OnDiagnostic,
): Promise<JsonRpcResponse | undefined> {
  try {
    return await dispatcher.dispatch(message, exchange);
  } catch (error) {
    report({ code: "MCP_D_DISPATCHER_FAULT", message: `handling ${message.method} failed`, detail: error });
    return "id" in message
      ? createErrorResponse(message.id, { code: rpcCodes.internalError, message: "internal error" })
      : undefined;
  }
}

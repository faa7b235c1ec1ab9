/**
 * Turns a Channel into a Link: pairs answers with requests, and feeds a Dispatcher.
 *
 * The only place that correlates by id. Deadlines, progress and meaning of methods are the business of those above.
 */
import { createDeferred } from "../base/deferred.ts";
import type { OnDiagnostic } from "../base/diagnostic.ts";
import { ClosedError, type McpError, PeerError } from "../base/error.ts";
import { RpcError, rpcCodes } from "./error.ts";
import { type Inflight, InflightCalls } from "./inflight.ts";
import type {
  Call,
  CancellationRules,
  Channel,
  ChannelProblem,
  Dispatcher,
  Exchange,
  Link,
  LinkRequestOptions,
} from "./link.ts";
import {
  classifyMessage,
  createErrorResponse,
  type InvalidMessage,
  type JsonObject,
  type JsonRpcMessage,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
  toNotification,
  toRequest,
} from "./message.ts";
import { PeerExchange } from "./peer-exchange.ts";
import { PendingCalls } from "./pending.ts";
import { MessageTooLargeError } from "./too-large.ts";

/** Options of a {@link Peer}. */
export interface PeerOptions<Context> {
  /** What every exchange of an inbound message carries. */
  createContext: (message: JsonRpcRequest | JsonRpcNotification) => Context;
  /** How requests are cancelled. */
  cancellation: CancellationRules;
  /** Whether an array of messages is taken at this moment, each as if it had come alone. Default never. */
  acceptsBatches?: (() => boolean) | undefined;
  /** Inbound requests worked on at once; one more is refused. Default 1 000. */
  maxConcurrentRequests?: number | undefined;
  /** Told of what had to be dropped. */
  onDiagnostic?: OnDiagnostic | undefined;
}

/**
 * A link over a channel.
 *
 * @example
 * ```ts
 * import { type Channel, Peer } from "parley-mcp/jsonrpc";
 *
 * export async function ask(channel: Channel): Promise<unknown> {
 *   const cancellation = { toNotification: () => undefined, parse: () => undefined };
 *   const peer = new Peer(channel, { createContext: () => undefined, cancellation });
 *   await peer.start({ dispatch: async () => undefined });
 *   return await peer.request({ method: "ping" });
 * }
 * ```
 */
export class Peer<Context> implements Link<Context> {
  readonly closed: Promise<McpError | undefined>;
  readonly #channel: Channel;
  readonly #options: PeerOptions<Context>;
  readonly #pending = new PendingCalls();
  readonly #inflight = new InflightCalls();
  readonly #ended = createDeferred<McpError | undefined>();
  #dispatcher: Dispatcher<Context> | undefined;
  #end: { fault: McpError | undefined } | undefined;

  constructor(channel: Channel, options: PeerOptions<Context>) {
    this.#channel = channel;
    this.#options = options;
    this.closed = this.#ended.promise;
  }

  /** Inbound and outbound requests that are open, for tests and gauges. */
  get openRequests(): { readonly inbound: number; readonly outbound: number } {
    return { inbound: this.#inflight.size, outbound: this.#pending.size };
  }

  async start(dispatcher: Dispatcher<Context>): Promise<void> {
    this.#dispatcher = dispatcher;
    await this.#channel.open({
      message: (value) => this.#receiveValue(value),
      malformed: (problem) => this.#receiveMalformed(problem),
      closed: (fault) => this.#finish(fault),
    });
  }

  request(call: Call, options: LinkRequestOptions = {}): Promise<JsonObject> {
    if (this.#end !== undefined && options.signal?.aborted !== true) {
      return Promise.reject(this.#closedError(call.method));
    }
    return this.#pending.ask(
      call.method,
      options,
      (id) => {
        const fail = (error: unknown): void => this.#pending.take(id)?.reject(error);
        this.#send(toRequest(id, call))?.catch(fail);
      },
      (id, reason) => this.#cancel(id, call, reason),
    );
  }

  async notify(call: Call): Promise<void> {
    if (this.#end !== undefined) {
      throw this.#closedError(call.method);
    }
    await this.#send(toNotification(call));
  }

  async close(): Promise<void> {
    // Whoever waits is released before the channel is taken down, which may take a while.
    this.#finish(undefined);
    await this.#channel.close();
  }

  #cancel(id: number, call: Call, reason: unknown): void {
    const notification = this.#options.cancellation.toNotification(id, call, reason);
    if (notification !== undefined) {
      this.#send(toNotification(notification))?.catch((error: unknown) => this.#report("MCP_D_CANCEL_UNSENT", error));
    }
  }

  #receiveValue(value: unknown): void {
    if (!Array.isArray(value) || value.length === 0 || this.#options.acceptsBatches?.() !== true) {
      this.#receive(value);
      return;
    }
    for (const each of value) {
      this.#receive(each);
    }
  }

  #receive(value: unknown): void {
    const classified = classifyMessage(value);
    switch (classified.kind) {
      case "request":
        this.#receiveRequest(classified.message);
        break;
      case "notification":
        this.#receiveNotification(classified.message);
        break;
      case "response":
        this.#receiveResponse(classified.message);
        break;
      case "invalid":
        this.#receiveInvalid(classified);
        break;
    }
  }

  #receiveRequest(message: JsonRpcRequest): void {
    if (this.#inflight.size >= (this.#options.maxConcurrentRequests ?? 1_000)) {
      const error = { code: rpcCodes.internalError, message: "too many requests in progress: wait for answers first" };
      this.#reply(createErrorResponse(message.id, error));
      return;
    }
    const inflight = this.#inflight.register(message.id);
    if (inflight === undefined) {
      const error = { code: rpcCodes.invalidRequest, message: `request id ${JSON.stringify(message.id)} is in use` };
      this.#reply(createErrorResponse(message.id, error));
      return;
    }
    void this.#dispatch(message, this.#createExchange(message, inflight)).then((response) => {
      this.#inflight.finish(inflight);
      if (response !== undefined && !inflight.aborted && this.#end === undefined) {
        this.#reply(response);
      }
    });
  }

  #receiveNotification(message: JsonRpcNotification): void {
    const cancelled = this.#options.cancellation.parse(message);
    if (cancelled !== undefined) {
      const reason = new RpcError(rpcCodes.internalError, cancelled.reason ?? "cancelled by the peer", {
        remote: true,
      });
      if (!this.#inflight.abort(cancelled.id, reason)) {
        this.#report(
          "MCP_D_CANCEL_UNKNOWN",
          undefined,
          `a cancellation of request ${cancelled.id}, which is not running`,
        );
      }
    }
    void this.#dispatch(message, this.#createExchange(message, undefined));
  }

  #receiveResponse(message: JsonRpcResponse): void {
    if (message.id === undefined || message.id === null) {
      const { error } = message as { error?: unknown };
      this.#report("MCP_D_ERROR_WITHOUT_ID", error, "an error without an id, so no request can be told of it");
      return;
    }
    const pending = this.#pending.take(message.id);
    if (pending === undefined) {
      const code = this.#pending.wasIssued(message.id) ? "MCP_D_LATE_RESPONSE" : "MCP_D_UNKNOWN_RESPONSE";
      this.#report(code, undefined, `an answer to request ${JSON.stringify(message.id)}, which does not wait`);
    } else if ("result" in message) {
      pending.resolve(message.result);
    } else {
      const { code, message: text, data } = message.error;
      pending.reject(new RpcError(code, text, { data, remote: true }));
    }
  }

  #receiveInvalid(invalid: InvalidMessage): void {
    if (invalid.meant === "response" && invalid.id !== undefined) {
      this.#pending.take(invalid.id)?.reject(new PeerError(`invalid answer: ${invalid.error.message}`));
    }
    if (invalid.meant === "request" || invalid.meant === "unknown") {
      this.#reply(createErrorResponse(invalid.id, invalid.error));
    }
    this.#report("MCP_D_INVALID_MESSAGE", undefined, invalid.error.message);
  }

  #receiveMalformed(problem: ChannelProblem): void {
    this.#report("MCP_D_MALFORMED_INPUT", undefined, problem.error.message);
    if (problem.isResponse === true) {
      if (problem.id !== undefined) {
        this.#pending.take(problem.id)?.reject(new PeerError(problem.error.message));
      }
    } else {
      this.#reply(createErrorResponse(problem.id, problem.error));
    }
  }

  #createExchange(message: JsonRpcRequest | JsonRpcNotification, inflight: Inflight | undefined): Exchange<Context> {
    return new PeerExchange(this, this.#options.createContext(message), inflight);
  }

  async #dispatch(
    message: JsonRpcRequest | JsonRpcNotification,
    exchange: Exchange<Context>,
  ): Promise<JsonRpcResponse | undefined> {
    try {
      return await this.#dispatcher?.dispatch(message, exchange);
    } catch (error) {
      // Dispatchers promise not to reject; one that does must not take the link with it.
      this.#report("MCP_D_DISPATCHER_FAULT", error);
      return "id" in message
        ? createErrorResponse(message.id, { code: rpcCodes.internalError, message: "internal error" })
        : undefined;
    }
  }

  #reply(response: JsonRpcResponse): void {
    this.#send(response)?.catch((error: unknown) => {
      this.#report("MCP_D_ANSWER_UNSENT", error);
      if (error instanceof MessageTooLargeError) {
        this.#reply(createErrorResponse(response.id, { code: rpcCodes.internalError, message: error.message }));
      }
    });
  }

  #send(message: JsonRpcMessage): Promise<void> | undefined {
    try {
      return this.#channel.send(message);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  #finish(fault: McpError | undefined): void {
    if (this.#end !== undefined) {
      return;
    }
    this.#end = { fault };
    this.#pending.drain(this.#closedError(undefined));
    this.#inflight.drain(this.#closedError(undefined));
    this.#ended.resolve(fault);
  }

  #closedError(method: string | undefined): McpError {
    const fault = this.#end?.fault;
    const what = method === undefined ? "the connection ended" : `${method}: the connection has ended`;
    return new ClosedError(fault === undefined ? what : `${what}: ${fault.message}`, { cause: fault });
  }

  #report(code: string, detail: unknown, what?: string): void {
    const message = what ?? (detail instanceof Error ? detail.message : String(detail));
    this.#options.onDiagnostic?.({ code, message, detail });
  }
}

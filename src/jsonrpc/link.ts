/**
 * The contracts between whoever speaks and whatever carries: Link, Channel, Dispatcher and Exchange.
 *
 * A link is what calls go out through. A channel is one ordered pipe of messages; `Peer` makes a link of it.
 * Streamable HTTP is no pipe and is a link by itself. Nothing here knows MCP.
 */
import type { McpError } from "../base/error.ts";
import type {
  JsonObject,
  JsonRpcErrorObject,
  JsonRpcMessage,
  JsonRpcNotification,
  JsonRpcRequest,
  JsonRpcResponse,
  RequestId,
} from "./message.ts";

/** A method and its params, on the way out: the link adds what else the message needs. */
export interface Call {
  readonly method: string;
  readonly params?: JsonObject | undefined;
}

/** Stops the clocks of whoever waits for an answer, as while a person is asked; gives what lets them run again. */
export type Hold = () => () => void;

/** Options of {@link Link.start}. */
export interface LinkStartOptions {
  /** Gives the opening up. */
  signal?: AbortSignal | undefined;
  /** For links that may have to wait for a person before they can send. */
  hold?: Hold | undefined;
}

/** Options of one outgoing request. */
export interface LinkRequestOptions {
  /**
   * Gives the request up. The link tells the peer in its own way and rejects with the signal's reason, untouched.
   */
  signal?: AbortSignal | undefined;
  /**
   * Receives each notification that this link can tie to the request. What it cannot tie goes to the dispatcher.
   */
  onRelated?: ((notification: JsonRpcNotification) => void) | undefined;
  /**
   * Goes beside the message, for links that have headers; others ignore it, so nothing may depend on it alone. What the
   * link itself sends under the same name takes precedence.
   */
  headers?: { readonly [name: string]: string } | undefined;
}

/**
 * What a session talks through.
 *
 * Implementors promise: `request` settles exactly once for every call, with the result, an `RpcError` marked
 * `remote`, a `ClosedError` or the signal's reason; inbound messages reach the dispatcher in the order of arrival;
 * after `close` nothing arrives, and no timer, socket or process is left.
 */
export interface Link<Context = unknown> {
  /** Opens the link. Called once, before anything else. */
  start(dispatcher: Dispatcher<Context>, options?: LinkStartOptions): Promise<void>;
  /** Sends a request and waits for its result. */
  request(call: Call, options?: LinkRequestOptions): Promise<JsonObject>;
  /** Sends a notification; resolves once it is on its way. */
  notify(call: Call): Promise<void>;
  /** Ends the link. Requests still waiting are rejected. Calling it again waits for the same end. */
  close(): Promise<void>;
  /** Resolves when the link has ended: with the fault that ended it, or with nothing. */
  readonly closed: Promise<McpError | undefined>;
}

/**
 * What receives inbound messages.
 *
 * Implementors promise never to reject: whatever a handler throws becomes an error response.
 */
export interface Dispatcher<Context = unknown> {
  /** Answers a request, or takes note of a notification and answers nothing. */
  dispatch(
    message: JsonRpcRequest | JsonRpcNotification,
    exchange: Exchange<Context>,
  ): Promise<JsonRpcResponse | undefined>;
}

/** One inbound message with everything that belongs to it. */
export interface Exchange<Context = unknown> {
  /** Aborts when the peer cancels, the link closes, or the process shuts down; the reason tells which. */
  readonly signal: AbortSignal;
  /** What the protocol above adds: its revision, the caller, the session. */
  readonly context: Context;
  /** Sends a notification that belongs to this message. After the answer it is dropped. */
  notify(call: Call): Promise<void>;
  /** Asks the peer something on behalf of this message. */
  request(call: Call, options?: LinkRequestOptions): Promise<JsonObject>;
}

/**
 * One ordered pipe of messages in both directions.
 *
 * Implementors promise: messages arrive whole and in the order they were sent; `closed` is called exactly once.
 */
export interface Channel {
  /** Starts reading. Called once. */
  open(receiver: ChannelReceiver): Promise<void>;
  /**
   * Writes one message. Resolves when more may be written, which is how back-pressure reaches the sender.
   *
   * @throws {@link MessageTooLargeError} when the message is over the channel's limit; nothing was written
   */
  send(message: JsonRpcMessage): Promise<void> | undefined;
  /** Ends both directions. */
  close(): Promise<void>;
}

/** What a channel delivers to. */
export interface ChannelReceiver {
  /** One JSON value, not yet looked at. */
  message(value: unknown): void;
  /** Bytes that gave no JSON value. The channel goes on behind them. */
  malformed(problem: ChannelProblem): void;
  /** The pipe ended, by a fault or in order. */
  closed(fault: McpError | undefined): void;
}

/** What was wrong with a piece of input. */
export interface ChannelProblem {
  readonly error: JsonRpcErrorObject;
  /** The id in it, where one could still be read. */
  readonly id?: RequestId | undefined;
  /** Whether it was an answer to one of our requests, which fails that request, rather than something to answer. */
  readonly isResponse?: boolean | undefined;
}

/** How a protocol cancels requests on a pipe. */
export interface CancellationRules {
  /** What to send when one of our own requests is given up; nothing where it must not be cancelled. */
  toNotification(id: RequestId, request: Call, reason: unknown): Call | undefined;
  /** The request that an inbound notification cancels, with the reason it gives. */
  parse(
    notification: JsonRpcNotification,
  ): { readonly id: RequestId; readonly reason?: string | undefined } | undefined;
}

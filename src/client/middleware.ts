/**
 * The onion around every message of a session, both directions: `next => message => result`.
 *
 * A middleware may look, rewrite, answer by itself or refuse. Without any, nothing is wrapped and nothing is paid.
 */
import type { JsonObject } from "../jsonrpc/message.ts";
import type { Notifications, Requests } from "../protocol/methods.ts";

/** A request or notification on its way; the handshake is not among them. Params and results have the shape of the newest revision. */
export interface ClientMessage {
  /** Whether this client sends it or the server sent it. */
  readonly direction: "outgoing" | "incoming";
  readonly kind: "request" | "notification";
  readonly method: string;
  readonly params: JsonObject | undefined;
  /** Aborts when the request is given up; never aborts for a notification. */
  readonly signal: AbortSignal;
}

/** Passes a message on. Gives the result of a request, and nothing for a notification. */
export type Next = (message: ClientMessage) => Promise<JsonObject | undefined>;

/**
 * One layer.
 *
 * @example
 * ```ts
 * import { defineClient, isMessage, type Middleware } from "parley-mcp/client";
 *
 * const countCalls: Middleware = (next) => async (message) => {
 *   if (message.direction === "outgoing" && isMessage(message, "tools/call")) {
 *     calls.set(message.params.name, (calls.get(message.params.name) ?? 0) + 1);
 *   }
 *   return next(message);
 * };
 * const calls = new Map<string, number>();
 * export const client = defineClient({ name: "host", version: "1.0.0", middleware: [countCalls] });
 * ```
 */
export type Middleware = (next: Next) => Next;

/** The params of a method of the protocol. */
export type ParamsOf<M extends keyof Requests | keyof Notifications> = M extends keyof Requests
  ? Requests[M]["params"]
  : M extends keyof Notifications
    ? Notifications[M]
    : never;

/**
 * Whether a message is of this method; narrows its params. What arrives is checked before the middleware sees it.
 *
 * @param method - a method of the protocol
 *
 * @example
 * ```ts
 * import { isMessage, type Middleware } from "parley-mcp/client";
 *
 * export const countCalls = (count: (tool: string) => void): Middleware => (next) => (message) => {
 *   if (isMessage(message, "tools/call")) {
 *     count(message.params.name);
 *   }
 *   return next(message);
 * };
 * ```
 */
export function isMessage<M extends keyof Requests | keyof Notifications>(
  message: ClientMessage,
  method: M,
): message is ClientMessage & { readonly method: M; readonly params: ParamsOf<M> } {
  return message.method === method;
}

/** Puts layers around the last step; the first one is the outermost. */
export function composeMiddleware(layers: readonly Middleware[], last: Next): Next {
  return layers.reduceRight((next, layer) => layer(next), last);
}

/**
 * The onion around handlers: each layer gets the next one and sees every request, result, error and notification.
 *
 * Composed once, when the server is defined; without layers there is nothing to pass through.
 */
import type { JsonObject } from "../jsonrpc/message.ts";
import type { ClientNotifications, ServerRequests } from "../protocol/methods.ts";
import type { MaybePromise } from "./maybe.ts";
import type { Context } from "./requests/context.ts";

type RequestMessages = {
  [Method in keyof ServerRequests]: {
    readonly kind: "request";
    readonly method: Method;
    readonly params: ServerRequests[Method]["params"];
  };
}[keyof ServerRequests];

type NotificationMessages = {
  [Method in keyof ClientNotifications]: {
    readonly kind: "notification";
    readonly method: Method;
    readonly params: ClientNotifications[Method];
  };
}[keyof ClientNotifications];

/**
 * What passes through: requests and notifications whose params have been checked. `method` narrows `params`. Custom
 * methods pass too.
 */
export type ServerMessage = RequestMessages | NotificationMessages;

/** Goes on: to the next layer, or to the handler. Gives the result of a request, nothing for a notification. */
export type Next<Value = unknown> = (
  message: ServerMessage,
  ctx: Context<Value>,
) => MaybePromise<JsonObject | undefined>;

/**
 * One layer. It may change the message, answer by itself, change the result, or throw.
 *
 * @example
 * ```ts
 * import { defineServer, type Middleware } from "parley-mcp/server";
 *
 * const calls: string[] = [];
 * const audit: Middleware = (next) => async (message, ctx) => {
 *   if (message.method === "tools/call") calls.push(message.params.name);
 *   return next(message, ctx);
 * };
 * export const app = defineServer({ name: "demo", version: "1.0.0", middleware: [audit] });
 * ```
 */
export type Middleware<Value = unknown> = (next: Next) => Next<Value>;

/** Layers around a handler, the first one outermost. */
export function compose(layers: readonly Middleware<never>[], handler: Next): Next {
  return layers.reduceRight<Next>((next, layer) => layer(next) as Next, handler);
}

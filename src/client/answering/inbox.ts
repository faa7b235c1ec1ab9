/**
 * Everything a server sends: requests are answered, notifications handed to their listeners.
 *
 * What a request is answered with is answering.ts. Only JSON-RPC errors leave as they are; whatever else a handler
 * throws stays here and becomes a diagnostic.
 */
import { isAbortOf } from "../../base/abort.ts";
import { rpcCodes } from "../../jsonrpc/error.ts";
import type { Exchange } from "../../jsonrpc/link.ts";
import {
  createErrorResponse,
  type JsonRpcErrorObject,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
} from "../../jsonrpc/message.ts";
import { isServerNotification } from "../../protocol/methods.ts";
import { checkParams } from "../../protocol/params.ts";
import type { Notifications } from "../changes/notifications.ts";
import { type ClientMessage, composeMiddleware } from "../middleware.ts";
import type { Connection, Inbox } from "../requests/connection.ts";
import { isRpcError } from "../requests/rpc-error.ts";
import type { Answering } from "./answering.ts";

/** Notifications that links and `Outgoing` deal with; nobody else needs to listen. */
const handledBelow: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "notifications/cancelled",
  "notifications/progress",
]);

/** Takes a notification that the middleware let through. */
type Deliver = (message: ClientMessage) => void;

/** See the head of this file. */
export class ServerInbox implements Inbox {
  readonly #connection: Connection;
  readonly #answering: Answering;
  readonly #notifications: Notifications;

  constructor(connection: Connection, answering: Answering, notifications: Notifications) {
    this.#connection = connection;
    this.#answering = answering;
    this.#notifications = notifications;
  }

  async dispatch(
    message: JsonRpcRequest | JsonRpcNotification,
    exchange: Exchange,
  ): Promise<JsonRpcResponse | undefined> {
    if (!("id" in message)) {
      this.receive(message);
      return undefined;
    }
    const { id, method } = message;
    const { revision } = this.#connection;
    if (!revision.traits.serverRequests) {
      const what = `a request for ${method} was dropped: servers of revision ${revision.id} send none`;
      this.#connection.report("MCP_D_UNEXPECTED_REQUEST", what);
      return undefined;
    }
    try {
      const result = await this.#answering.answer(message, { signal: exchange.signal });
      return { jsonrpc: "2.0", id, result: revision.encodeResult(method, result) };
    } catch (error) {
      return createErrorResponse(id, this.#toErrorObject(error, method, exchange.signal));
    }
  }

  /**
   * Takes a notification; one that cannot be used is reported and dropped, never answered [BASE-012].
   *
   * @param deliver - where it goes after the middleware. Default: to everybody who listens
   */
  receive({ method, params }: JsonRpcNotification, deliver: Deliver = (message) => this.#deliver(message)): void {
    const decoded = this.#connection.revision.decodeParams(method, params);
    const fault = isServerNotification(method) ? checkParams(method, decoded) : undefined;
    if (fault !== undefined) {
      this.#connection.report("MCP_D_NOTIFICATION_INVALID", `${method} was dropped: ${fault}`);
      return;
    }
    const { signal } = this.#connection;
    const message: ClientMessage = { direction: "incoming", kind: "notification", method, params: decoded, signal };
    void this.#pass(message, deliver);
  }

  /** Runs at once as far as the middleware lets it, so that notifications keep their order. */
  async #pass(message: ClientMessage, deliver: Deliver): Promise<void> {
    const pass = composeMiddleware(this.#connection.settings.middleware, async (seen) => {
      deliver(seen);
      return undefined;
    });
    try {
      await pass(message);
    } catch (error) {
      this.#connection.report("MCP_D_CALLBACK_FAULT", `a middleware failed on ${message.method}`, error);
    }
  }

  #deliver({ method, params }: ClientMessage): void {
    const notification: JsonRpcNotification = { jsonrpc: "2.0", method, ...(params && { params }) };
    this.#connection.outgoing.receiveProgress(notification);
    const heard = this.#notifications.emit(method, params);
    if (!heard && !handledBelow.has(method) && !isServerNotification(method)) {
      this.#connection.report("MCP_D_NOTIFICATION_UNKNOWN", `${method} was dropped: nobody listens for it`);
    }
  }

  #toErrorObject(error: unknown, method: string, signal: AbortSignal): JsonRpcErrorObject {
    if (isAbortOf(signal, error)) {
      return { code: rpcCodes.internalError, message: "the request was cancelled" };
    }
    if (isRpcError(error)) {
      const { rpcCode: code, message, data } = error;
      return data === undefined ? { code, message } : { code, message, data };
    }
    this.#connection.report(
      "MCP_D_HANDLER_FAULT",
      `the handler of ${method} failed; the server was told no more`,
      error,
    );
    return { code: rpcCodes.internalError, message: "internal error" };
  }
}

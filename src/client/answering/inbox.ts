/**
 * Everything a server sends: requests are answered, notifications handed to their listeners.
 *
 * What a request is answered with is answering.ts. Only JSON-RPC errors leave as they are; whatever else a handler
 * throws stays here and becomes a diagnostic.
 */
import type { Exchange } from "../../jsonrpc/link.ts";
import {
  createErrorResponse,
  type JsonObject,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
} from "../../jsonrpc/message.ts";
import { metaKeys, readMeta, withMeta } from "../../protocol/meta.ts";
import { isServerNotification } from "../../protocol/methods.ts";
import { checkParams } from "../../protocol/params.ts";
import type { Notifications } from "../changes/notifications.ts";
import { type ClientMessage, composeMiddleware } from "../middleware.ts";
import type { Connection, Inbox } from "../requests/connection.ts";
import type { Answering } from "./answering.ts";
import { toSentError } from "./sent-error.ts";

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
  readonly #answering: Pick<Answering, "answer">;
  readonly #notifications: Notifications;

  constructor(connection: Connection, answering: Pick<Answering, "answer">, notifications: Notifications) {
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
      return { jsonrpc: "2.0", id, result: relate(revision.encodeResult(method, result), message.params) };
    } catch (error) {
      return createErrorResponse(id, toSentError(this.#connection, error, method, exchange.signal));
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
}

/** What is asked for a task is answered for it [TASK-033]. */
function relate(result: JsonObject, params: JsonObject | undefined): JsonObject {
  const task = readMeta(params)?.[metaKeys.relatedTask];
  return task === undefined ? result : withMeta(result, metaKeys.relatedTask, task);
}

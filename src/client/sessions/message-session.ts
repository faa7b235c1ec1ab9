/**
 * A session as what goes over it: any request, any notification, and its end. Features are session.ts.
 */
import type { Unsubscribe } from "../../base/emitter.ts";
import { type McpError, UsageError } from "../../base/error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ClientNotifications, ServerRequests } from "../../protocol/methods.ts";
import type { RequestOptions } from "../../protocol/outgoing.ts";
import type { NotificationListener, NotificationParamsOf, Notifications } from "../changes/notifications.ts";
import type { SessionChanges } from "../changes/session-changes.ts";
import type { Caller } from "../requests/caller.ts";
import type { Connection } from "../requests/connection.ts";
import type { ServerDetails } from "./server-details.ts";

/** What carries a session's messages. */
export interface MessageSessionParts {
  readonly connection: Connection;
  readonly caller: Caller;
  readonly notifications: Notifications;
  readonly changes: SessionChanges;
}

/** Options of a request whose rounds of questions the caller drives. */
export interface ManualRequestOptions extends RequestOptions {
  /** Gives a result that asks for input as it is. Send the request again with `inputResponses` and `requestState`. */
  inputRounds: "manual";
}

/** What may come first instead of the result of a request. */
export type InterimOf<M extends keyof ServerRequests> = ServerRequests[M] extends { interim: infer Interim }
  ? Interim
  : never;

/** A method that is none of the known ones, so that a mistake in the params of a known one cannot pass as foreign. */
type Foreign<Method extends string, Known extends string> = Method extends Known ? never : Method;

/**
 * The messages of one session: the lower door of every {@link ClientSession}.
 *
 * @example
 * ```ts
 * import type { MessageSession } from "parley-mcp/client";
 *
 * export async function hush(session: MessageSession): Promise<void> {
 *   await session.request("acme/hush", { minutes: 5 });
 *   await session.close();
 * }
 * ```
 */
export class MessageSession implements AsyncDisposable {
  /** Resolves when the session has ended: with the fault that ended it, or with nothing. */
  readonly closed: Promise<McpError | undefined>;
  readonly #parts: MessageSessionParts;

  constructor(parts: MessageSessionParts) {
    this.#parts = parts;
    this.closed = parts.connection.closed;
  }

  /** Who the server says it is, what it offers, how to use it, and the revision both speak. */
  get server(): ServerDetails {
    const { server } = this.#parts.connection;
    if (server === undefined) {
      throw new UsageError("the handshake is not over yet");
    }
    return server;
  }

  /**
   * Sends any request, also one outside the protocol. What the protocol knows has its own types and no others; for a
   * method that is only known when running, as a `string`, both sides are JSON objects.
   */
  request<M extends keyof ServerRequests>(
    method: M,
    params: ServerRequests[M]["params"] | undefined,
    options: ManualRequestOptions,
  ): Promise<ServerRequests[M]["result"] | InterimOf<M>>;
  request<M extends keyof ServerRequests>(
    method: M,
    params?: ServerRequests[M]["params"],
    options?: RequestOptions,
  ): Promise<ServerRequests[M]["result"]>;
  request<M extends string>(
    method: Foreign<M, keyof ServerRequests>,
    params?: JsonObject,
    options?: RequestOptions,
  ): Promise<JsonObject>;
  request(method: string, params?: object, options?: RequestOptions): Promise<JsonObject> {
    return this.#parts.caller.send(method, params as JsonObject | undefined, options);
  }

  /** Sends any notification, also one outside the protocol. */
  notify<M extends keyof ClientNotifications>(method: M, params?: ClientNotifications[M]): Promise<void>;
  notify<M extends string>(method: Foreign<M, keyof ClientNotifications>, params?: JsonObject): Promise<void>;
  notify(method: string, params?: object): Promise<void> {
    return this.#parts.connection.notify(method, params as JsonObject | undefined);
  }

  /**
   * Listens for a notification. Notifications of the protocol arrive checked. Where servers have to be asked for those of
   * changed lists, they are.
   *
   * @returns stops listening
   */
  onNotification<M extends string>(method: M, listener: NotificationListener<NotificationParamsOf<M>>): Unsubscribe {
    const stopListening = this.#parts.notifications.on(method, listener);
    const release = this.#parts.changes.hear(method);
    return () => {
      stopListening();
      release();
    };
  }

  /** Ends the session and its link; calls still waiting are rejected with a {@link ClosedError}. */
  close(): Promise<void> {
    return this.#parts.connection.close();
  }

  /** The same as {@link ClientSession.close}. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

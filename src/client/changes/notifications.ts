/** Listeners for a session's notifications, by method. A listener that throws stops neither the others nor the session. */
import { Emitter, type Unsubscribe } from "../../base/emitter.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ServerNotifications } from "../../protocol/methods.ts";

/** Hears the params of a notification. */
export type NotificationListener<Params = JsonObject | undefined> = (params: Params) => void;

/** The params of a notification of the protocol, or of any other. */
export type NotificationParamsOf<M extends string> = M extends keyof ServerNotifications
  ? ServerNotifications[M]
  : JsonObject | undefined;

/** See the head of this file. */
export class Notifications {
  readonly #emitter: Emitter<{ readonly [method: string]: JsonObject | undefined }>;

  /** @param onFault - told what a listener threw */
  constructor(onFault: (error: unknown, method: string) => void) {
    this.#emitter = new Emitter((error, method) => onFault(error, String(method)));
  }

  /** Adds a listener; the same function may be added twice. */
  on<M extends string>(method: M, listener: NotificationListener<NotificationParamsOf<M>>): Unsubscribe {
    return this.#emitter.on(method, (params) => listener(params as NotificationParamsOf<M>));
  }

  /** Calls the listeners in the order they came. @returns whether there was any */
  emit(method: string, params: JsonObject | undefined): boolean {
    return this.#emitter.emit(method, params);
  }
}

/**
 * Connections through `ioredis`.
 *
 * It sends again, by itself, what was not answered when a connection was lost, so every command may be carried out twice.
 */
import { type CommandConnection, type Connection, reconnectDelay, type SubscriberConnection } from "./connection.ts";
import type { IoRedisHandle } from "./handle.ts";

/** Commands through a client that was given to the store. */
export function connectIoRedis(handle: IoRedisHandle): CommandConnection {
  return {
    get isReady() {
      return isReady(handle);
    },
    ...observe(handle, false),
    send: ([name = "", ...args]) => handle.call(name, ...args),
    openSubscriber: (hear) => openSubscriber(handle, hear),
  };
}

function openSubscriber(handle: IoRedisHandle, hear: (channel: string, text: string) => void): SubscriberConnection {
  const own = handle.duplicate({
    // Who uses the connection subscribes again itself, because only then it knows when that is done.
    autoResubscribe: false,
    autoResendUnfulfilledCommands: true,
    enableOfflineQueue: true,
    lazyConnect: false,
    maxRetriesPerRequest: null,
    retryStrategy: reconnectDelay,
  });
  own.on("message", (channel, text) => hear(String(channel), String(text)));
  return {
    get isReady() {
      return isReady(own);
    },
    ...observe(own, true),
    subscribe: (channels) => own.subscribe(...channels),
    unsubscribe: (channel) => own.unsubscribe(channel),
    ping: () => own.call("PING"),
  };
}

/** A client that connects at its first command counts as ready, or it would never get one. */
function isReady({ status }: IoRedisHandle): boolean {
  return status === "ready" || status === "wait";
}

function observe(handle: IoRedisHandle, isOwn: boolean): Pick<Connection, "watch" | "renew" | "close"> {
  let forget = (): void => undefined;
  return {
    watch: (watcher) => {
      const onReady = (): void => watcher.ready();
      const onClose = (): void => watcher.lost();
      const onError = (error: unknown): void => watcher.failed(error);
      handle.on("ready", onReady);
      handle.on("close", onClose);
      handle.on("error", onError);
      forget = () => {
        handle.off("ready", onReady);
        handle.off("close", onClose);
        handle.off("error", onError);
      };
    },
    renew: () => {
      if (isOwn) {
        handle.disconnect(true);
      }
    },
    close: () => {
      if (isOwn) {
        handle.disconnect();
      } else {
        forget();
      }
    },
  };
}

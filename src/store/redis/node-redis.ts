/** Connections through `@redis/client`. */
import { type CommandConnection, type Connection, reconnectDelay, type SubscriberConnection } from "./connection.ts";
import type { NodeRedisHandle } from "./handle.ts";

/** What clients that the store makes have in common: they connect again for as long as they are open. */
export const nodeRedisSocket = {
  reconnectStrategy: (retries: number): number => reconnectDelay(retries + 1),
  keepAliveInitialDelay: 5_000,
};

/** The store has a limit of its own, and the client's, a timer for each command, costs more than the command. */
const withoutTimer = { timeout: 0 };

/**
 * Commands through a client.
 *
 * @param isOwn - whether the store made it, and so has to connect and to end it
 */
export function connectNodeRedis(handle: NodeRedisHandle, isOwn: boolean): CommandConnection {
  return {
    ...observe(handle, isOwn),
    get isReady() {
      return handle.isReady;
    },
    send: (command) => handle.sendCommand(command, withoutTimer),
    openSubscriber: (hear) => openSubscriber(handle, hear),
  };
}

function openSubscriber(handle: NodeRedisHandle, hear: (channel: string, text: string) => void): SubscriberConnection {
  const own = handle.duplicate({ socket: { ...handle.options?.socket, ...nodeRedisSocket } });
  const listener = (message: string, channel: string): void => hear(channel, message);
  return {
    ...observe(own, true),
    get isReady() {
      return own.isReady;
    },
    subscribe: (channels) => own.subscribe([...channels], listener),
    unsubscribe: (channel) => own.unsubscribe([channel], listener),
    ping: () => own.sendCommand(["PING"]),
  };
}

function observe(handle: NodeRedisHandle, isOwn: boolean): Pick<Connection, "watch" | "renew" | "close"> {
  let forget = (): void => undefined;
  const connect = (): void => {
    handle.connect().catch(() => {
      // Ended before it was connected. Failed attempts come as errors and are followed by others.
    });
  };
  return {
    watch: (watcher) => {
      const onReady = (): void => watcher.ready();
      const onEnd = (): void => watcher.lost();
      const onError = (error: unknown): void => {
        // The only sign of a lost connection; errors that leave it as it is come here too.
        if (!handle.isReady) {
          watcher.lost();
          watcher.failed(error);
        }
      };
      handle.on("ready", onReady);
      handle.on("end", onEnd);
      handle.on("error", onError);
      forget = () => {
        handle.off("ready", onReady);
        handle.off("end", onEnd);
        handle.off("error", onError);
      };
      if (isOwn) {
        connect();
      }
    },
    renew: () => {
      if (isOwn) {
        handle.destroy();
        connect();
      }
    },
    close: () => {
      if (isOwn) {
        handle.destroy();
      } else {
        forget();
      }
    },
  };
}

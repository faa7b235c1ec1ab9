/**
 * A connection as the store needs it, whichever client library holds it: whether it is there, one command, and a second
 * connection for what is published. The libraries' own ways are in node-redis.ts and ioredis.ts.
 *
 * Both connect again by themselves; who sends waits until they have.
 */
import { backoffDelay } from "../../base/backoff.ts";

/** Who is told of a connection's state. */
export interface ConnectionWatcher {
  /** Commands can be sent, for the first time or again. */
  ready(): void;
  /** The connection has ended; what was sent and not answered may have been carried out. */
  lost(): void;
  /** An attempt to connect failed. */
  failed(error: unknown): void;
}

/** One connection. */
export interface Connection {
  /** Whether a command would be sent at once. */
  readonly isReady: boolean;
  /** Called once, by whoever uses the connection. */
  watch(watcher: ConnectionWatcher): void;
  /** Gives the connection up for a new one; a client that was given to the store decides that for itself. */
  renew(): void;
  /** Ends what was opened for the store, and listens to a client that was given to it no more. */
  close(): void;
}

/** The connection for commands. */
export interface CommandConnection extends Connection {
  /** Sends one command and resolves with its reply; rejects with whatever the library throws. */
  send(command: readonly string[]): Promise<unknown>;
  /**
   * Opens a connection of its own for what is published.
   *
   * @param hear - told of each message
   */
  openSubscriber(hear: (channel: string, message: string) => void): SubscriberConnection;
}

/** The connection for what is published. */
export interface SubscriberConnection extends Connection {
  /** Resolves once the server sends what is published there; channels that it sends already are no fault. */
  subscribe(channels: readonly string[]): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  /** Resolves if the server is there. */
  ping(): Promise<unknown>;
}

/** How long to wait before connecting again, in milliseconds: a server that is back is found within about two seconds. */
export function reconnectDelay(attempt: number): number {
  return backoffDelay(attempt, { initialDelayMs: 50, maxDelayMs: 2_000 });
}

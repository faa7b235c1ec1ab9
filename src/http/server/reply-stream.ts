/**
 * The event stream that answers one POST, as those see it who write to it.
 *
 * There are two: kept-stream.ts, which a client can resume on any node, and live-stream.ts, which ends with its connection.
 * Specification: Basic > Transports > Sending messages to the server.
 */
import type { RequestId } from "../../jsonrpc/message.ts";
import type { StreamReply } from "../message.ts";

/** Messages to one client, in order. Messages are JSON text. */
export interface ReplyStream {
  /** Whether the connection may be ended early, because the client knows how to come back. */
  readonly canSuspend: boolean;
  /**
   * Sends a message. Resolves when more should be sent; never rejects.
   *
   * @param answered - the request that this is the answer to, where others of the POST are still worked on
   */
  send(message: string, answered?: RequestId): Promise<void>;
  /**
   * Nothing follows: the connection ends behind what was sent [HTTP-022].
   *
   * @param message - the last one
   */
  finish(message?: string): void;
  /** Ends the connection but not the stream: the client comes back for the rest [HTTP-016] [HTTP-018]. */
  suspend(): void;
  /**
   * The reply that connects the client, once it can be given what it needs to come back with. Never rejects.
   */
  toReply(): Promise<StreamReply>;
}

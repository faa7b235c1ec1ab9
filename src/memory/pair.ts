/**
 * Two joined channels in one process. Messages pass by reference, one turn later, in order: treat them as read-only.
 */
import { ClosedError, type McpError } from "../base/error.ts";
import type { Channel, ChannelReceiver } from "../jsonrpc/link.ts";
import type { JsonRpcMessage } from "../jsonrpc/message.ts";

class MemoryChannel implements Channel {
  other: MemoryChannel | undefined;
  #receiver: ChannelReceiver | undefined;
  #queue: JsonRpcMessage[] = [];
  #scheduled = false;
  #closed = false;

  async open(receiver: ChannelReceiver): Promise<void> {
    this.#receiver = receiver;
    this.#schedule();
  }

  send(message: JsonRpcMessage): undefined {
    const { other } = this;
    if (this.#closed || other === undefined) {
      throw new ClosedError("the in-memory connection has ended");
    }
    other.#queue.push(message);
    other.#schedule();
    return undefined;
  }

  async close(): Promise<void> {
    this.#finish(undefined);
    if (this.other !== undefined) {
      this.other.#finish(undefined);
    }
  }

  #schedule(): void {
    if (this.#receiver !== undefined && !this.#scheduled) {
      this.#scheduled = true;
      queueMicrotask(() => this.#deliver());
    }
  }

  #deliver(): void {
    this.#scheduled = false;
    const queue = this.#queue;
    this.#queue = [];
    for (const message of queue) {
      if (!this.#closed) {
        this.#receiver?.message(message);
      }
    }
  }

  #finish(fault: McpError | undefined): void {
    if (!this.#closed) {
      this.#closed = true;
      this.#receiver?.closed(fault);
    }
  }
}

/**
 * Makes two channels that are each other's end, for tests and for a server in the same process.
 *
 * @returns one for the client, one for the server
 * @example
 * ```ts
 * import { createMemoryPair } from "parley-mcp/memory";
 * import { defineServer } from "parley-mcp/server";
 *
 * const app = defineServer({ name: "demo", version: "1.0.0" });
 * const [clientEnd, serverEnd] = createMemoryPair();
 * app.serve(serverEnd);
 * // hand clientEnd to a client
 * ```
 */
export function createMemoryPair(): readonly [client: Channel, server: Channel] {
  const client = new MemoryChannel();
  const server = new MemoryChannel();
  client.other = server;
  server.other = client;
  return [client, server];
}

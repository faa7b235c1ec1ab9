/**
 * A channel that can stop taking requests while everything else goes on: answers to questions, cancellations, and the
 * answers to what was asked before.
 */
import type { Channel, ChannelReceiver } from "../jsonrpc/link.ts";
import { classifyMessage, createErrorResponse, type JsonRpcMessage, type JsonRpcResponse } from "../jsonrpc/message.ts";

/** What a refused request is answered with. The code is free for implementations by JSON-RPC. */
const refusal = { code: -32603, message: "this server is shutting down; try again later" };

/** See the head of this file. */
export class RefusingChannel implements Channel {
  readonly #inner: Channel;
  #isRefusing = false;

  constructor(inner: Channel) {
    this.#inner = inner;
  }

  /** Answers every request from here on with an error, except `ping`. */
  refuse(): void {
    this.#isRefusing = true;
  }

  async open(receiver: ChannelReceiver): Promise<void> {
    await this.#inner.open({
      message: (value) => {
        if (!this.#isRefusing || !this.#answer(value)) {
          receiver.message(value);
        }
      },
      malformed: (problem) => receiver.malformed(problem),
      closed: (fault) => receiver.closed(fault),
    });
  }

  send(message: JsonRpcMessage): Promise<void> | undefined {
    return this.#inner.send(message);
  }

  async close(): Promise<void> {
    await this.#inner.close();
  }

  /** Whether the message was a request, and so has been answered here. */
  #answer(value: unknown): boolean {
    const classified = classifyMessage(value);
    if (classified.kind !== "request" || classified.message.method === "ping") {
      return false;
    }
    void this.#reply(createErrorResponse(classified.message.id, refusal));
    return true;
  }

  async #reply(response: JsonRpcResponse): Promise<void> {
    try {
      await this.#inner.send(response);
    } catch {
      // The client is gone, so it is not waiting any more.
    }
  }
}

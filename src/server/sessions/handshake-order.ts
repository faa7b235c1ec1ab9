/**
 * A channel on which nothing overtakes the handshake: requests and notifications that come before `initialize` is
 * answered wait until it is, so that they are taken under the revision it agreed on.
 *
 * Answers do not wait: whoever answers the handshake may be waiting for one. Specification: Basic > Lifecycle.
 */
import type { OnDiagnostic } from "../../base/diagnostic.ts";
import { isObject } from "../../base/json.ts";
import { rpcCodes } from "../../jsonrpc/error.ts";
import type { Channel, ChannelReceiver } from "../../jsonrpc/link.ts";
import { classifyMessage, createErrorResponse, type JsonRpcMessage, type RequestId } from "../../jsonrpc/message.ts";

/** How many messages may wait, and who is told of one too many. */
export interface HandshakeOrderOptions {
  readonly maxWaiting: number;
  readonly onDiagnostic: OnDiagnostic;
}

/** See the head of this file. */
export class HandshakeOrder implements Channel {
  readonly #channel: Channel;
  readonly #options: HandshakeOrderOptions;
  readonly #waiting: unknown[] = [];
  #receiver: ChannelReceiver | undefined;
  /** The id of the handshake that is being answered. */
  #handshake: RequestId | undefined;

  constructor(channel: Channel, options: HandshakeOrderOptions) {
    this.#channel = channel;
    this.#options = options;
  }

  open(receiver: ChannelReceiver): Promise<void> {
    this.#receiver = receiver;
    return this.#channel.open({
      message: (value) => this.#receive(value),
      malformed: (problem) => receiver.malformed(problem),
      closed: (fault) => {
        this.#waiting.length = 0;
        receiver.closed(fault);
      },
    });
  }

  send(message: JsonRpcMessage): Promise<void> | undefined {
    const sent = this.#channel.send(message);
    if (this.#handshake !== undefined && !("method" in message) && message.id === this.#handshake) {
      this.#release();
    }
    return sent;
  }

  close(): Promise<void> {
    this.#waiting.length = 0;
    return this.#channel.close();
  }

  #receive(value: unknown): void {
    if (this.#handshake === undefined || isAnswer(value)) {
      this.#deliver(value);
    } else if (this.#waiting.length < this.#options.maxWaiting) {
      this.#waiting.push(value);
    } else {
      this.#refuse(value);
    }
  }

  #deliver(value: unknown): void {
    this.#handshake ??= readHandshake(value);
    this.#receiver?.message(value);
  }

  /** Whatever waits is taken in its order; should another handshake be among it, the rest waits for that one. */
  #release(): void {
    this.#handshake = undefined;
    while (this.#handshake === undefined && this.#waiting.length > 0) {
      this.#deliver(this.#waiting.shift());
    }
  }

  #refuse(value: unknown): void {
    const classified = classifyMessage(value);
    const message = `initialize is not answered yet, and ${this.#options.maxWaiting} messages wait for that already`;
    if (classified.kind === "request") {
      const refusal = createErrorResponse(classified.message.id, { code: rpcCodes.internalError, message });
      this.#channel.send(refusal)?.catch((detail: unknown) => this.#report("an answer was not sent", detail));
    } else {
      this.#report(`a message was dropped: ${message}`, value);
    }
  }

  #report(message: string, detail: unknown): void {
    this.#options.onDiagnostic({ code: "MCP_D_HANDSHAKE_FLOOD", message, detail });
  }
}

function isAnswer(value: unknown): boolean {
  return isObject(value) && !("method" in value) && ("result" in value || "error" in value);
}

/** Only a request that will be answered holds others up. */
function readHandshake(value: unknown): RequestId | undefined {
  if (!isObject(value) || value.method !== "initialize") {
    return undefined;
  }
  const classified = classifyMessage(value);
  return classified.kind === "request" ? classified.message.id : undefined;
}

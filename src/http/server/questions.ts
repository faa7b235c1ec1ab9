/**
 * Requests of a server to one client over HTTP: sent on some stream, answered by a POST of the client's own.
 *
 * Ids name the node that asks, so that an answer finds it wherever the client's POST arrives. Deadlines are the business
 * of those above.
 */
import { ClosedError, PeerError } from "../../base/error.ts";
import { encodeMessage } from "../../jsonrpc/codec.ts";
import { RpcError } from "../../jsonrpc/error.ts";
import type { Call, LinkRequestOptions } from "../../jsonrpc/link.ts";
import {
  type InvalidMessage,
  type JsonObject,
  type JsonRpcResponse,
  type RequestId,
  toNotification,
  toRequest,
} from "../../jsonrpc/message.ts";
import { PendingCalls } from "../../jsonrpc/pending.ts";
import { mcpCancellation } from "../../protocol/cancellation.ts";

/** What became of a response. `elsewhere`: it was sent on to the node that asked. */
export type Settlement = "settled" | "late" | "unknown" | "elsewhere";

/** An answer, or an attempt at one. */
export type ClientAnswer = JsonRpcResponse | InvalidMessage;

/** How clients are asked. */
export interface Asking {
  /**
   * Sends a request and waits for its answer.
   *
   * @param send - puts JSON text on the stream that the request belongs to
   * @throws RpcError the client's error; the signal's reason; ClosedError when the session ends
   */
  ask(call: Call, options: LinkRequestOptions, send: (text: string) => void): Promise<JsonObject>;
  /** Hands an answer to whoever asked. Rejects where the node that asked cannot be reached. */
  settle(response: JsonRpcResponse): Settlement | Promise<Settlement>;
  /** Fails the question that an unusable answer was meant for; rejects likewise. */
  fail(invalid: InvalidMessage): Promise<unknown> | undefined;
}

/** The questions of one session that wait for an answer on this node. */
export class Questions implements Asking {
  readonly #pending = new PendingCalls();
  readonly #node: string;
  readonly #forward: (answer: ClientAnswer, node: string) => Promise<void>;

  /**
   * @param node - this one
   * @param forward - sends an answer to another node
   */
  constructor(node: string, forward: (answer: ClientAnswer, node: string) => Promise<void>) {
    this.#node = node;
    this.#forward = forward;
  }

  /** How many wait. */
  get size(): number {
    return this.#pending.size;
  }

  ask(call: Call, options: LinkRequestOptions, send: (text: string) => void): Promise<JsonObject> {
    return this.#pending.ask(
      call.method,
      options,
      (number) => send(encodeMessage(toRequest(this.#toId(number), call))),
      (number, reason) => {
        const cancellation = mcpCancellation.toNotification(this.#toId(number), call, reason);
        if (cancellation !== undefined) {
          send(encodeMessage(toNotification(cancellation)));
        }
      },
    );
  }

  settle(response: JsonRpcResponse): Settlement | Promise<Settlement> {
    const asked = parseId(response.id);
    if (asked === undefined) {
      return "unknown";
    }
    if (asked.node !== this.#node) {
      return this.#forward(response, asked.node).then(() => "elsewhere");
    }
    const call = this.#pending.take(asked.number);
    if (call === undefined) {
      return this.#pending.wasIssued(asked.number) ? "late" : "unknown";
    }
    if ("result" in response) {
      call.resolve(response.result);
    } else {
      const { code, message, data } = response.error;
      call.reject(new RpcError(code, message, { data, remote: true }));
    }
    return "settled";
  }

  fail(invalid: InvalidMessage): Promise<unknown> | undefined {
    const asked = invalid.meant === "response" ? parseId(invalid.id) : undefined;
    if (asked === undefined) {
      return undefined;
    }
    if (asked.node !== this.#node) {
      return this.#forward(invalid, asked.node);
    }
    this.#pending.take(asked.number)?.reject(new PeerError(`invalid answer: ${invalid.error.message}`));
    return undefined;
  }

  /** Fails every question, because the session ended. */
  drain(reason: unknown): void {
    this.#pending.drain(new ClosedError("the session ended before the client answered", { cause: reason }));
  }

  #toId(number: number): string {
    return `${this.#node}-${number}`;
  }
}

/** Reads the id of a question; `undefined` for what no node can have made. */
function parseId(id: RequestId | null | undefined): { readonly node: string; readonly number: number } | undefined {
  const match = typeof id === "string" ? /^([A-Za-z0-9_-]{1,64})-(0|[1-9]\d{0,14})$/.exec(id) : null;
  return match?.[1] === undefined ? undefined : { node: match[1], number: Number(match[2]) };
}

/**
 * Requests of a server to one client over HTTP: sent on some stream, answered by a POST of the client's own.
 *
 * Ids are unique within the session. Deadlines are the business of those above.
 */
import { ClosedError, PeerError } from "../../base/error.ts";
import { encodeMessage } from "../../jsonrpc/codec.ts";
import { RpcError } from "../../jsonrpc/error.ts";
import type { Call, LinkRequestOptions } from "../../jsonrpc/link.ts";
import {
  type InvalidMessage,
  type JsonObject,
  type JsonRpcResponse,
  toNotification,
  toRequest,
} from "../../jsonrpc/message.ts";
import { PendingCalls } from "../../jsonrpc/pending.ts";
import { mcpCancellation } from "../../protocol/cancellation.ts";

/** What became of a response. */
export type Settlement = "settled" | "late" | "unknown";

/** How clients are asked. */
export interface Asking {
  /**
   * Sends a request and waits for its answer.
   *
   * @param send - puts JSON text on the stream that the request belongs to
   * @throws RpcError the client's error; the signal's reason; ClosedError when the session ends
   */
  ask(call: Call, options: LinkRequestOptions, send: (text: string) => void): Promise<JsonObject>;
  /** Hands an answer to whoever asked. */
  settle(response: JsonRpcResponse): Settlement;
  /** Fails the question that an unusable answer was meant for. */
  fail(invalid: InvalidMessage): void;
}

/** The questions of one session that wait for an answer. */
export class Questions implements Asking {
  readonly #pending = new PendingCalls();

  /** How many wait. */
  get size(): number {
    return this.#pending.size;
  }

  ask(call: Call, options: LinkRequestOptions, send: (text: string) => void): Promise<JsonObject> {
    return this.#pending.ask(
      call.method,
      options,
      (id) => send(encodeMessage(toRequest(id, call))),
      (id, reason) => {
        const cancellation = mcpCancellation.toNotification(id, call, reason);
        if (cancellation !== undefined) {
          send(encodeMessage(toNotification(cancellation)));
        }
      },
    );
  }

  settle(response: JsonRpcResponse): Settlement {
    const { id } = response;
    if (id === undefined || id === null) {
      return "unknown";
    }
    const call = this.#pending.take(id);
    if (call === undefined) {
      return this.#pending.wasIssued(id) ? "late" : "unknown";
    }
    if ("result" in response) {
      call.resolve(response.result);
    } else {
      const { code, message, data } = response.error;
      call.reject(new RpcError(code, message, { data, remote: true }));
    }
    return "settled";
  }

  fail(invalid: InvalidMessage): void {
    if (invalid.meant === "response" && invalid.id !== undefined) {
      this.#pending.take(invalid.id)?.reject(new PeerError(`invalid answer: ${invalid.error.message}`));
    }
  }

  /** Fails every question, because the session ended. */
  drain(reason: unknown): void {
    this.#pending.drain(new ClosedError("the session ended before the client answered", { cause: reason }));
  }
}

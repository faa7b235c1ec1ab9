/** Outgoing requests that wait for their answer: registered, settled once, given up by signal, drained at the end. */
import { onAbort } from "../base/abort.ts";
import type { LinkRequestOptions } from "./link.ts";
import type { JsonObject, JsonRpcNotification, RequestId } from "./message.ts";

/** One request that waits. */
export interface PendingCall {
  readonly method: string;
  readonly onRelated: ((notification: JsonRpcNotification) => void) | undefined;
  resolve(result: JsonObject): void;
  reject(error: unknown): void;
}

/** The table of waiting requests. Ids count up from 0 and are never used again. */
export class PendingCalls {
  readonly #calls = new Map<RequestId, PendingCall>();
  #nextId = 0;

  /** How many wait. */
  get size(): number {
    return this.#calls.size;
  }

  /** Adds a request and gives it its id. */
  register(call: PendingCall): number {
    const id = this.#nextId;
    this.#nextId += 1;
    this.#calls.set(id, call);
    return id;
  }

  /**
   * Sends a request and waits until it is settled or its signal aborts.
   *
   * @param send - sends the request with this id; what it throws is the outcome
   * @param onGivenUp - told the signal's reason after the caller has been released, to tell the peer
   * @throws the signal's reason, at once where it has aborted already
   */
  ask(
    method: string,
    { signal, onRelated }: LinkRequestOptions,
    send: (id: number) => void,
    onGivenUp: (id: number, reason: unknown) => void,
  ): Promise<JsonObject> {
    if (signal?.aborted) {
      return Promise.reject(signal.reason);
    }
    return new Promise<JsonObject>((resolve, reject) => {
      let release: (() => void) | undefined;
      const id = this.register({
        method,
        onRelated,
        resolve: (result) => {
          release?.();
          resolve(result);
        },
        reject: (error) => {
          release?.();
          reject(error);
        },
      });
      if (signal !== undefined) {
        release = onAbort(signal, (reason) => {
          const call = this.take(id);
          if (call !== undefined) {
            call.reject(reason);
            onGivenUp(id, reason);
          }
        });
      }
      send(id);
    });
  }

  /** Whether an id was ever given out: an answer to such a one is late, to any other it is foreign. */
  wasIssued(id: RequestId): boolean {
    return typeof id === "number" && id >= 0 && id < this.#nextId;
  }

  /** The request with this id, which no longer waits. */
  take(id: RequestId): PendingCall | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    return call;
  }

  /** Rejects everything that waits. */
  drain(error: unknown): void {
    for (const [id, call] of [...this.#calls]) {
      this.#calls.delete(id);
      call.reject(error);
    }
  }
}

/** Inbound requests being worked on, by id, so that a cancellation or the end of the link reaches them. */
import type { RequestId } from "./message.ts";

/** One inbound request. Its abort controller is made only when somebody asks for the signal. */
export class Inflight {
  readonly id: RequestId;
  #controller: AbortController | undefined;
  #abortReason: { reason: unknown } | undefined;
  #done = false;

  constructor(id: RequestId) {
    this.id = id;
  }

  /** Aborts with {@link abort}. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#abortReason !== undefined) {
        this.#controller.abort(this.#abortReason.reason);
      }
    }
    return this.#controller.signal;
  }

  /** Whether it was aborted: then no answer is sent. */
  get aborted(): boolean {
    return this.#abortReason !== undefined;
  }

  /** Whether it has been answered: then nothing more is sent for it. */
  get done(): boolean {
    return this.#done;
  }

  /** Stops the work. The first reason stays. */
  abort(reason: unknown): void {
    this.#abortReason ??= { reason };
    this.#controller?.abort(reason);
  }

  /** Marks it as answered. */
  finish(): void {
    this.#done = true;
  }
}

/** The table of inbound requests. */
export class InflightCalls {
  readonly #calls = new Map<RequestId, Inflight>();

  /** How many are being worked on. */
  get size(): number {
    return this.#calls.size;
  }

  /** Adds a request; `undefined` when its id is in use. */
  register(id: RequestId): Inflight | undefined {
    if (this.#calls.has(id)) {
      return undefined;
    }
    const call = new Inflight(id);
    this.#calls.set(id, call);
    return call;
  }

  /** Ends a request. */
  finish(call: Inflight): void {
    call.finish();
    this.#calls.delete(call.id);
  }

  /** Aborts one request; false where none has this id. */
  abort(id: RequestId, reason: unknown): boolean {
    const call = this.#calls.get(id);
    call?.abort(reason);
    return call !== undefined;
  }

  /** Aborts everything. */
  drain(reason: unknown): void {
    for (const call of this.#calls.values()) {
      call.abort(reason);
    }
    this.#calls.clear();
  }
}

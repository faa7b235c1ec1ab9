/**
 * What a task of the extension asks its requestor: each question is put once, however often it is seen, and each answer is
 * sent as soon as it is there. Who answers is the host's business. Specification: Extensions > Tasks > Task Update Requests.
 */
import { isMcpError } from "../base/error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { InputRequest, InputRequests } from "../protocol/types/input.ts";

/** What {@link TaskQuestions} works with. */
export interface QuestionsHost {
  /** Answers a question; `signal` aborts when nobody wants to know any more. */
  answer(key: string, question: InputRequest, signal: AbortSignal): Promise<JsonObject>;
  /** Sends answers by the keys of their questions. */
  update(inputResponses: { readonly [key: string]: JsonObject }, signal: AbortSignal): Promise<void>;
  /** Told that a question could not be answered, or its answer not be sent: see {@link TaskQuestions.throwFailure}. */
  onFailure(): void;
}

/** Why a question is given up that the peer asks no longer. */
const withdrawn = "the question was withdrawn";

/** See the head of this file. */
export class TaskQuestions {
  readonly #host: QuestionsHost;
  /** Keys whose questions have been put, answered or withdrawn: none of them is put again [X-TASK-027]. */
  readonly #seen = new Set<string>();
  /** Questions that wait for their answers. */
  readonly #open = new Map<string, AbortController>();
  readonly #ready = new Map<string, JsonObject>();
  #isSending = false;
  /** Until questions are put no longer. */
  #life = new AbortController();
  #failure: { readonly error: unknown } | undefined;

  constructor(host: QuestionsHost) {
    this.#host = host;
  }

  /** Takes everything that is asked at the moment; what is asked no longer is withdrawn. */
  take(requests: InputRequests = {}): void {
    for (const [key, controller] of [...this.#open]) {
      if (!Object.hasOwn(requests, key)) {
        this.#open.delete(key);
        controller.abort(withdrawn);
      }
    }
    for (const key of [...this.#ready.keys()]) {
      if (!Object.hasOwn(requests, key)) {
        this.#ready.delete(key);
      }
    }
    for (const [key, question] of Object.entries(requests)) {
      if (!this.#seen.has(key)) {
        this.#seen.add(key);
        void this.#ask(key, question);
      }
    }
    if (this.#open.size === 0) {
      // What could not be sent the last time.
      void this.#send();
    }
  }

  /** @throws why a question was not answered, once: another attempt may put it again */
  throwFailure(): void {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) {
      throw failure.error;
    }
  }

  /** Withdraws what waits for an answer; it may be put again. Answers that are not sent yet are kept. */
  stop(reason: unknown): void {
    this.#life.abort(reason);
    this.#life = new AbortController();
    this.#failure = undefined;
    for (const [key, controller] of [...this.#open]) {
      this.#open.delete(key);
      this.#seen.delete(key);
      controller.abort(reason);
    }
  }

  async #ask(key: string, question: InputRequest): Promise<void> {
    const controller = new AbortController();
    this.#open.set(key, controller);
    try {
      const answer = await this.#host.answer(key, question, controller.signal);
      if (this.#open.get(key) === controller) {
        this.#open.delete(key);
        this.#ready.set(key, answer);
        await this.#send();
      }
    } catch (error) {
      if (this.#open.get(key) === controller) {
        this.#open.delete(key);
        this.#seen.delete(key);
        this.#fail(error);
      }
    }
  }

  /** Sends what is ready. A peer that takes answers only together gets them once the last one is there [X-TASK-030]. */
  async #send(): Promise<void> {
    if (this.#isSending) {
      return;
    }
    this.#isSending = true;
    const life = this.#life.signal;
    try {
      while (this.#ready.size > 0) {
        const batch = [...this.#ready];
        this.#ready.clear();
        try {
          await this.#host.update(Object.fromEntries(batch), life);
        } catch (error) {
          const hasMore = this.#ready.size > 0;
          this.#putBack(batch);
          if (life.aborted) {
            return;
          }
          if (!isRefused(error) || (!hasMore && this.#open.size === 0)) {
            this.#fail(error);
            return;
          }
          if (!hasMore) {
            return;
          }
        }
      }
    } finally {
      this.#isSending = false;
    }
  }

  #putBack(batch: readonly (readonly [key: string, answer: JsonObject])[]): void {
    for (const [key, answer] of batch) {
      this.#ready.set(key, answer);
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
    this.#host.onFailure();
  }
}

/** Whether the peer got the answers and did not want them like that. */
function isRefused(error: unknown): boolean {
  return isMcpError(error) && "rpcCode" in error;
}

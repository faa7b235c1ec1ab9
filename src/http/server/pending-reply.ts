/**
 * The reply of one POST while its requests are worked on: JSON or an event stream, decided as late as possible.
 *
 * It starts as JSON. The first message before the answer, or an answer that takes its time, makes a stream of it,
 * where the client takes one. Specification: Basic > Transports > Sending messages to the server.
 */
import { createDeferred } from "../../base/deferred.ts";
import { encodeMessage } from "../../jsonrpc/codec.ts";
import { rpcCodes } from "../../jsonrpc/error.ts";
import { createErrorResponse, type RequestId } from "../../jsonrpc/message.ts";
import { jsonType } from "../media-type.ts";
import type { HttpHeaders, HttpReply, TextReply } from "../message.ts";
import { eventStreamHeaders } from "../sse-writer.ts";
import type { Answer } from "./answer.ts";
import type { ReplyFormat } from "./options.ts";
import type { ReplyStream } from "./reply-stream.ts";
import type { SlowReply } from "./runtime.ts";

/** What a reply is made from. */
export interface PendingReplyOptions {
  readonly format: ReplyFormat;
  /** Ids of the requests that were posted. */
  readonly ids: readonly RequestId[];
  /** Whether they came in an array, and so must the answers. */
  readonly isBatch: boolean;
  /** Makes the event stream when one is needed. */
  createStream(): ReplyStream;
}

/** An answer as JSON text, with the request that it belongs to. */
export interface GivenAnswer {
  readonly text: string;
  /** Nothing for an answer to what was no request. */
  readonly id: RequestId | undefined;
}

const jsonHeaders: HttpHeaders = { "content-type": jsonType };

/** The answer to one POST. Messages are JSON text. */
export class PendingReply implements SlowReply {
  dueAt = 0;
  readonly #options: PendingReplyOptions;
  readonly #reply = createDeferred<HttpReply>();
  readonly #answers: GivenAnswer[] = [];
  /** The one answer that tells how the reply looks; answers to several requests are 200 together. */
  #last: Partial<Answer> = {};
  #remaining: number;
  #stream: ReplyStream | undefined;
  #isDecided = false;

  constructor(options: PendingReplyOptions) {
    this.#options = options;
    this.#remaining = options.ids.length;
  }

  /** Resolves as soon as it is known how the reply begins; never rejects. */
  get reply(): Promise<HttpReply> {
    return this.#reply.promise;
  }

  /** Whether it may become an event stream. */
  get canStream(): boolean {
    return this.#options.format !== "json";
  }

  /** Whether it is known how the reply begins. */
  get isDecided(): boolean {
    return this.#isDecided;
  }

  /** The event stream, which is made if nothing is decided; `undefined` where the reply is no stream. */
  get stream(): ReplyStream | undefined {
    this.promote();
    return this.#stream;
  }

  /** Makes an event stream of it, if nothing is decided and the client takes one. */
  promote(): void {
    if (this.#isDecided || !this.canStream) {
      return;
    }
    this.#isDecided = true;
    this.#stream = this.#options.createStream();
    this.#sendAll(this.#stream, this.#answers.splice(0), this.#remaining === 0);
    void this.#stream.toReply().then(this.#reply.resolve);
  }

  /**
   * One of the requests is done: with its answer, or with none because the client took it back.
   *
   * @param id - the request's; nothing for an answer to what was none
   */
  answer(answer: Answer | undefined, id?: RequestId): void {
    this.#remaining -= 1;
    this.#last = answer === undefined || this.#options.isBatch ? {} : answer;
    const answers = answer === undefined ? [] : [{ text: answer.text, id }];
    if (this.#stream === undefined) {
      this.#answers.push(...answers);
    } else {
      this.#sendAll(this.#stream, answers, this.#remaining === 0);
    }
    if (this.#remaining === 0) {
      this.#complete();
    }
  }

  /**
   * Answers with something else if nothing is decided. Where that is an open stream, it ends.
   *
   * @param errors - what the stream says before to each request that is not answered
   */
  giveUp(reply: TextReply, errors: readonly GivenAnswer[] = []): void {
    this.#decide(reply);
    if (this.#stream !== undefined) {
      this.#sendAll(this.#stream, errors, true);
    }
  }

  /** @param areLast - whether the stream ends behind them: the last answer says so itself [HTTP-022] */
  #sendAll(stream: ReplyStream, answers: readonly GivenAnswer[], areLast: boolean): void {
    const last = areLast ? answers.at(-1) : undefined;
    for (const answer of answers) {
      if (answer !== last) {
        void stream.send(answer.text, answer.id);
      }
    }
    if (areLast) {
      stream.finish(last?.text);
    }
  }

  /** All requests are done, perhaps before anything was sent. */
  #complete(): void {
    const { format, ids, isBatch } = this.#options;
    const { status = 200, neededScopes } = this.#last;
    const isAnswered = this.#answers.length > 0;
    if (this.#isDecided) {
      return;
    }
    // An error that has a status of its own is JSON, like a refusal: the head of a stream could not show it.
    if (isAnswered && format === "stream" && status === 200) {
      this.promote();
    } else if (isAnswered) {
      const texts = this.#answers.map(({ text }) => text);
      const body = isBatch ? `[${texts.join(",")}]` : texts.join("");
      this.#decide({ kind: "text", status, headers: jsonHeaders, body, neededScopes });
    } else if (this.canStream) {
      // A request that was taken back gets no answer, but HTTP has to end: a stream without events says nothing.
      this.#decide({ kind: "text", status: 200, headers: eventStreamHeaders, body: "" });
    } else {
      const error = { code: rpcCodes.internalError, message: "the request was cancelled by the client" };
      const body = encodeMessage(createErrorResponse(ids[0], error));
      this.#decide({ kind: "text", status: 200, headers: jsonHeaders, body: isBatch ? `[${body}]` : body });
    }
  }

  #decide(reply: HttpReply): void {
    if (!this.#isDecided) {
      this.#isDecided = true;
      this.#reply.resolve(reply);
    }
  }
}

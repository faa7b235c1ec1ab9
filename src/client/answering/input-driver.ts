/**
 * Answers what a server asks inside its results, and sends the request again with the answers, until it is done.
 *
 * Who answers is what answers requests of older revisions too. The time that takes counts against no limit; all else
 * that a call takes, over all its rounds, counts against its total. Specification: Basic > Multi Round-Trip Requests.
 */
import { linkSignals } from "../../base/abort.ts";
import { backoffDelay } from "../../base/backoff.ts";
import { type Deadline, startDeadline } from "../../base/deadline.ts";
import { createDeferred } from "../../base/deferred.ts";
import { type Clock, sleep } from "../../base/timer.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { InputRequest, InputRequiredResult } from "../../protocol/types/input.ts";
import type { Answering } from "./answering.ts";
import type { BlockedCall } from "./blocked-call.ts";
import { answerInput } from "./input-answer.ts";
import { InputError } from "./input-error.ts";

/** What a driver works with. */
export interface InputHost {
  readonly answering: Answering;
  readonly clock: Clock;
  /** Aborts when the session ends. */
  readonly signal: AbortSignal;
  /** Rounds of one call before it counts as endless. */
  readonly maxRounds: number;
  /** Longest time of a call with all its rounds that does not say otherwise, in milliseconds. */
  readonly totalTimeoutMs: number;
  /** How long a request may be held that waits for a page the person is visiting, in milliseconds. */
  readonly pageTimeoutMs: () => number | undefined;
}

/** One round on its way. */
export interface InputRound {
  readonly params: JsonObject | undefined;
  readonly signal: AbortSignal | undefined;
  /** Longest silence that this round has to be allowed, in milliseconds, where it is a special one. */
  readonly idleTimeoutMs: number | undefined;
}

/** What bounds a call with all its rounds. */
export interface CallLimits {
  readonly signal?: AbortSignal | undefined;
  /** Longest time without that of the person, in milliseconds. */
  readonly totalTimeoutMs?: number | undefined;
}

/** Sends one round. */
export type SendRound = (round: InputRound) => Promise<JsonObject>;

/** The answers of one round, and whether the person was sent to a page. */
interface Gathered {
  readonly inputResponses: { readonly [key: string]: JsonObject } | undefined;
  readonly visitsPage: boolean;
}

/** See the head of this file. */
export class InputDriver {
  readonly #host: InputHost;

  constructor(host: InputHost) {
    this.#host = host;
  }

  /**
   * Sends a request and drives its rounds.
   *
   * @throws {@link InputError} when a question cannot be answered or there is no end to them; {@link TimeoutError} when
   * all rounds together take too long; the signal's reason
   */
  async run(
    method: string,
    params: JsonObject | undefined,
    send: SendRound,
    { signal, totalTimeoutMs = this.#host.totalTimeoutMs }: CallLimits,
  ): Promise<JsonObject> {
    const { clock } = this.#host;
    const begun = clock.now();
    const first = await send({ params, signal, idleTimeoutMs: undefined });
    if (!isInputRequired(first)) {
      return first;
    }
    const rounds = new InputRounds(this.#host, method, params, send);
    return rounds.follow(first, signal, totalTimeoutMs - (clock.now() - begun));
  }
}

/** The rounds of one call. */
class InputRounds {
  readonly #host: InputHost;
  readonly #method: string;
  /** What the caller asked, without what belongs to a single round [M-MRTR-020]. */
  readonly #original: JsonObject;
  readonly #send: SendRound;
  readonly #gaveUp = createDeferred<never>();
  /** Ends the pause before the next round. */
  #hurry: (() => void) | undefined;
  /** Rounds in a row in which nothing was asked. */
  #idleRounds = 0;

  constructor(host: InputHost, method: string, params: JsonObject = {}, send: SendRound) {
    const { inputResponses: _answers, requestState: _state, ...original } = params;
    this.#host = host;
    this.#method = method;
    this.#original = original;
    this.#send = send;
    // Whoever waits is told; nobody may be waiting.
    this.#gaveUp.promise.catch(() => undefined);
  }

  async follow(
    first: InputRequiredResult,
    caller: AbortSignal | undefined,
    totalTimeoutMs: number,
  ): Promise<JsonObject> {
    const linked = linkSignals(caller, this.#host.signal);
    const limits = { idleTimeoutMs: Number.POSITIVE_INFINITY, totalTimeoutMs };
    const deadline = startDeadline(this.#host.clock, limits, this.#method, (error) => linked.abort(error));
    try {
      return await Promise.race([this.#follow(first, linked.signal, deadline), this.#gaveUp.promise]);
    } catch (error) {
      // Whatever still goes on for this call, such as a question to the person or a held request, ends with it.
      linked.abort(error);
      throw error;
    } finally {
      deadline.clear();
      linked.release();
    }
  }

  async #follow(first: InputRequiredResult, signal: AbortSignal, deadline: Deadline): Promise<JsonObject> {
    const { maxRounds } = this.#host;
    let asked = first;
    for (let round = 1; round <= maxRounds; round += 1) {
      const goOn = deadline.pause();
      const { inputResponses, visitsPage } = await this.#gather(asked, signal);
      if (!visitsPage) {
        goOn();
      }
      if (inputResponses === undefined) {
        await this.#pause(signal);
      } else {
        this.#idleRounds = 0;
      }
      signal.throwIfAborted();
      const { requestState } = asked;
      const params = {
        ...this.#original,
        ...(inputResponses && { inputResponses }),
        // Only the latest state counts, also when there is none [M-MRTR-022] [M-MRTR-023].
        ...(requestState === undefined ? undefined : { requestState }),
      };
      const idleTimeoutMs = visitsPage ? this.#host.pageTimeoutMs() : undefined;
      const result = await this.#send({ params, signal, idleTimeoutMs });
      goOn();
      if (!isInputRequired(result)) {
        return result;
      }
      asked = result;
    }
    throw new InputError(
      `${this.#method}: expected a result after ${maxRounds} rounds of questions, got more of them`,
      {
        reason: "endless",
      },
    );
  }

  /** Asks everything at once and waits for all answers [M-MRTR-019]. The first that fails ends the others. */
  async #gather({ inputRequests }: InputRequiredResult, signal: AbortSignal): Promise<Gathered> {
    const questions = Object.entries(inputRequests ?? {});
    if (questions.length === 0) {
      return { inputResponses: undefined, visitsPage: false };
    }
    const linked = linkSignals(signal);
    try {
      const answers = await Promise.all(questions.map(([key, question]) => this.#answer(key, question, linked.signal)));
      const visitsPage = questions.some(([, question], index) => isPageVisit(question, answers[index]?.[1]));
      return { inputResponses: Object.fromEntries(answers), visitsPage };
    } catch (error) {
      linked.abort(error);
      throw error;
    } finally {
      linked.release();
    }
  }

  async #answer(
    key: string,
    question: InputRequest,
    signal: AbortSignal,
  ): Promise<readonly [key: string, answer: JsonObject]> {
    const put = { call: this.#method, key, question };
    return [key, await answerInput(this.#host.answering, put, { signal, blockedCall: this.#blockedCall() })];
  }

  #blockedCall(): BlockedCall {
    return {
      retry: () => this.#hurry?.(),
      cancel: () => {
        const message = `${this.#method}: given up while a page was to be visited for it`;
        this.#gaveUp.reject(new InputError(message, { reason: "cancelled" }));
      },
    };
  }

  /** Where nothing was asked, the first retry goes out at once and later ones wait ever longer [M-MRTR-025]. */
  async #pause(signal: AbortSignal): Promise<void> {
    this.#idleRounds += 1;
    if (this.#idleRounds === 1) {
      return;
    }
    const hurried = linkSignals(signal);
    this.#hurry = () => hurried.abort(undefined);
    try {
      await sleep(this.#host.clock, backoffDelay(this.#idleRounds - 1), hurried.signal);
    } catch (error) {
      if (signal.aborted) {
        throw error;
      }
    } finally {
      this.#hurry = undefined;
      hurried.release();
    }
  }
}

function isInputRequired(result: JsonObject): result is JsonObject & InputRequiredResult {
  return result.resultType === "input_required";
}

/** Whether the person has agreed to visit a page, so that the server may hold the request until they are done. */
function isPageVisit({ method, params }: InputRequest, answer: JsonObject | undefined): boolean {
  return (
    method === "elicitation/create" && (params as { mode?: unknown }).mode === "url" && answer?.action === "accept"
  );
}

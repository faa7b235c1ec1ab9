/**
 * Asking the client by rounds: a request ends with the questions, comes again with the answers, and its handler runs
 * again with all answers there are. Nothing is kept in between; what the next run needs travels sealed with the client.
 *
 * All questions that are asked before the handler waits for something else are one round. Work given to `once` is
 * finished before the round ends, so that it never runs twice. Specification: Basic > Multi Round-Trip Requests.
 */
import { linkSignals } from "../../base/abort.ts";
import { createDeferred, type Deferred } from "../../base/deferred.ts";
import { isObject } from "../../base/json.ts";
import { RpcError, rpcCodes } from "../../jsonrpc/error.ts";
import type { Call } from "../../jsonrpc/link.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { InvalidParamsError } from "../../protocol/errors.ts";
import { checkResult } from "../../protocol/results.ts";
import { attempt, isPromise, type MaybePromise } from "../maybe.ts";
import { Memo, type Memories } from "../requests/memo.ts";
import { questionKey } from "./question-key.ts";
import type { RequestStates, StateBinding } from "./request-state.ts";
import { Suspension } from "./suspension.ts";
import { Unwinding } from "./unwinding.ts";

/** The requests that may be answered with questions, and nothing else [M-MRTR-002]. */
export const askingMethods: ReadonlySet<string> = /* @__PURE__ */ new Set([
  "tools/call",
  "prompts/get",
  "resources/read",
]);

/** What is sealed between two rounds. */
interface RoundState {
  /** Rounds that were asked. */
  readonly round: number;
  /** Questions of the last round: their methods by key. */
  readonly asked: { readonly [key: string]: string };
  /** Answers of all rounds by key. */
  readonly answers: { readonly [key: string]: JsonObject };
  readonly memories: Memories;
}

const noState: RoundState = { round: 0, asked: {}, answers: {}, memories: {} };

/** A request that may be answered with questions. */
export interface RoundsRequest {
  readonly method: string;
  readonly params: JsonObject;
  readonly principal: string;
  readonly signal: AbortSignal;
}

interface Outcome {
  resolve(result: JsonObject): void;
  reject(error: unknown): void;
}

/** See the head of this file. One object per request. */
export class InputRounds {
  readonly #request: RoundsRequest;
  readonly #states: RequestStates;
  readonly #occurrences = new Map<string, number>();
  readonly #questions = new Map<string, Call>();
  readonly #unwinding = new Unwinding();
  #state = noState;
  #memo: Memo | undefined;
  #suspended: Deferred<never> | undefined;
  #suspension: Suspension | undefined;
  #failure: RpcError | undefined;
  #outcome: Outcome | undefined;
  #work: ReturnType<typeof linkSignals> | undefined;

  constructor(request: RoundsRequest, states: RequestStates) {
    this.#request = request;
    this.#states = states;
  }

  /** Whether this run of the handler has ended with questions. */
  get isSuspended(): boolean {
    return this.#suspension !== undefined;
  }

  /** Rejects when this run ends with questions; `undefined` as long as nothing was asked that has no answer yet. */
  get suspended(): Promise<never> | undefined {
    return this.#suspended?.promise;
  }

  /** What is done once in all runs of the handler. */
  get memory(): Memo {
    this.#memo ??= new Memo(this.#state.memories);
    return this.#memo;
  }

  /** Aborts with the request, and when this run ends with questions: work that goes on besides is for nothing. */
  get signal(): AbortSignal {
    this.#work ??= linkSignals(this.#request.signal);
    return this.#work.signal;
  }

  /**
   * Runs the work, with the answers and results that the request brings.
   *
   * @returns what the work gives, or a result with questions
   * @throws InvalidParamsError for a state or an answer that is refused; what the work throws
   */
  run(work: () => MaybePromise<JsonObject | undefined>): MaybePromise<JsonObject | undefined> {
    const { requestState } = this.#request.params;
    return typeof requestState === "string"
      ? this.#reopen(requestState).then(() => this.#start(work))
      : this.#start(work);
  }

  /**
   * The answer to a question, if it has come; else the question becomes part of this round.
   *
   * @param name - what the client knows it by; made of its words otherwise
   * @throws Suspension when the round ends
   */
  ask(question: Call, name?: string): Promise<JsonObject> {
    if (this.#suspension !== undefined) {
      return Promise.reject(this.#suspension);
    }
    const key = name === undefined ? this.#nextKey(question) : this.#nextName(name);
    if (name !== undefined && this.#request.params.requestState === undefined) {
      const problem = this.#take({ [key]: question.method });
      if (problem !== undefined) {
        return Promise.reject(this.#fail(problem));
      }
    }
    const answer = this.#state.answers[key];
    if (answer !== undefined) {
      return Promise.resolve(structuredClone(answer));
    }
    this.#questions.set(key, question);
    this.#suspended ??= this.#open();
    return this.#suspended.promise;
  }

  /** Work that runs once in all runs of the handler; see {@link Memo.once}. */
  once<T>(key: string, work: () => MaybePromise<T>): Promise<T> {
    return this.#suspension === undefined ? this.memory.once(key, work) : Promise.reject(this.#suspension);
  }

  /** What a handler gets in place of the promise of a question or of work; see {@link Unwinding}. */
  hold<T>(promise: Promise<T>): Promise<T> {
    return this.#unwinding.hold(promise);
  }

  /**
   * Refuses an answer: the request fails, whatever the handler does [M-MRTR-016].
   *
   * @returns what to throw
   */
  refuse(problem: string): Suspension {
    return this.#fail(`: ${problem}`);
  }

  /** The request is answered. */
  end(): void {
    this.#work?.release();
  }

  #fail(problem: string): Suspension {
    this.#failure ??= new InvalidParamsError(`params.inputResponses${problem}`);
    this.#suspended ??= this.#open();
    return this.#close();
  }

  #start(work: () => MaybePromise<JsonObject | undefined>): MaybePromise<JsonObject | undefined> {
    const outcome = createDeferred<JsonObject | undefined>();
    this.#outcome = outcome;
    const value = attempt(work, (error) => {
      if (this.#suspended === undefined) {
        throw error;
      }
      return undefined;
    });
    if (!isPromise(value) && this.#suspended === undefined) {
      this.#unwinding.end();
      return value;
    }
    Promise.resolve(value)
      .finally(() => this.#unwinding.end())
      .then((result) => {
        if (this.#suspended === undefined) {
          outcome.resolve(result);
        }
      }, outcome.reject);
    return outcome.promise;
  }

  /** Questions that are the same have a number each; the client's folders do not change within a call. */
  #nextKey(question: Call): string {
    const base = questionKey(question);
    const occurrence = question.method === "roots/list" ? 1 : (this.#occurrences.get(base) ?? 0) + 1;
    this.#occurrences.set(base, occurrence);
    return `${base}-${occurrence}`;
  }

  /** A name is the author's word that it is the same question; used again, it gets a number. */
  #nextName(name: string): string {
    const occurrence = (this.#occurrences.get(name) ?? 0) + 1;
    this.#occurrences.set(name, occurrence);
    return occurrence === 1 ? name : `${name}-${occurrence}`;
  }

  /** Begins a round; it ends when everything that can run now has run. */
  #open(): Deferred<never> {
    const suspended = createDeferred<never>();
    // Whoever asked without waiting must not take the process down.
    suspended.promise.catch(() => undefined);
    setTimeout(() => this.#close(), 0);
    return suspended;
  }

  #close(): Suspension {
    if (this.#suspension !== undefined) {
      return this.#suspension;
    }
    const suspension = new Suspension();
    this.#suspension = suspension;
    this.#suspended?.reject(suspension);
    void this.#conclude(suspension);
    return suspension;
  }

  async #conclude(suspension: Suspension): Promise<void> {
    try {
      await this.#memo?.settled();
      if (this.#failure !== undefined) {
        throw this.#failure;
      }
      const result = await this.#toResult();
      this.#outcome?.resolve(result);
    } catch (error) {
      this.#outcome?.reject(error);
    } finally {
      this.#work?.abort(suspension);
    }
  }

  async #toResult(): Promise<JsonObject> {
    const round = this.#state.round + 1;
    const { maxRounds } = this.#states;
    if (round > maxRounds) {
      throw new RpcError(
        rpcCodes.internalError,
        `${this.#request.method}: still asking after ${maxRounds} rounds of questions, so the call was given up; a ` +
          "question that differs in each run never finds its answer",
      );
    }
    const questions = [...this.#questions];
    const state: RoundState = {
      round,
      asked: Object.fromEntries(questions.map(([key, { method }]) => [key, method])),
      answers: this.#state.answers,
      memories: this.#memo?.memories ?? this.#state.memories,
    };
    const requestState = await this.#states.seal(state, this.#binding);
    const inputRequests = questions.map(([key, { method, params }]) => [
      key,
      params === undefined ? { method } : { method, params },
    ]);
    return { resultType: "input_required", inputRequests: Object.fromEntries(inputRequests), requestState };
  }

  async #reopen(sealed: string): Promise<void> {
    const state = (await this.#states.open(sealed, this.#binding)) as RoundState;
    this.#state = state;
    const problem = this.#take(state.asked);
    if (problem !== undefined) {
      throw new InvalidParamsError(`params.inputResponses${problem}`);
    }
  }

  /**
   * Takes the answers of the request to these questions; a missing one is asked for again, should the handler still
   * need it [M-MRTR-017].
   *
   * @returns what is wrong with an answer, if anything
   */
  #take(asked: RoundState["asked"]): string | undefined {
    const { inputResponses } = this.#request.params;
    const given = isObject(inputResponses) ? inputResponses : {};
    const answers: Record<string, JsonObject> = { ...this.#state.answers };
    for (const [key, method] of Object.entries(asked)) {
      const answer = Object.hasOwn(given, key) ? given[key] : undefined;
      if (answer === undefined) {
        continue;
      }
      const problem = checkResult(method, answer);
      if (problem !== undefined || !isObject(answer)) {
        return `[${JSON.stringify(key)}], as ${problem ?? "an object"}`;
      }
      answers[key] = answer;
    }
    this.#state = { ...this.#state, answers };
    return undefined;
  }

  get #binding(): StateBinding {
    const { method, principal, params } = this.#request;
    const { name, uri, arguments: args = {} } = params;
    return { principal, method, subject: uri === undefined ? { name, arguments: args } : { uri } };
  }
}

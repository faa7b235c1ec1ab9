/**
 * What an authorization server answered about tokens, kept briefly and asked for once.
 *
 * Answers lie under a hash of the token, and a revoked token is accepted no longer than they are kept.
 * How a server is asked is introspection.ts and token-info.ts. RFC 7662 section 4.
 */
import { Lru } from "../../base/lru.ts";
import { assertDuration } from "./duration.ts";
import { hashText } from "./hash.ts";
import { TokenRejectedError, type VerifiedToken, VerifierUnavailableError } from "./verifier.ts";

/** A verified token, or why there is none. */
export type Answer = { readonly token: VerifiedToken } | { readonly problem: string };

/** Options of {@link Answers}. */
export interface AnswersOptions {
  /** Asks the authorization server. */
  readonly ask: (token: string) => Promise<Answer>;
  /** How long an answer is kept, in milliseconds. Default 30 000. */
  readonly cacheMs: number | undefined;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** Most answers that are kept. */
const maxAnswers = 10_000;

/** How long a refusal is kept at most, in milliseconds: it may have come just before the token was valid. */
const maxRefusalMs = 5_000;

/** Most tokens that are asked about at a time: strangers may send any number of them. */
const maxAsking = 100;

/** See the head of this file. */
export class Answers {
  readonly #options: AnswersOptions;
  readonly #answers: Lru<Answer>;
  readonly #asking = new Map<string, Promise<Answer>>();

  constructor(options: AnswersOptions) {
    assertDuration("cacheMs", options.cacheMs);
    this.#options = options;
    this.#answers = new Lru(maxAnswers, options.now);
  }

  /**
   * The token, asked for once however many requests present it at the same time.
   *
   * @throws {@link TokenRejectedError}; {@link VerifierUnavailableError} where too many are asked about; whatever asking throws
   */
  async verify(token: string): Promise<VerifiedToken> {
    const answer = await this.#find(token);
    if ("problem" in answer) {
      throw new TokenRejectedError(answer.problem);
    }
    return answer.token;
  }

  async #find(token: string): Promise<Answer> {
    const key = await hashText(token);
    const kept = this.#answers.get(key);
    if (kept !== undefined) {
      return kept;
    }
    return this.#asking.get(key) ?? this.#start(token, key);
  }

  #start(token: string, key: string): Promise<Answer> {
    if (this.#asking.size >= maxAsking) {
      throw new VerifierUnavailableError(`the authorization server is being asked about ${maxAsking} tokens already`);
    }
    const asking = this.#ask(token, key).finally(() => this.#asking.delete(key));
    this.#asking.set(key, asking);
    return asking;
  }

  async #ask(token: string, key: string): Promise<Answer> {
    const answer = await this.#options.ask(token);
    this.#answers.set(key, answer, this.#lifetimeOf(answer));
    return answer;
  }

  #lifetimeOf(answer: Answer): number {
    const { cacheMs = 30_000, now } = this.#options;
    if ("problem" in answer) {
      return Math.min(cacheMs, maxRefusalMs);
    }
    return Math.min(cacheMs, (answer.token.expiresAtMs ?? Number.POSITIVE_INFINITY) - now());
  }
}

/**
 * What came of asking for more scopes, by operation, so that it is not asked for without end: attempts are limited, and one
 * that a person denied is not repeated for a while [AUTH-069] [M-AUTH-019] [SEC-030].
 *
 * There is one ledger for each resource; what it allows all operations together is step-up-quota.ts. Specification: Basic > Authorization > Step-Up Authorization Flow.
 */
import { isObject, parseJson } from "../../../base/json.ts";
import { Lru } from "../../../base/lru.ts";
import { isCovered } from "../discovery/scope-choice.ts";
import type { TokenSet } from "../storage/credential.ts";
import { StepUpQuota } from "./step-up-quota.ts";

/** Most operations that are remembered. */
const maxOperations = 500;
/** Most characters of an operation's name. */
const maxNameLength = 300;
/** Deepest nesting of a message that is looked into. */
const maxDepth = 200;
/** How many operations of one server may use up their attempts before all have to wait. */
const quotaFactor = 4;
/** Shortest time for which attempts count, in milliseconds, however soon a denial is forgotten. */
const minWindowMs = 300_000;

/** How often and how soon. */
export interface StepUpLimits {
  /**
   * Attempts for one operation, until the next login; or, once it was allowed, until it was not asked for more for the time
   * that attempts count: `deniedTtlMs`, at least five minutes. In that time, all operations together have four times as many.
   */
  readonly maxAttempts: number;
  /** How long a denial holds, in milliseconds. */
  readonly deniedTtlMs: number;
}

interface Attempts {
  readonly count: number;
  /** What there was before the last one, where that one brought tokens. */
  readonly grantedBefore: readonly string[] | undefined;
  /** What the last one came to: those who shared it count it once. */
  readonly outcome: unknown;
  readonly deniedUntilMs: number;
}

/** See the head of this file. */
export class StepUpLedger {
  readonly #limits: StepUpLimits;
  readonly #now: () => number;
  readonly #windowMs: number;
  readonly #quota: StepUpQuota;
  #operations: Lru<Attempts>;

  /** @param now - milliseconds since the epoch */
  constructor(limits: StepUpLimits, now: () => number) {
    this.#limits = limits;
    this.#now = now;
    this.#windowMs = Math.max(limits.deniedTtlMs, minWindowMs);
    this.#quota = new StepUpQuota(limits.maxAttempts * quotaFactor, this.#windowMs, now);
    this.#operations = new Lru(maxOperations, now);
  }

  /**
   * Why another attempt for an operation is not to be made, or nothing.
   *
   * @param tokens - those that were refused
   * @param needed - the scopes that the server wants
   */
  check(operation: string, tokens: TokenSet | undefined, needed: readonly string[]): string | undefined {
    const made = this.#operations.get(operation);
    if (made === undefined) {
      return undefined;
    }
    if (made.deniedUntilMs > this.#now()) {
      return "it was denied a short while ago";
    }
    if (made.count >= this.#limits.maxAttempts) {
      return `it was tried ${made.count} times; a new login allows it again`;
    }
    if (tokens === undefined || made.grantedBefore === undefined) {
      return undefined;
    }
    if (isCovered(tokens.grantedScopes, { grantedScopes: made.grantedBefore })) {
      return "asking for more did not bring any";
    }
    return isCovered(needed, tokens) ? "they were granted already" : undefined;
  }

  /**
   * Why nothing more is to be asked for on behalf of the server for now, or nothing.
   *
   * @param want - what would be asked for; what is being asked for already may be shared
   */
  checkServer(want: string): string | undefined {
    const minutes = Math.ceil(this.#windowMs / 60_000);
    return this.#quota.isSpent(want)
      ? `the server wanted more too often within ${minutes} minutes. Where that is right, login() allows it again`
      : undefined;
  }

  /** Takes down that something is being asked for, until the result is called. */
  begin(want: string): () => void {
    return this.#quota.begin(want);
  }

  /** Takes down an attempt that brought tokens, and the scopes there were before it. */
  addSuccess(operation: string, tokens: TokenSet, grantedBefore: readonly string[]): void {
    this.#add(operation, { outcome: tokens, grantedBefore, deniedUntilMs: 0 });
  }

  /** Takes down an attempt that failed, and whether because the person did not want it. */
  addFailure(operation: string, error: unknown, isDenied: boolean): void {
    const deniedUntilMs = isDenied ? this.#now() + this.#limits.deniedTtlMs : 0;
    this.#add(operation, { outcome: error, grantedBefore: undefined, deniedUntilMs });
  }

  /** The operation was allowed: what it took counts for a while, so that it cannot be asked for time and again. */
  settle(operation: string): void {
    const made = this.#operations.get(operation);
    if (made !== undefined) {
      this.#operations.set(operation, { ...made, grantedBefore: undefined }, this.#windowMs);
    }
  }

  /** Forgets everything, as after a new login. */
  clear(): void {
    this.#operations = new Lru(maxOperations, this.#now);
    this.#quota.clear();
  }

  #add(operation: string, attempt: Omit<Attempts, "count">): void {
    this.#quota.add(attempt.outcome);
    const made = this.#operations.get(operation);
    if (made === undefined || made.outcome !== attempt.outcome) {
      this.#operations.set(operation, { ...attempt, count: (made?.count ?? 0) + 1 });
    }
  }
}

/** What a request does, as far as scopes may depend on it: the method, and what it names. */
export function nameOperation(httpMethod: string, body: string | undefined): string {
  const parsed = body === undefined ? undefined : parseJson(body, maxDepth);
  if (parsed?.ok !== true || !isObject(parsed.value) || typeof parsed.value.method !== "string") {
    return httpMethod;
  }
  const { method, params } = parsed.value;
  const named = isObject(params) ? [params.name, params.uri].find((name) => typeof name === "string") : undefined;
  return (named === undefined ? method : `${method} ${named}`).slice(0, maxNameLength);
}

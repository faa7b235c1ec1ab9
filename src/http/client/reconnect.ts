/**
 * How often and how soon a broken stream is opened again. Counts and computes; waiting is the business of the callers.
 *
 * Specification: Basic > Transports > Resumability and redelivery; the wait that a server asks for is kept exactly.
 */
import { backoffDelay } from "../../base/backoff.ts";
import { UsageError } from "../../base/error.ts";

/** How broken streams are opened again. */
export interface ReconnectOptions {
  /** Delay before the first new attempt, in milliseconds, halved at most by jitter. Default 500. */
  initialDelayMs?: number | undefined;
  /** Longest delay, in milliseconds. Default 30 000. */
  maxDelayMs?: number | undefined;
  /** Factor from one delay to the next, at least 1. Default 2. */
  factor?: number | undefined;
  /** Attempts in a row that may fail; one more and it is given up. Default 10. */
  maxAttempts?: number | undefined;
  /** How long a stream must have been open for earlier failures to be forgotten, in milliseconds. Default 10 000. */
  healthyAfterMs?: number | undefined;
}

/** {@link ReconnectOptions} with its defaults. */
export interface ReconnectPolicy {
  readonly initialDelayMs: number;
  readonly maxDelayMs: number;
  readonly factor: number;
  readonly maxAttempts: number;
  readonly healthyAfterMs: number;
  readonly random: () => number;
}

/**
 * Fills in the defaults.
 *
 * @throws {@link UsageError} when a number makes no sense
 */
export function resolveReconnect(options: ReconnectOptions | undefined, random: () => number): ReconnectPolicy {
  const policy = {
    initialDelayMs: options?.initialDelayMs ?? 500,
    maxDelayMs: options?.maxDelayMs ?? 30_000,
    factor: options?.factor ?? 2,
    maxAttempts: options?.maxAttempts ?? 10,
    healthyAfterMs: options?.healthyAfterMs ?? 10_000,
    random,
  };
  for (const [name, value] of Object.entries(policy)) {
    const least = name === "factor" ? 1 : 0;
    if (typeof value === "number" && !(value >= least)) {
      throw new UsageError(`reconnect.${name}: expected a number of at least ${least}, got ${value}`);
    }
  }
  return policy;
}

/** Failures in a row of one stream. */
export class Attempts {
  readonly #policy: ReconnectPolicy;
  #failed = 0;

  constructor(policy: ReconnectPolicy) {
    this.#policy = policy;
  }

  /** How many have failed in a row. */
  get failed(): number {
    return this.#failed;
  }

  /**
   * Looks at a stream that ended: one that was of use, or that the server ended with a word on when to come back,
   * makes earlier failures forgotten.
   */
  judge(stream: { readonly openMs: number; readonly useful: boolean }): void {
    if (stream.useful || stream.openMs >= this.#policy.healthyAfterMs) {
      this.#failed = 0;
    }
  }

  /**
   * Counts a failure.
   *
   * @param askedMs - the wait the server asked for, in milliseconds: kept exactly, and never less than that [HTTP-019]
   * @returns how long to wait before the next attempt, in milliseconds; `undefined` when there are no more
   */
  next(askedMs: number | undefined): number | undefined {
    this.#failed += 1;
    if (this.#failed > this.#policy.maxAttempts) {
      return undefined;
    }
    if (askedMs !== undefined && this.#failed === 1) {
      return askedMs;
    }
    return Math.max(askedMs ?? 0, backoffDelay(this.#failed, this.#policy));
  }
}

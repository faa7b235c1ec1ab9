/**
 * What authorization did, step by step: what `explain()` shows and what errors list. No secret ever stands in it.
 *
 * Bounded: the oldest steps go first. Text of servers may stand in it, so each step is one short line without control
 * characters.
 */
import type { AuthorizationStage } from "../../protocol/authorization-errors.ts";
import { toShown } from "./tokens/shown-text.ts";

/** How a step went. */
export type StepOutcome = "ok" | "skipped" | "failed";

/** One step. */
export interface AuthorizationStep {
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  readonly stage: AuthorizationStage;
  readonly outcome: StepOutcome;
  /** The address that was asked, without query and fragment. */
  readonly url?: string | undefined;
  /** What was found, or what was expected and came, in one sentence. One short line. */
  readonly detail: string;
}

/** Most steps that are kept. */
const maxSteps = 200;

/** Takes down the steps of one server's authorization. */
export class AuthorizationRecord {
  readonly #now: () => number;
  readonly #steps: AuthorizationStep[] = [];

  /** @param now - milliseconds since the epoch */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** The steps, the oldest first. */
  get steps(): readonly AuthorizationStep[] {
    return [...this.#steps];
  }

  /** Takes a step down. */
  add(stage: AuthorizationStage, outcome: StepOutcome, detail: string, url?: string): void {
    this.#steps.push({
      atMs: this.#now(),
      stage,
      outcome,
      detail: toShown(detail),
      ...(url === undefined ? undefined : { url: toShown(url) }),
    });
    if (this.#steps.length > maxSteps) {
      this.#steps.shift();
    }
  }
}

/** Steps as the lines of an error message: each address with its outcome. */
export function describeSteps(steps: readonly AuthorizationStep[]): string {
  return steps
    .map(({ outcome, url, detail }) => `\n  ${outcome}: ${url === undefined ? "" : `${url}: `}${detail}`)
    .join("");
}

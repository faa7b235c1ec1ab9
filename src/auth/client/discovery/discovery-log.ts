/**
 * The steps of one discovery: taken down in the server's record, and told together where none of them led on [AUTH-012].
 *
 * The record holds the steps of everything else too, so it cannot say which belong to this one.
 */
import { AuthorizationError, type AuthorizationStage } from "../../../protocol/authorization-errors.ts";
import { toShownUrl } from "../../strict-url.ts";
import { type AuthorizationRecord, type AuthorizationStep, describeSteps, type StepOutcome } from "../record.ts";

/** See the head of this file. */
export class DiscoveryLog {
  readonly #record: AuthorizationRecord;
  readonly #steps: AuthorizationStep[] = [];
  #isTransient = false;

  constructor(record: AuthorizationRecord) {
    this.#record = record;
  }

  /** Takes a step down. Query and fragment of the address are left out. */
  add(stage: AuthorizationStage, outcome: StepOutcome, detail: string, address?: string): void {
    const url = address === undefined ? undefined : toShownUrl(address);
    this.#record.add(stage, outcome, detail, url);
    this.#steps.push(...this.#record.steps.slice(-1));
  }

  /** Says that a step failed that may go well later. */
  markTransient(): void {
    this.#isTransient = true;
  }

  /**
   * The error of a discovery that nothing came of: each address with its outcome.
   *
   * @param message - what was expected, and what to do
   */
  toError(stage: AuthorizationStage, message: string, issuer?: string): AuthorizationError {
    return new AuthorizationError(`${message}${this.#describe()}`, { stage, issuer, isTransient: this.#isTransient });
  }

  /**
   * The error of a discovery that something was found by which stops it, with each address before. Trying again would find
   * it again.
   *
   * @param message - what was expected and what came
   */
  toStop(stage: AuthorizationStage, message: string, issuer?: string): AuthorizationError {
    const tried = this.#describe();
    this.add(stage, "failed", message);
    return new AuthorizationError(`${message}${tried}`, { stage, issuer });
  }

  #describe(): string {
    return this.#steps.length === 0 ? "" : `; tried:${describeSteps(this.#steps)}`;
  }
}

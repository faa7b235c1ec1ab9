/**
 * The steps of one discovery: taken down in the server's record, and told together where none of them led on [AUTH-012].
 *
 * The record holds the steps of everything else too, so it cannot say which belong to this one.
 */
import { parseUrl } from "../../../base/url.ts";
import { AuthorizationError, type AuthorizationStage } from "../../../protocol/authorization-errors.ts";
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
    const url = address === undefined ? undefined : toPlainAddress(address);
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
    const tried = this.#steps.length === 0 ? "" : `; tried:${describeSteps(this.#steps)}`;
    return new AuthorizationError(`${message}${tried}`, { stage, issuer, isTransient: this.#isTransient });
  }

  /**
   * The error of a discovery that something was found by which stops it. Trying again would find it again.
   *
   * @param message - what was expected and what came
   */
  toStop(stage: AuthorizationStage, message: string, issuer?: string): AuthorizationError {
    this.add(stage, "failed", message);
    return new AuthorizationError(message, { stage, issuer });
  }
}

function toPlainAddress(address: string): string {
  const url = parseUrl(address);
  return url === undefined ? "an address that is no URL" : `${url.protocol}//${url.host}${url.pathname}`;
}

/** Answers that a requestor sends by itself, looked at before they are kept. Specification: Extensions > Tasks > Task Update Requests. */
import { isObject } from "../base/json.ts";
import { InvalidParamsError } from "../protocol/errors.ts";
import { checkResult } from "../protocol/results.ts";
import type { TaskOutcome, TaskRecord } from "./record.ts";

/**
 * The answers to what is asked; others are left out [X-TASK-030].
 *
 * @throws InvalidParamsError for one that cannot be an answer to its question
 */
export function parseAnswers(
  questions: TaskRecord["questions"],
  responses: { readonly [key: string]: unknown },
): { readonly [key: string]: TaskOutcome } {
  const answers: Record<string, TaskOutcome> = {};
  for (const [key, response] of Object.entries(responses)) {
    const question = Object.hasOwn(questions, key) ? questions[key] : undefined;
    if (question !== undefined) {
      const problem = checkResult(question.method, response);
      if (problem !== undefined || !isObject(response)) {
        throw new InvalidParamsError(
          `params.inputResponses[${JSON.stringify(key)}], as ${problem ?? "expected an object"}`,
        );
      }
      answers[key] = { result: response };
    }
  }
  return answers;
}

/**
 * Asking the client's model for a message, checked before it leaves: tools only where declared, tool uses answered.
 *
 * Rounds of tool use are tool-loop.ts. Specification: Client > Sampling.
 */
import { UsageError } from "../../base/error.ts";
import { checkParams } from "../../protocol/params.ts";
import { checkSamplingBalance } from "../../protocol/sampling-balance.ts";
import type { CreateMessageRequestParams, CreateMessageResult } from "../../protocol/types/sampling.ts";
import type { TaskQuestionOptions } from "../requests/context.ts";
import { type AskTarget, assertAskable } from "./input.ts";
import { askAsWished } from "./task-question.ts";

const method = "sampling/createMessage";

/**
 * Asks for a message.
 *
 * @throws MissingCapabilityError where the client lacks `sampling`, `sampling.tools` or `sampling.context` [SAMP-002]
 * @throws UsageError for params that no client would take [SAMP-007, SAMP-016 to SAMP-019, SAMP-031]
 */
export async function askSample(
  target: AskTarget,
  params: CreateMessageRequestParams,
  options: TaskQuestionOptions,
): Promise<CreateMessageResult> {
  const problem = checkParams(method, params) ?? checkSamplingBalance(params.messages);
  if (problem !== undefined) {
    throw new UsageError(`${method}: ${problem}`);
  }
  assertAskable(target, { method, params: { ...params } });
  return askAsWished(target, method, params, options);
}

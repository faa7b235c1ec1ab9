/** Answers one question that came inside a result: as a request would be answered, or with the reason why it cannot be. */
import { raceAbort } from "../../base/abort.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { InputRequest } from "../../protocol/types/input.ts";
import { isRpcError } from "../requests/rpc-error.ts";
import type { Answering, QuestionContext } from "./answering.ts";
import { InputError } from "./input-error.ts";

/** A question, and the call for which it was put. */
export interface PutQuestion {
  /** The call, as messages name it. */
  readonly call: string;
  readonly key: string;
  readonly question: InputRequest;
}

/**
 * Answers.
 *
 * @returns the bare result, without what the answer to a request has around it [M-MRTR-021]
 * @throws {@link InputError}: nothing is sent instead of an answer, as there is no way to say that there is none
 * [M-MRTR-027] [M-MRTR-028]; the signal's reason
 */
export async function answerInput(
  answering: Answering,
  put: PutQuestion,
  context: QuestionContext,
): Promise<JsonObject> {
  const { method, params } = put.question;
  const { signal } = context;
  try {
    const question = { method, params: params as JsonObject | undefined };
    const { resultType: _type, ...bare } = await raceAbort(answering.answerQuestion(question, context), signal);
    return bare;
  } catch (error) {
    throw signal.aborted ? signal.reason : describe(put, error);
  }
}

function describe({ call, key, question }: PutQuestion, error: unknown): InputError {
  const isRefused = isRpcError(error) && (error.code === "MCP_METHOD_NOT_FOUND" || error.code === "MCP_INVALID_PARAMS");
  const why = error instanceof Error ? error.message : String(error);
  const what = isRefused ? "is none that this client answers" : "could not be answered";
  const message = `${call}: the server's question ${JSON.stringify(key)}, ${question.method}, ${what}: ${why}`;
  return new InputError(message, { reason: isRefused ? "refused" : "failed", cause: error });
}

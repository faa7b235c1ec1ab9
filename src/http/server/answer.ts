/** The answer to one request, as JSON text with the status it has where nothing was sent before it. */
import { encodeMessage } from "../../jsonrpc/codec.ts";
import { rpcCodes } from "../../jsonrpc/error.ts";
import { createErrorResponse, type JsonRpcRequest, type JsonRpcResponse } from "../../jsonrpc/message.ts";
import { readNeededScopes } from "../../protocol/authorization-errors.ts";
import type { McpExchange } from "../../revision/exchange.ts";
import { refusals, toAnswerStatus } from "../status.ts";
import type { HttpRuntime } from "./runtime.ts";

/** See the head of this file. */
export interface Answer {
  readonly text: string;
  /** Of a reply that is this answer and nothing else. */
  readonly status: number;
  /** Scopes that the caller would have needed; the status is then 403. */
  readonly neededScopes?: readonly string[] | undefined;
}

/** Has a request answered. Never rejects: a dispatcher that breaks its promise makes an internal error. */
export async function answerRequest(
  runtime: HttpRuntime,
  message: JsonRpcRequest,
  exchange: McpExchange,
): Promise<Answer> {
  try {
    const response = await runtime.dispatcher.dispatch(message, exchange);
    if (response !== undefined) {
      return toAnswer(runtime, response, exchange);
    }
    runtime.report("MCP_D_DISPATCHER_FAULT", `the dispatcher gave no answer to a request for ${message.method}`);
  } catch (error) {
    // Also an answer that JSON cannot write. The client is told that it failed, and nothing more.
    runtime.report("MCP_D_DISPATCHER_FAULT", `the dispatcher failed on a request for ${message.method}`, error);
  }
  const failure = createErrorResponse(message.id, { code: rpcCodes.internalError, message: "internal error" });
  return toAnswer(runtime, failure, exchange);
}

function toAnswer({ options }: HttpRuntime, response: JsonRpcResponse, { context }: McpExchange): Answer {
  const text = encodeMessage(response);
  // Without anybody who gives tokens out, a status that asks for another one would lead nowhere.
  const neededScopes =
    options.auth === undefined || !("error" in response) ? undefined : readNeededScopes(response.error);
  return neededScopes === undefined
    ? { text, status: toAnswerStatus(response, context.revision) }
    : { text, status: refusals.forbidden.status, neededScopes };
}

/** The answer to one request, as JSON text with the status it has where nothing was sent before it. */
import { encodeMessage } from "../../jsonrpc/codec.ts";
import { rpcCodes } from "../../jsonrpc/error.ts";
import { createErrorResponse, type JsonRpcRequest } from "../../jsonrpc/message.ts";
import type { McpExchange } from "../../revision/exchange.ts";
import { toAnswerStatus } from "../status.ts";
import type { HttpRuntime } from "./runtime.ts";

/** See the head of this file. */
export interface Answer {
  readonly text: string;
  readonly status: number;
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
      return { text: encodeMessage(response), status: toAnswerStatus(response, exchange.context.revision) };
    }
    runtime.report("MCP_D_DISPATCHER_FAULT", `the dispatcher gave no answer to a request for ${message.method}`);
  } catch (error) {
    // Also an answer that JSON cannot write. The client is told that it failed, and nothing more.
    runtime.report("MCP_D_DISPATCHER_FAULT", `the dispatcher failed on a request for ${message.method}`, error);
  }
  const failure = createErrorResponse(message.id, { code: rpcCodes.internalError, message: "internal error" });
  return { text: encodeMessage(failure), status: toAnswerStatus(failure, exchange.context.revision) };
}

/**
 * The messages of one POST handed on, each to where it belongs: requests and notifications to the dispatcher,
 * responses to the questions that wait for them.
 *
 * Specification: Basic > Transports > Sending messages to the server.
 */
import { encodeMessage } from "../../jsonrpc/codec.ts";
import type { Call, LinkRequestOptions } from "../../jsonrpc/link.ts";
import {
  type Classified,
  createErrorResponse,
  type InvalidMessage,
  type JsonObject,
  type JsonRpcNotification,
  type JsonRpcRequest,
  type JsonRpcResponse,
} from "../../jsonrpc/message.ts";
import type { McpContext } from "../../revision/exchange.ts";
import type { HttpReply, HttpRequest, TextReply } from "../message.ts";
import { acceptedReply, createRefusal } from "../status.ts";
import type { Entries } from "./entries.ts";
import type { HttpExchange } from "./exchange.ts";
import { chooseFormat, refuseFormat } from "./format.ts";
import { Post, type PostHost } from "./post.ts";
import type { ClientAnswer, Settlement } from "./questions.ts";
import type { HttpRuntime } from "./runtime.ts";
import { refuseServerRequest } from "./unreachable.ts";

/** The exchange of a notification: it has no answer, and what is said in it belongs to no request. */
class NotificationExchange implements HttpExchange {
  readonly context: McpContext;
  readonly #host: PostHost;

  constructor(context: McpContext, host: PostHost) {
    this.context = context;
    this.#host = host;
  }

  get signal(): AbortSignal {
    return this.#host.signal;
  }

  notify(call: Call): Promise<void> {
    return this.#host.notify(call);
  }

  request(call: Call, options: LinkRequestOptions = {}): Promise<JsonObject> {
    const { revision } = this.context;
    return revision.traits.serverRequests
      ? this.#host.request(call, options)
      : refuseServerRequest(call.method, revision);
  }

  closeStream(): void {
    this.closeStandingStream();
  }

  closeStandingStream(): void {
    this.#host.streams.closeStanding();
  }
}

/**
 * Hands on what was posted.
 *
 * @param host - what it belongs to
 * @param context - for every message
 * @throws what the store rejects with, where an answer could not be sent to the node that waits for it
 */
export function serveEntries(
  host: PostHost,
  { entries, isBatch }: Entries,
  request: HttpRequest,
  context: McpContext,
): Promise<HttpReply> | HttpReply {
  const messages: JsonRpcRequest[] = [];
  const answers: ClientAnswer[] = [];
  const errors: string[] = [];
  const format = needsAnswer(entries) ? chooseFormat(request.header("accept"), host.runtime.options) : "json";
  if (format === undefined) {
    const [only] = entries;
    return refuseFormat(host.runtime.options, only?.kind === "request" && !isBatch ? only.message.id : undefined);
  }
  for (const entry of entries) {
    switch (entry.kind) {
      case "request":
        messages.push(entry.message);
        break;
      case "notification":
        receiveNotification(host, entry.message, context);
        break;
      case "response":
        answers.push(entry.message);
        break;
      case "invalid":
        host.runtime.report("MCP_D_INVALID_MESSAGE", entry.error.message);
        if (isAnswered(entry)) {
          errors.push(encodeMessage(createErrorResponse(entry.id, entry.error)));
        } else {
          answers.push(entry);
        }
        break;
    }
  }
  if (messages.length === 0 && errors.length === 0) {
    return answers.length === 0 ? acceptedReply : receiveAnswers(host, answers, isBatch);
  }
  const reply = new Post(host, { request, messages, errors, isBatch, format, context }).serve();
  return answers.length === 0 ? reply : receiveAnswers(host, answers, isBatch).then(() => reply);
}

function needsAnswer(entries: readonly Classified[]): boolean {
  return entries.some((entry) => entry.kind === "request" || (entry.kind === "invalid" && isAnswered(entry)));
}

/** Only what was meant as a request, or as nothing recognisable, is answered. */
function isAnswered({ meant }: InvalidMessage): boolean {
  return meant === "request" || meant === "unknown";
}

/** The answer does not wait for the work: a notification is taken once it is read [HTTP-010]. */
function receiveNotification(host: PostHost, message: JsonRpcNotification, context: McpContext): void {
  const { dispatcher } = host.runtime;
  const failed = (error: unknown): void =>
    host.runtime.report("MCP_D_DISPATCHER_FAULT", `the dispatcher failed on ${message.method}`, error);
  host.cancel(message);
  try {
    dispatcher.dispatch(message, new NotificationExchange(context, host)).catch(failed);
  } catch (error) {
    failed(error);
  }
}

/** Hands answers to whoever asked; a single one that nobody asked for is refused. */
async function receiveAnswers(host: PostHost, answers: readonly ClientAnswer[], isBatch: boolean): Promise<TextReply> {
  const refusals = await Promise.all(answers.map((answer) => receiveAnswer(host, answer)));
  const refusal = refusals.find((found) => found !== undefined);
  return refusal === undefined || isBatch ? acceptedReply : createRefusal("invalidRequest", refusal);
}

/** Resolves with what is wrong with it. */
async function receiveAnswer(host: PostHost, answer: ClientAnswer): Promise<string | undefined> {
  if ("kind" in answer) {
    await host.questions.fail(answer);
    return answer.error.message;
  }
  const settlement = await host.questions.settle(answer);
  reportSettlement(host.runtime, answer, settlement);
  return settlement === "unknown"
    ? "expected the answer to a request of this session, got one to a request it never made"
    : undefined;
}

/** Says where an answer found nobody who waits for it. */
export function reportSettlement(runtime: HttpRuntime, { id }: JsonRpcResponse, settlement: Settlement): void {
  const what = `an answer to request ${id === undefined ? "nothing" : JSON.stringify(id)}`;
  if (settlement === "late") {
    runtime.report("MCP_D_LATE_RESPONSE", `${what}, which no longer waits`);
  } else if (settlement === "unknown") {
    runtime.report("MCP_D_UNKNOWN_RESPONSE", `${what}, which was never made`);
  }
}

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
import type { HttpReply, HttpRequest } from "../message.ts";
import { acceptedReply, createRefusal } from "../status.ts";
import type { Entries } from "./entries.ts";
import type { HttpExchange } from "./exchange.ts";
import { chooseFormat, refuseFormat } from "./format.ts";
import { Post, type PostHost } from "./post.ts";
import type { Settlement } from "./questions.ts";
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
 */
export function serveEntries(
  host: PostHost,
  { entries, isBatch }: Entries,
  request: HttpRequest,
  context: McpContext,
): Promise<HttpReply> | HttpReply {
  const messages: JsonRpcRequest[] = [];
  const errors: string[] = [];
  let refusal: string | undefined;
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
        if (receiveResponse(host, entry.message) === "unknown") {
          refusal = "expected the answer to a request of this session, got one to a request it never made";
        }
        break;
      case "invalid":
        receiveInvalid(host, entry, errors);
        refusal = entry.error.message;
        break;
    }
  }
  if (messages.length > 0 || errors.length > 0) {
    return new Post(host, { request, messages, errors, isBatch, format, context }).serve();
  }
  return refusal === undefined || isBatch ? acceptedReply : createRefusal("invalidRequest", refusal);
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

function receiveResponse(host: PostHost, message: JsonRpcResponse): Settlement {
  const settlement = host.questions.settle(message);
  const id = message.id === undefined ? "nothing" : JSON.stringify(message.id);
  if (settlement === "late") {
    host.runtime.report("MCP_D_LATE_RESPONSE", `an answer to request ${id}, which no longer waits`);
  } else if (settlement === "unknown") {
    host.runtime.report("MCP_D_UNKNOWN_RESPONSE", `an answer to request ${id}, which was never made`);
  }
  return settlement;
}

function receiveInvalid(host: PostHost, invalid: InvalidMessage, errors: string[]): void {
  if (isAnswered(invalid)) {
    errors.push(encodeMessage(createErrorResponse(invalid.id, invalid.error)));
  } else {
    host.questions.fail(invalid);
  }
  host.runtime.report("MCP_D_INVALID_MESSAGE", invalid.error.message);
}

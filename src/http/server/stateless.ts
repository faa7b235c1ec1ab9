/**
 * Requests that stand for themselves: nothing is remembered, nothing can be resumed, the client cannot be asked.
 *
 * No session bounds them, so they are counted here: altogether, and for each caller that is identified.
 */
import type { Call } from "../../jsonrpc/link.ts";
import type { JsonObject, JsonRpcNotification, RequestId } from "../../jsonrpc/message.ts";
import { cancelledMethod } from "../../protocol/cancellation.ts";
import { toPrincipalKey } from "../../protocol/principal.ts";
import type { McpContext } from "../../revision/exchange.ts";
import { encodeRetryAfter, headerNames } from "../headers.ts";
import type { HttpReply, HttpRequest, TextReply } from "../message.ts";
import { createRefusal } from "../status.ts";
import type { Entries } from "./entries.ts";
import { serveEntries } from "./inbound.ts";
import { LiveStream } from "./live-stream.ts";
import type { PostHost, PostStreams } from "./post.ts";
import type { Asking } from "./questions.ts";
import { type Exceeded, Quota } from "./quota.ts";
import type { HttpRuntime } from "./runtime.ts";
import { createUnreachableError } from "./unreachable.ts";
import { WorkInProgress } from "./work.ts";

/** How long a client waits that found no room, in milliseconds. */
const retryAfterMs = 1_000;

/** Serves POSTs without a session. One is enough for a handler. */
export class StatelessHost implements PostHost {
  readonly runtime: HttpRuntime;
  readonly work: WorkInProgress;
  readonly streams: PostStreams;
  readonly questions: Asking = noQuestions;
  readonly #controller = new AbortController();
  readonly #quota: Quota;

  constructor(runtime: HttpRuntime) {
    this.runtime = runtime;
    const { maxConcurrentRequests, maxConcurrentRequestsPerCaller } = runtime.options;
    this.#quota = new Quota({ total: maxConcurrentRequests, perCaller: maxConcurrentRequestsPerCaller });
    this.work = new WorkInProgress(runtime, () => undefined, this.#quota);
    this.streams = {
      isResumable: false,
      create: (_, onDetached) => new LiveStream(runtime, { onConnections: () => undefined, onDetached }),
      closeStanding: () =>
        runtime.report(
          "MCP_D_STREAM_NOT_CLOSED",
          "there is no standing stream to close: the message belongs to no session",
        ),
    };
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Serves what was posted, or refuses it where too much is in progress already. */
  serve(posted: Entries, request: HttpRequest, context: McpContext): Promise<HttpReply> | HttpReply {
    const requests = posted.entries.flatMap((entry) => (entry.kind === "request" ? [entry.message] : []));
    const exceeded = this.#quota.findExceeded(toPrincipalKey(context.auth), requests.length);
    return exceeded === undefined || requests.length === 0
      ? serveEntries(this, posted, request, context)
      : refuseMore(exceeded, posted.isBatch ? undefined : requests[0]?.id);
  }

  async notify({ method }: Call): Promise<void> {
    this.runtime.report(
      "MCP_D_NOTIFICATION_UNSENT",
      `${method} was dropped: without a session there is no stream for what belongs to no request`,
    );
  }

  /** Any client may use any id, so a cancellation might hit somebody else's request [M-HTTP-005]. */
  cancel(notification: JsonRpcNotification): void {
    if (notification.method === cancelledMethod) {
      const what = "a cancellation cancelled nothing: without sessions, ids do not tell whose request is meant";
      this.runtime.report("MCP_D_CANCEL_UNREACHABLE", what);
    }
  }

  request({ method }: Call): Promise<JsonObject> {
    return refuseQuestion(method);
  }

  /** Gives up everything in progress. */
  close(reason: unknown, reply: TextReply): void {
    this.#controller.abort(reason);
    this.work.abort(reason, reply);
  }
}

/** Without a session, an answer would find nobody who waits for it. */
const noQuestions: Asking = {
  ask: ({ method }) => refuseQuestion(method),
  settle: () => "unknown",
  fail: () => undefined,
};

function refuseMore({ whose, limit }: Exceeded, id: RequestId | undefined): TextReply {
  const refusal = whose === "server" ? "tooBusy" : "tooManyRequests";
  return createRefusal(refusal, `this ${whose} already has ${limit} requests in progress; wait for some to end`, {
    id,
    headers: { [headerNames.retryAfter]: encodeRetryAfter(retryAfterMs) },
  });
}

function refuseQuestion(method: string): Promise<never> {
  const why =
    "this server keeps no sessions, so nobody could tell whom an answer is for; switch sessions on to ask clients";
  return Promise.reject(createUnreachableError(method, why));
}

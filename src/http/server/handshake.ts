/**
 * `initialize` over HTTP: the request that makes a session, once the dispatcher has agreed to it.
 *
 * Specification: Basic > Transports > Session management [HTTP-039].
 */
import type { JsonRpcRequest, RequestId } from "../../jsonrpc/message.ts";
import type { AuthInfo } from "../../protocol/types/auth.ts";
import type { Revision } from "../../revision/revision.ts";
import { encodeRetryAfter, headerNames } from "../headers.ts";
import type { HttpReply, HttpRequest, TextReply } from "../message.ts";
import { encodeEvent, eventStreamHeaders } from "../sse-writer.ts";
import { createRefusal } from "../status.ts";
import { createContext } from "./context.ts";
import { chooseFormat, refuseFormat } from "./format.ts";
import { Post } from "./post.ts";
import type { Exceeded } from "./quota.ts";
import type { HttpRuntime } from "./runtime.ts";
import { HttpSession } from "./session.ts";
import type { SessionTable } from "./session-table.ts";

/** How long a client waits that found no room, in milliseconds. */
const retryAfterMs = 30_000;

/** Serves `initialize`: the reply that succeeds names the session. */
export async function serveHandshake(
  runtime: HttpRuntime,
  sessions: SessionTable,
  request: HttpRequest,
  { message, revision, auth }: { message: JsonRpcRequest; revision: Revision; auth: AuthInfo | undefined },
): Promise<HttpReply> {
  const format = chooseFormat(request.header(headerNames.accept), runtime.options);
  if (format === undefined) {
    return refuseFormat(runtime.options);
  }
  const session = await sessions.open(auth);
  if (!(session instanceof HttpSession)) {
    return refuseMore(session, message.id);
  }
  const context = createContext(request, runtime.options.revisions, { revision, session, auth });
  // The head of the reply names the session, so nothing may go out before the dispatcher has agreed.
  const posted = { request, messages: [message], errors: [], isBatch: false, format: "json", context } as const;
  const reply = await new Post(session, posted).serve();
  const shown = format === "stream" && reply.kind === "text" && reply.status === 200 ? asEvent(reply.body) : reply;
  return (await begins(session, sessions))
    ? { ...shown, headers: { ...shown.headers, [headerNames.sessionId]: session.id } }
    : shown;
}

/**
 * Whether the session begins, which it does once the dispatcher has made a record of it; otherwise it is forgotten.
 *
 * @throws what kept it from beginning, whatever the dispatcher made of it: the client may try again
 */
async function begins(session: HttpSession, sessions: SessionTable): Promise<boolean> {
  const { isKept, fault } = session.record;
  try {
    if (isKept) {
      await session.streams.begin();
    } else if (fault !== undefined) {
      throw fault;
    }
  } catch (error) {
    sessions.discard(session);
    throw error;
  }
  if (!isKept) {
    sessions.discard(session);
  }
  return isKept;
}

function refuseMore({ whose, limit }: Exceeded, id: RequestId): TextReply {
  const refusal = whose === "server" ? "tooManySessions" : "tooManyRequests";
  return createRefusal(refusal, `this ${whose} already has ${limit} sessions open here; end some, or try again later`, {
    id,
    headers: { [headerNames.retryAfter]: encodeRetryAfter(retryAfterMs) },
  });
}

/** For clients that take event streams only. */
function asEvent(body: string): HttpReply {
  return { kind: "text", status: 200, headers: eventStreamHeaders, body: encodeEvent({ data: body }) };
}

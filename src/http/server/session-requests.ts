/**
 * Requests of clients that have sessions, or want one: the handshake, messages, the standing stream, the end.
 *
 * Specification: Basic > Transports > Session management.
 */
import type { JsonRpcRequest } from "../../jsonrpc/message.ts";
import { SessionExpiredError } from "../../protocol/errors.ts";
import type { AuthInfo } from "../../protocol/types/auth.ts";
import type { Revision } from "../../revision/revision.ts";
import { encodeRetryAfter, headerNames } from "../headers.ts";
import { acceptsMediaType, eventStreamType, listsMediaType } from "../media-type.ts";
import { createEmptyReply, type HttpReply, type HttpRequest, type TextReply } from "../message.ts";
import { createRefusal } from "../status.ts";
import { type Placement, readRevisionHeader, readSessionHeader, refuse, settleRevision } from "./classify.ts";
import { createContext } from "./context.ts";
import { readEntries } from "./entries.ts";
import { serveHandshake } from "./handshake.ts";
import { serveEntries } from "./inbound.ts";
import type { ResolvedSessionOptions } from "./options.ts";
import type { HttpRuntime } from "./runtime.ts";
import type { HttpSession } from "./session.ts";
import { SessionTable, sessionEnded } from "./session-table.ts";

/** How long a client waits that has too much going on, in milliseconds. */
const retryAfterMs = 1_000;

/** Serves them. One is enough for a handler. */
export class SessionRequests {
  readonly #runtime: HttpRuntime;
  readonly #limits: ResolvedSessionOptions;
  readonly #sessions: SessionTable;

  constructor(runtime: HttpRuntime, limits: ResolvedSessionOptions) {
    this.#runtime = runtime;
    this.#limits = limits;
    this.#sessions = new SessionTable(runtime, limits);
  }

  /** How many sessions this node has something of. */
  get size(): number {
    return this.#sessions.size;
  }

  /** Questions to clients that wait for their answer. */
  get questions(): number {
    return this.#sessions.questions;
  }

  /** `initialize`. */
  open(
    request: HttpRequest,
    message: JsonRpcRequest,
    revision: Revision,
    auth: AuthInfo | undefined,
  ): Promise<HttpReply> {
    return serveHandshake(this.#runtime, this.#sessions, request, { message, revision, auth });
  }

  /**
   * Messages for a session.
   *
   * @param value - the body
   */
  async post(
    request: HttpRequest,
    value: unknown,
    { sessionId, declared, single }: Placement & { kind: "session" },
    auth: AuthInfo | undefined,
  ): Promise<HttpReply> {
    const found = await this.#find(sessionId, declared, auth);
    if (!found.ok) {
      return found.reply;
    }
    const { session, revision } = found;
    const entries = readEntries(value, single, revision);
    if (entries.kind === "refused") {
      return refuse(entries);
    }
    const requests = entries.entries.filter(({ kind }) => kind === "request").length;
    const { maxConcurrentRequestsPerSession, maxStreamsPerSession } = this.#limits;
    if (requests > 0) {
      if (session.work.requests + requests > maxConcurrentRequestsPerSession) {
        return tooMany(`${maxConcurrentRequestsPerSession} requests in progress`);
      }
      if (session.streams.connections >= maxStreamsPerSession) {
        return tooMany(`${maxStreamsPerSession} streams open`);
      }
    }
    const context = createContext(request, this.#runtime.options.revisions, { revision, session, auth });
    const reply = serveEntries(session, entries, request, context);
    if (requests === 0) {
      // What a notification changes must hold for whatever the client sends next, wherever that arrives.
      await session.settled;
    }
    return reply;
  }

  /** GET: the standing stream, or what follows on a broken one. */
  async listen(request: HttpRequest, auth: AuthInfo | undefined): Promise<HttpReply> {
    const accept = request.header(headerNames.accept);
    const isAccepted = this.#runtime.options.strictAccept
      ? listsMediaType(accept, eventStreamType)
      : acceptsMediaType(accept, eventStreamType);
    if (!isAccepted) {
      return createRefusal("notAcceptable", `Accept: expected ${eventStreamType}, which is all that GET gives`);
    }
    const found = await this.#findByHeaders(request, auth);
    if (!found.ok) {
      return found.reply;
    }
    const { streams } = found.session;
    const { maxStreamsPerSession } = this.#limits;
    if (streams.connections >= maxStreamsPerSession && !streams.standing.isConnected) {
      return tooMany(`${maxStreamsPerSession} streams open`);
    }
    const lastEventId = request.header(headerNames.lastEventId);
    return lastEventId === undefined ? streams.standing.connect() : streams.resume(lastEventId);
  }

  /** DELETE: the client ends its session, on all nodes. */
  async end(request: HttpRequest, auth: AuthInfo | undefined): Promise<HttpReply> {
    const found = await this.#findByHeaders(request, auth);
    if (!found.ok) {
      return found.reply;
    }
    await this.#sessions.end(found.session, new SessionExpiredError("the client ended the session"));
    return createEmptyReply(204);
  }

  /** Ends what is open here; see the table's. */
  close(reason: unknown, reply: TextReply): Promise<void> {
    return this.#sessions.close(reason, reply);
  }

  async #findByHeaders(request: HttpRequest, auth: AuthInfo | undefined): Promise<FoundSession> {
    const header = request.header(headerNames.protocolVersion);
    const version = readRevisionHeader(header, this.#runtime.options.revisions);
    if (version?.kind === "refused") {
      return { ok: false, reply: refuse(version) };
    }
    const id = readSessionHeader(request.header(headerNames.sessionId));
    return id.kind === "refused" ? { ok: false, reply: refuse(id) } : this.#find(id.sessionId, version?.revision, auth);
  }

  async #find(id: string, declared: Revision | undefined, auth: AuthInfo | undefined): Promise<FoundSession> {
    const session = await this.#sessions.find(id, auth);
    if (session === undefined) {
      return { ok: false, reply: sessionEnded() };
    }
    const settled = settleRevision(declared, session.record.revision, this.#runtime.options.strictVersion);
    return settled.kind === "refused"
      ? { ok: false, reply: refuse(settled) }
      : { ok: true, session, revision: settled.revision };
  }
}

type FoundSession =
  | { readonly ok: true; readonly session: HttpSession; readonly revision: Revision }
  | { readonly ok: false; readonly reply: TextReply };

function tooMany(what: string): TextReply {
  return createRefusal("tooManyRequests", `this session already has ${what}; wait for some to end`, {
    headers: { [headerNames.retryAfter]: encodeRetryAfter(retryAfterMs) },
  });
}

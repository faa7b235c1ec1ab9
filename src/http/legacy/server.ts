/**
 * Entry "./http/legacy/server": HTTP+SSE for servers that old clients still have to reach, beside Streamable HTTP.
 *
 * Each event stream is a channel of its own, handed to whoever serves channels. Access, sizes and media types are
 * checked as for Streamable HTTP; its headers mean nothing here [O24-013].
 * Specification: Basic > Transports > Backwards compatibility; in the first revision, HTTP with SSE.
 */
import { createDeferred } from "../../base/deferred.ts";
import { ClosedError, toMcpError, UsageError } from "../../base/error.ts";
import { createId } from "../../base/id.ts";
import type { Channel } from "../../jsonrpc/link.ts";
import { classifyMessage } from "../../jsonrpc/message.ts";
import type { AuthInfo } from "../../protocol/types/auth.ts";
import type { Store } from "../../store/contracts.ts";
import { StoreError } from "../../store/error.ts";
import { encodeRetryAfter, headerNames } from "../headers.ts";
import { acceptsMediaType, eventStreamType } from "../media-type.ts";
import { type HttpReply, type HttpRequest, type TextReply, toPath } from "../message.ts";
import { readJsonBody } from "../server/body.ts";
import { serveFetch } from "../server/fetch.ts";
import { Guard } from "../server/guard.ts";
import type { HttpHandler } from "../server/handler.ts";
import {
  type HttpServerOptions,
  type ResolvedHttpServerOptions,
  resolveHttpServerOptions,
  type SessionOptions,
} from "../server/options.ts";
import type { HttpStats } from "../server/runtime.ts";
import { eventStreamHeaders } from "../sse-writer.ts";
import { acceptedReply, createRefusal } from "../status.ts";
import { Mailboxes } from "./server-mailbox.ts";
import type { LegacySession } from "./server-session.ts";
import { LegacySessionTable } from "./session-table.ts";

/** Sessions, each of which is one open event stream. */
export interface LegacySessionOptions extends Pick<SessionOptions, "createSessionId"> {
  /** How long a session may go without a message in either direction, in milliseconds. Default 24 hours. */
  idleTimeoutMs?: number | undefined;
  /** Sessions at once. One more is refused with 503 and `Retry-After`. Default 1 000. */
  maxSessions?: number | undefined;
}

/** Options of {@link createLegacyHttpHandler}: those of Streamable HTTP that have a meaning here, and its paths. */
export interface LegacyHttpServerOptions
  extends Pick<
    HttpServerOptions,
    | "allowedHosts"
    | "dangerouslyAllowAnyHost"
    | "allowedOrigins"
    | "dangerouslyAllowAnyOrigin"
    | "cors"
    | "auth"
    | "maxBodyBytes"
    | "maxJsonDepth"
    | "keepAliveMs"
    | "maxBufferedBytes"
    | "clock"
    | "onDiagnostic"
  > {
  /** Path of the event stream. Default `/sse`. */
  streamPath?: string | undefined;
  /** Path that messages are POSTed to. Default `/messages`. */
  messagePath?: string | undefined;
  /**
   * What clients are told to POST to, without a query: a path, or a URL of the origin they know. Needed where a proxy
   * changes paths. Default: `messagePath`.
   */
  publicMessageUrl?: string | undefined;
  /** How many sessions there may be, and for how long. */
  sessions?: LegacySessionOptions | undefined;
  /**
   * The store of the definition that is served, where messages may reach another node than the one that holds their
   * stream: they are handed over by it. Default: every message has to reach the node of its stream.
   */
  store?: Store | undefined;
}

/** What is known of a client when its channel is handed over. */
export interface LegacyClientInfo {
  /** Who it is, where `auth` found out. The same caller has sent every message of the channel. */
  readonly auth: AuthInfo | undefined;
  /** The GET that opened the event stream. */
  readonly request: HttpRequest;
}

/** Serves one channel, as `serve` of a server definition does. May return whatever it likes. */
export type ServeChannel = (channel: Channel, client: LegacyClientInfo) => unknown;

/** How long a client waits that found no place, in milliseconds. */
const retryAfterMs = 1_000;

/**
 * Makes an HTTP handler for clients of the first revision. It answers GET on one path and POST on another, and 404 on
 * all others: which requests lead here, rather than to Streamable HTTP, is the edge's to say.
 *
 * @param serve - gets a channel for each client
 * @param options - paths, limits, access; each has a safe default
 * @throws UsageError for options that make no sense
 * @example
 * ```ts
 * import { createLegacyHttpHandler } from "parley-mcp/http/legacy/server";
 * import { createHttpHandler } from "parley-mcp/http/server";
 * import { defineServer } from "parley-mcp/server";
 *
 * const app = defineServer({ name: "demo", version: "1.0.0" });
 * const current = createHttpHandler(app);
 * const legacy = createLegacyHttpHandler((channel, { auth }) => app.serve(channel, { auth }));
 * export default {
 *   fetch: (request: Request): Promise<Response> =>
 *     new URL(request.url).pathname === "/mcp" ? current.fetch(request) : legacy.fetch(request),
 * };
 * ```
 */
export function createLegacyHttpHandler(serve: ServeChannel, options: LegacyHttpServerOptions = {}): HttpHandler {
  const endpoint = new LegacyEndpoint(serve, options);
  const handle = (request: HttpRequest): Promise<HttpReply> => endpoint.handle(request);
  return {
    handle,
    fetch: (request) => serveFetch(handle, request),
    close: (reason = new ClosedError("the HTTP+SSE handler was closed")) => endpoint.close(reason),
    closed: endpoint.closed,
    documentPaths: [...(options.auth?.documents?.keys() ?? [])],
    stats: () => endpoint.stats,
  };
}

class LegacyEndpoint {
  readonly #serve: ServeChannel;
  readonly #options: ResolvedHttpServerOptions;
  readonly #paths: { readonly stream: string; readonly message: string; readonly publicMessage: string };
  readonly #guard: Guard;
  readonly #sessions: LegacySessionTable;
  /** `undefined` where there is no other node. */
  readonly #mailboxes: Mailboxes | undefined;
  readonly #closed = createDeferred();
  /** POSTs being taken in. */
  #posts = 0;
  #isClosed = false;

  constructor(serve: ServeChannel, options: LegacyHttpServerOptions) {
    const { streamPath = "/sse", messagePath = "/messages", publicMessageUrl = messagePath } = options;
    const { maxSessions = 1_000, idleTimeoutMs = 86_400_000, createSessionId = createId } = options.sessions ?? {};
    const limits = { maxSessions, idleTimeoutMs, createSessionId };
    this.#serve = serve;
    this.#options = resolveHttpServerOptions({ ...options, sessions: limits, resumability: false });
    this.#paths = {
      stream: assertPath("streamPath", streamPath),
      message: assertPath("messagePath", messagePath),
      publicMessage: publicMessageUrl,
    };
    this.#guard = new Guard(options, ["GET", "POST"]);
    const { clock, maxJsonDepth } = this.#options;
    const report = this.#report.bind(this);
    this.#mailboxes =
      options.store && new Mailboxes({ store: options.store, clock, idleTimeoutMs, maxJsonDepth, report });
    this.#sessions = new LegacySessionTable(limits, this.#options, this.#mailboxes);
  }

  /** Questions are those of whoever serves the channels. */
  get stats(): HttpStats {
    return { sessions: this.#sessions.size, streams: this.#sessions.size, exchanges: this.#posts, questions: 0 };
  }

  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  async handle(request: HttpRequest): Promise<HttpReply> {
    try {
      const admission = this.#isClosed ? undefined : await this.#guard.admit(request);
      // The handler may have been closed while the caller was being identified.
      if (admission === undefined || this.#isClosed) {
        return later("closing", "this server is shutting down; try again later");
      }
      return admission.ok ? admission.finish(await this.#route(request, admission.auth)) : admission.reply;
    } catch (error) {
      if (error instanceof StoreError) {
        this.#report("MCP_D_STORE_FAILED", `a ${request.method} was refused because of the store`, error);
        return later(
          "unavailable",
          "what this server keeps of sessions is out of reach at the moment; try again later",
        );
      }
      this.#report("MCP_D_HANDLER_FAULT", `the HTTP+SSE handler failed on a ${request.method}`, error);
      return createRefusal("internalError", "internal error");
    }
  }

  close(reason: unknown): void {
    this.#isClosed = true;
    void this.#sessions.close(toMcpError(reason)).then(this.#closed.resolve);
  }

  #route(request: HttpRequest, auth: AuthInfo | undefined): Promise<HttpReply> | HttpReply {
    const { method } = request;
    const { stream, message } = this.#paths;
    const path = toPath(request.url);
    if (path === stream && method === "GET") {
      return this.#connect(request, auth);
    }
    if (path === message && method === "POST") {
      return this.#take(request, auth);
    }
    const methods = [...(path === stream ? ["GET"] : []), ...(path === message ? ["POST"] : [])];
    if (methods.length === 0) {
      return createRefusal("notFound", `expected GET ${stream} or POST ${message}; there is nothing else here`);
    }
    const allow = methods.join(", ");
    return createRefusal("methodNotAllowed", `expected ${allow} ${path}, got ${method}`, { headers: { allow } });
  }

  async #connect(request: HttpRequest, auth: AuthInfo | undefined): Promise<HttpReply> {
    if (!acceptsMediaType(request.header(headerNames.accept), eventStreamType)) {
      return createRefusal("notAcceptable", `Accept: expected ${eventStreamType}, which is all that GET gives`);
    }
    const session = await this.#sessions.open(auth);
    if (session === undefined) {
      return later("tooManySessions", `this server has ${this.#sessions.size} sessions open; try again later`);
    }
    const messageUrl = `${this.#paths.publicMessage}?sessionId=${encodeURIComponent(session.id)}`;
    return {
      kind: "stream",
      status: 200,
      headers: eventStreamHeaders,
      open: (sink) => {
        const listener = session.connect(sink, messageUrl);
        void this.#handOver(session, { auth, request });
        return listener;
      },
    };
  }

  async #handOver(session: LegacySession, client: LegacyClientInfo): Promise<void> {
    try {
      await this.#serve(session, client);
    } catch (error) {
      this.#report("MCP_D_CHANNEL", "an HTTP+SSE client was turned away, because serving it failed", error);
      session.end(undefined);
    }
  }

  async #take(request: HttpRequest, auth: AuthInfo | undefined): Promise<HttpReply> {
    const id = readSessionId(request.url);
    const session = this.#sessions.find(id, auth);
    if (session === undefined && this.#mailboxes === undefined) {
      return sessionUnknown(this.#paths.stream);
    }
    this.#posts += 1;
    try {
      const body = await readJsonBody(request, this.#options);
      if (!body.ok) {
        return body.reply;
      }
      const classified = classifyMessage(body.value);
      if (classified.kind === "invalid" && classified.id === undefined) {
        // In this revision every error on the stream has an id, so one without can only be told here [O24-014].
        const { code, message } = classified.error;
        return createRefusal("invalidRequest", message, { code });
      }
      const isTaken = session === undefined ? this.#mailboxes?.post(id, auth, body.value) : session.receive(body.value);
      return (await isTaken) === true ? acceptedReply : sessionUnknown(this.#paths.stream);
    } finally {
      this.#posts -= 1;
    }
  }

  #report(code: string, message: string, detail?: unknown): void {
    this.#options.onDiagnostic?.(detail === undefined ? { code, message } : { code, message, detail });
  }
}

function readSessionId(url: string): string {
  const query = /\?([^#]*)/.exec(url)?.[1] ?? "";
  return new URLSearchParams(query).get("sessionId") ?? "";
}

/** The body has not been read in every case, so the connection is not used again. */
function sessionUnknown(streamPath: string): TextReply {
  const message = `sessionId: no such session; it ended with its event stream: open a new one with GET ${streamPath}`;
  return createRefusal("sessionUnknown", message, { closes: true });
}

function later(refusal: "closing" | "tooManySessions" | "unavailable", message: string): TextReply {
  return createRefusal(refusal, message, { headers: { [headerNames.retryAfter]: encodeRetryAfter(retryAfterMs) } });
}

function assertPath(option: string, path: string): string {
  if (toPath(path) !== path) {
    throw new UsageError(`${option}: expected a path such as "/sse", without a query, got ${JSON.stringify(path)}`);
  }
  return path;
}

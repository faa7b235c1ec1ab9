/**
 * The entry of the HTTP server: guards a request, finds out what it belongs to, and has it served.
 *
 * Edges come in by `fetch` or `handle`; which host, path or port leads here is theirs to say.
 * Specification: Basic > Transports > Streamable HTTP.
 */
import { createDeferred } from "../../base/deferred.ts";
import { ClosedError } from "../../base/error.ts";
import type { AuthInfo } from "../../protocol/types/auth.ts";
import type { McpDispatcher } from "../../revision/exchange.ts";
import { StoreError } from "../../store/error.ts";
import { encodeRetryAfter, headerNames } from "../headers.ts";
import type { HttpReply, HttpRequest, TextReply } from "../message.ts";
import { createRefusal, type Refusal } from "../status.ts";
import { readJsonBody } from "./body.ts";
import { classifyPost, namesStateless, type Placement, refuse } from "./classify.ts";
import { createContext } from "./context.ts";
import { readEntries } from "./entries.ts";
import { serveFetch } from "./fetch.ts";
import { Guard } from "./guard.ts";
import { type HttpServerOptions, type ResolvedHttpServerOptions, resolveHttpServerOptions } from "./options.ts";
import { HttpRuntime, type HttpStats } from "./runtime.ts";
import { SelfContained } from "./self-contained.ts";
import { SessionRequests } from "./session-requests.ts";
import { sessionEnded } from "./session-table.ts";
import { StatelessHost } from "./stateless.ts";

/** Serves MCP over HTTP. Its functions need no `this`. */
export interface HttpHandler {
  /** The web-standard door. Never rejects. */
  readonly fetch: (request: Request) => Promise<Response>;
  /** The neutral door, for edges of one's own. Never rejects. */
  readonly handle: (request: HttpRequest) => Promise<HttpReply>;
  /**
   * Ends everything that is open here and gives up all requests, which are told; subscriptions get a moment to send their
   * result. Requests that come later are answered with 503. Sessions stay in the store, for other nodes that share it.
   *
   * @param reason - what the signals of exchanges and sessions abort with
   */
  readonly close: (reason?: unknown) => void;
  /** Resolves, after `close`, when what other nodes need is in the store, which may be closed then. Never rejects. */
  readonly closed: Promise<void>;
  /** Paths of documents that are served beside the endpoint, such as metadata of authorization: lead them here too. */
  readonly documentPaths: readonly string[];
  /** What is open at the moment. */
  readonly stats: () => HttpStats;
}

/**
 * Makes an HTTP handler of a server definition. Any number of handlers may share one.
 * Specification: Basic > Transports > Streamable HTTP.
 *
 * @param dispatcher - the server definition
 * @param options - limits, sessions, access; each has a safe default
 * @throws UsageError for options that make no sense
 * @example
 * ```ts
 * import { createHttpHandler } from "parley-mcp/http/server";
 * import { defineServer } from "parley-mcp/server";
 *
 * const app = defineServer({ name: "demo", version: "1.0.0" });
 * const handler = createHttpHandler(app, { allowedHosts: ["mcp.example.com"] });
 * export default { fetch: handler.fetch };
 * ```
 */
export function createHttpHandler(dispatcher: McpDispatcher, options: HttpServerOptions = {}): HttpHandler {
  const endpoint = new HttpEndpoint(dispatcher, options);
  const handle = (request: HttpRequest): Promise<HttpReply> => endpoint.handle(request);
  return {
    handle,
    fetch: (request) => serveFetch(handle, request),
    close: (reason = new ClosedError("the HTTP handler was closed")) => endpoint.close(reason),
    closed: endpoint.closed,
    documentPaths: [...(options.auth?.documents?.keys() ?? [])],
    stats: () => endpoint.stats,
  };
}

/** How long a client waits before it tries again, in milliseconds. */
const retryAfterMs = 1_000;

/** What there is to do without a session: revisions without a handshake have nothing else [M-HTTP-014]. */
const statelessMethods: readonly string[] = ["POST"];

class HttpEndpoint {
  readonly #options: ResolvedHttpServerOptions;
  readonly #runtime: HttpRuntime;
  readonly #guard: Guard;
  readonly #stateless: StatelessHost;
  readonly #selfContained: SelfContained;
  /** `undefined` where every request stands for itself. */
  readonly #sessions: SessionRequests | undefined;
  readonly #methods: readonly string[];
  readonly #closed = createDeferred();
  #isClosed = false;

  constructor(dispatcher: McpDispatcher, options: HttpServerOptions) {
    const resolved = resolveHttpServerOptions(options);
    const { sessions } = resolved;
    this.#options = resolved;
    this.#runtime = new HttpRuntime(dispatcher, resolved);
    this.#stateless = new StatelessHost(this.#runtime);
    this.#selfContained = new SelfContained(this.#runtime, this.#stateless);
    this.#sessions = sessions && new SessionRequests(this.#runtime, sessions);
    this.#methods =
      sessions === undefined ? statelessMethods : sessions.allowDelete ? ["GET", "POST", "DELETE"] : ["GET", "POST"];
    this.#guard = new Guard(options, this.#methods);
  }

  get stats(): HttpStats {
    const { size = 0, questions = 0 } = this.#sessions ?? {};
    return { sessions: size, questions, ...this.#runtime.counters };
  }

  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  async handle(request: HttpRequest): Promise<HttpReply> {
    try {
      if (this.#isClosed) {
        return closing();
      }
      const admission = await this.#guard.admit(request);
      if (!admission.ok) {
        return admission.reply;
      }
      return admission.finish(await this.#serve(request, admission.auth));
    } catch (error) {
      return this.#fail(request, error);
    }
  }

  close(reason: unknown): void {
    if (this.#isClosed) {
      return;
    }
    this.#isClosed = true;
    const sessions = this.#sessions?.close(reason, closing());
    this.#selfContained.close(reason, closing());
    this.#stateless.close(reason, closing());
    this.#runtime.close();
    void this.#leave(sessions).finally(this.#closed.resolve);
  }

  /** What other nodes do once this one no longer lives must come after what it says itself. */
  async #leave(sessions: Promise<void> | undefined): Promise<void> {
    try {
      await sessions;
      await this.#runtime.leave();
    } catch (error) {
      this.#runtime.report("MCP_D_STORE_FAILED", "the store was not told that this node has stopped", error);
    }
  }

  #fail(request: HttpRequest, error: unknown): TextReply {
    if (this.#isClosed) {
      return closing();
    }
    if (error instanceof StoreError) {
      this.#runtime.report("MCP_D_STORE_FAILED", `a ${request.method} was refused because of the store`, error);
      return later("unavailable", "what this server keeps of sessions is out of reach at the moment; try again later");
    }
    this.#runtime.report("MCP_D_HANDLER_FAULT", `the HTTP handler failed on a ${request.method}`, error);
    return createRefusal("internalError", "internal error");
  }

  #serve(request: HttpRequest, auth: AuthInfo | undefined): Promise<HttpReply> | HttpReply {
    const { method } = request;
    const version = request.header(headerNames.protocolVersion);
    const methods = namesStateless(version, this.#options.revisions) ? statelessMethods : this.#methods;
    if (!methods.includes(method)) {
      return refuseMethod(method, methods);
    }
    if (method === "POST" || this.#sessions === undefined) {
      return this.#post(request, auth);
    }
    return method === "GET" ? this.#sessions.listen(request, auth) : this.#sessions.end(request, auth);
  }

  async #post(request: HttpRequest, auth: AuthInfo | undefined): Promise<HttpReply> {
    const body = await readJsonBody(request, this.#options);
    if (!body.ok) {
      return body.reply;
    }
    if (this.#isClosed) {
      return closing();
    }
    const headers = {
      protocolVersion: request.header(headerNames.protocolVersion),
      sessionId: request.header(headerNames.sessionId),
    };
    const placement = classifyPost(body.value, headers, this.#options);
    switch (placement.kind) {
      case "refused":
        return refuse(placement);
      case "selfContained":
        return this.#selfContained.serve(placement.message, request, auth);
      case "initialize": {
        const { message, revision } = placement;
        const single = { kind: "request", message } as const;
        return (
          this.#sessions?.open(request, message, revision, auth) ??
          this.#postAlone(request, body.value, { kind: "standalone", revision, single }, auth)
        );
      }
      case "standalone":
        return this.#postAlone(request, body.value, placement, auth);
      case "session":
        return this.#sessions?.post(request, body.value, placement, auth) ?? sessionEnded();
    }
  }

  /** Messages of the handshake revisions where nobody has a session. */
  #postAlone(
    request: HttpRequest,
    value: unknown,
    { single, revision }: Placement & { kind: "standalone" },
    auth: AuthInfo | undefined,
  ): Promise<HttpReply> | HttpReply {
    const entries = readEntries(value, single, revision);
    return entries.kind === "refused"
      ? refuse(entries)
      : this.#stateless.serve(entries, request, createContext(request, this.#options.revisions, { revision, auth }));
  }
}

function refuseMethod(method: string, methods: readonly string[]): TextReply {
  const allow = methods.join(", ");
  return createRefusal("methodNotAllowed", `expected one of the methods ${allow}, got ${method}`, {
    headers: { allow },
  });
}

function closing(): TextReply {
  return later("closing", "this server is shutting down; try again later");
}

function later(refusal: Refusal, message: string): TextReply {
  return createRefusal(refusal, message, {
    headers: { [headerNames.retryAfter]: encodeRetryAfter(retryAfterMs) },
  });
}

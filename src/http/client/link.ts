/**
 * Streamable HTTP as a Link: every message is a POST of its own, every request its own exchange.
 *
 * Joins the parts: a session per handshake, a call per request, a standing stream per session. A message with an
 * envelope stands for itself and is no part of a session (stateless.ts). Making a new session when the server has
 * forgotten one is the business of the client session above; here it begins with its `initialize`.
 * Specification: Basic > Transports > Streamable HTTP.
 */
import { createDeferred } from "../../base/deferred.ts";
import { ClosedError, type McpError, UsageError } from "../../base/error.ts";
import type { Call, Dispatcher, Link, LinkRequestOptions, LinkStartOptions } from "../../jsonrpc/link.ts";
import { type JsonObject, toNotification } from "../../jsonrpc/message.ts";
import { isEnveloped } from "../../protocol/envelope.ts";
import type { McpContext } from "../../revision/exchange.ts";
import { followAnswer } from "./answer-stream.ts";
import { type CallContext, HttpCall } from "./call.ts";
import { resolveHeaders } from "./configured-headers.ts";
import { Endpoint, type ProtocolHeaders } from "./endpoint.ts";
import { Inbound } from "./inbound.ts";
import {
  type HttpClientOptions,
  type ResolvedHttpOptions,
  resolveHttpOptions,
  type StandingStreamState,
} from "./options.ts";
import { HttpSession } from "./session.ts";
import { StandingStream } from "./standing-stream.ts";
import { StatelessCalls } from "./stateless.ts";
import { type Outlet, tell, tellCancelled } from "./tell.ts";
import { terminateSession } from "./terminate.ts";

/** What a link says about itself, without secrets. */
export interface HttpLinkDescription {
  /** The endpoint, without its query. */
  readonly url: string;
  /** The revision of the handshake; `undefined` before one, and where none is needed. */
  readonly revision: string | undefined;
  /** Whether the server keeps a session. */
  readonly session: boolean;
  readonly standingStream: StandingStreamState;
}

/** A link over Streamable HTTP. */
export interface HttpLink extends Link<McpContext> {
  /** The state of the link, for display. */
  describe(): HttpLinkDescription;
}

/**
 * Makes a link to a server's MCP endpoint. Nothing is sent before the first request.
 *
 * Requests fail one by one, with an `HttpError` for a status, a `PeerError` for what is not MCP, a `ClosedError` where
 * no answer came, a `SessionExpiredError` once the server has forgotten the session; the link stays usable in each case.
 * A message whose `params._meta` has the envelope of a stateless revision goes out by itself, outside any session: giving
 * such a request up closes its connection, and a connection that breaks is a `ClosedError`, never resumed.
 * Specification: Basic > Transports > Streamable HTTP.
 *
 * @param url - the endpoint, `https:` or `http:`
 * @throws {@link UsageError} when the URL, a header or another option cannot work
 * @example
 * ```ts
 * import { createHttpLink } from "parley-mcp/http/client";
 *
 * let listening = false;
 * export const link = createHttpLink("https://example.com/mcp", {
 *   headers: { "x-tenant": "blue" },
 *   onStateChange: (state) => {
 *     listening = state === "open";
 *   },
 * });
 * export const isListening = (): boolean => listening;
 * ```
 */
export function createHttpLink(url: string | URL, options: HttpClientOptions = {}): HttpLink {
  return new StreamableHttpLink(resolveHttpOptions(url, options));
}

/** A session with what lives and dies with it. */
interface Attached {
  readonly session: HttpSession;
  readonly inbound: Inbound;
  readonly standingStream: StandingStream;
}

class StreamableHttpLink implements HttpLink {
  readonly closed: Promise<McpError | undefined>;
  readonly #options: ResolvedHttpOptions;
  readonly #endpoint: Endpoint;
  readonly #ended = createDeferred<McpError | undefined>();
  /** What goes on behind the calls and ends by itself once the session has ended. */
  readonly #background = new Set<Promise<void>>();
  #dispatcher: Dispatcher<McpContext> | undefined;
  #stateless: StatelessCalls | undefined;
  #attached: Attached | undefined;
  #closing: Promise<void> | undefined;
  #nextId = 0;
  /** What handlers of inbound messages send by. */
  readonly #out = {
    notify: (call: Call): Promise<void> => this.notify(call),
    request: (call: Call, options?: LinkRequestOptions): Promise<JsonObject> => this.request(call, options),
  };

  constructor(options: ResolvedHttpOptions) {
    this.#options = options;
    this.#endpoint = new Endpoint(options);
    this.closed = this.#ended.promise;
  }

  async start(dispatcher: Dispatcher<McpContext>, options: LinkStartOptions = {}): Promise<void> {
    options.signal?.throwIfAborted();
    this.#endpoint.hold = options.hold;
    this.#dispatcher = dispatcher;
    this.#attached = this.#attach(dispatcher);
    this.#stateless = new StatelessCalls({
      endpoint: this.#endpoint,
      options: this.#options,
      dispatcher,
      ...this.#out,
    });
  }

  async request(call: Call, options: LinkRequestOptions = {}): Promise<JsonObject> {
    options.signal?.throwIfAborted();
    const context = isEnveloped(call.params)
      ? this.#alone(call).createContext(call, options.headers)
      : this.#inSession(call, options.headers);
    const id = this.#nextId;
    this.#nextId += 1;
    return await new HttpCall(context, id, call, options.onRelated).run(options.signal);
  }

  async notify(call: Call): Promise<void> {
    if (isEnveloped(call.params)) {
      await tell(this.#alone(call).createOutlet(call), toNotification(call), call.method);
      return;
    }
    const { session, standingStream } = this.#current(call);
    await tell(this.#createOutlet(session), toNotification(call), call.method);
    if (call.method === "notifications/initialized" && this.#options.standingStream) {
      this.#track(standingStream.run());
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  describe(): HttpLinkDescription {
    const session = this.#attached?.session;
    return {
      url: this.#endpoint.label,
      revision: session?.negotiated?.id,
      session: session?.hasId ?? false,
      standingStream: this.#attached?.standingStream.state ?? "closed",
    };
  }

  #attach(dispatcher: Dispatcher<McpContext>): Attached {
    const session = new HttpSession();
    const endpoint = this.#endpoint;
    const options = this.#options;
    const inbound = new Inbound({
      session,
      dispatcher,
      report: options.report,
      respond: (response) => tell(this.#createOutlet(session), response, "an answer"),
      ...this.#out,
    });
    return { session, inbound, standingStream: new StandingStream({ endpoint, options, session, inbound }) };
  }

  /** What makes messages that stand for themselves. */
  #alone({ method }: Call): StatelessCalls {
    return this.#usable(this.#stateless, method);
  }

  /** The session in which a message is sent, which must be alive. */
  #current({ method }: Call): Attached {
    const attached = this.#usable(this.#attached, method);
    attached.session.signal.throwIfAborted();
    return attached;
  }

  /** What exists from the start on, for a message that is sent before the end. */
  #usable<T>(part: T | undefined, method: string): T {
    if (part === undefined) {
      throw new UsageError(`${method}: expected start to be called before anything is sent`);
    }
    if (this.#closing !== undefined) {
      throw new ClosedError(`${method}: the connection has ended`);
    }
    return part;
  }

  /** @param given - headers of the caller; those of the session take precedence */
  #createOutlet(session: HttpSession, given?: ProtocolHeaders): Outlet {
    const headers = { ...resolveHeaders(given), ...session.headers };
    return { endpoint: this.#endpoint, options: this.#options, headers, lifetime: session, session };
  }

  /** What a request needs that is sent in a session, which `initialize` begins. */
  #inSession(call: Call, headers: ProtocolHeaders | undefined): CallContext {
    const { session, inbound } = call.method === "initialize" ? this.#renew() : this.#current(call);
    const endpoint = this.#endpoint;
    const options = this.#options;
    return {
      ...this.#createOutlet(session, headers),
      inbound,
      readAnswer: (response, reading) => followAnswer(response, { endpoint, options, session, ...reading }),
      cancel: (id, given, reason) => tellCancelled(this.#createOutlet(session), id, given, reason),
    };
  }

  /** A clean state for a handshake; what an earlier one made ends, on the server too. */
  #renew(): Attached {
    if (this.#dispatcher === undefined || this.#closing !== undefined) {
      return this.#current({ method: "initialize" });
    }
    const earlier = this.#attached?.session;
    this.#attached = this.#attach(this.#dispatcher);
    if (earlier !== undefined) {
      earlier.end(new ClosedError("a new handshake has replaced this session"));
      this.#sayFarewell(earlier);
    }
    return this.#attached;
  }

  async #close(): Promise<void> {
    // Whoever waits is released before the farewell, which may take a while.
    const session = this.#attached?.session;
    const reason = new ClosedError("the connection was closed on this side");
    this.#stateless?.end(reason);
    session?.end(reason);
    if (session !== undefined) {
      this.#sayFarewell(session);
    }
    await Promise.all(this.#background);
    this.#ended.resolve(undefined);
  }

  #track(work: Promise<void>): void {
    this.#background.add(work);
    void work.finally(() => this.#background.delete(work));
  }

  #sayFarewell(session: HttpSession): void {
    if (session.hasId && this.#options.terminateOnClose) {
      this.#track(terminateSession(session, this.#endpoint, this.#options));
    }
  }
}

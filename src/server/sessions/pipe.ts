/**
 * The server's end of one channel, such as stdio or memory: the session that a handshake begins, and between its
 * messages requests that stand for themselves.
 *
 * The session lives as long as the channel; what stands for itself never sees it. HTTP has sessions of its own.
 */
import { linkSignals } from "../../base/abort.ts";
import { ClosedError, type McpError } from "../../base/error.ts";
import { createId } from "../../base/id.ts";
import type { Call, Channel, LinkRequestOptions } from "../../jsonrpc/link.ts";
import type { JsonObject, JsonRpcRequest, JsonRpcResponse, RequestId } from "../../jsonrpc/message.ts";
import { Peer } from "../../jsonrpc/peer.ts";
import { cancelledMethod, mcpCancellation } from "../../protocol/cancellation.ts";
import { isEnveloped, readEnvelope } from "../../protocol/envelope.ts";
import type { AuthInfo } from "../../protocol/types/auth.ts";
import type { McpContext, McpDispatcher, McpExchange, Session, SessionState } from "../../revision/exchange.ts";
import { findHandshake, findStateless, latestHandshake, latestStateless } from "../../revision/registry.ts";
import { resolveServedRevisions, type ServedRevisions } from "../../revision/served.ts";
import type { Settings } from "../settings.ts";
import { HandshakeOrder } from "./handshake-order.ts";
import type { PipeOptions } from "./serve-options.ts";

/** A stream of changes on this channel. */
interface Listen {
  /** Ends it: its request is then answered. */
  end(reason: unknown): void;
  /** Settles with the answer. */
  readonly answered: Promise<unknown>;
}

/** See the head of this file. */
export class Pipe implements Session {
  readonly id = createId();
  readonly auth: AuthInfo | undefined;
  readonly hearsChanges = false;
  /** Resolves when the channel has ended: with the fault that ended it, or with nothing. */
  readonly closed: Promise<McpError | undefined>;
  readonly #peer: Peer<McpContext>;
  readonly #ended = new AbortController();
  readonly #listens = new Map<RequestId, Listen>();
  readonly #settings: Settings;
  readonly #served: ServedRevisions;
  #state: SessionState | undefined;
  #context: McpContext;

  /** @throws UsageError for revisions that are unknown */
  constructor(channel: Channel, options: PipeOptions, settings: Settings) {
    const { auth, revisions, maxConcurrentRequests = 1_000 } = options;
    const { onDiagnostic } = settings;
    this.auth = auth;
    this.#settings = settings;
    this.#served = resolveServedRevisions(revisions);
    this.#context = this.#createContext();
    this.#peer = new Peer<McpContext>(
      new HandshakeOrder(channel, { maxWaiting: maxConcurrentRequests, onDiagnostic }),
      {
        createContext: ({ method, params }) =>
          this.#isStateless(method, params) ? this.#createStateless(params) : this.#context,
        acceptsBatches: () => this.#state !== undefined && this.#context.revision.traits.batching,
        cancellation: mcpCancellation,
        maxConcurrentRequests,
        onDiagnostic,
      },
    );
    this.closed = this.#peer.closed.then((fault) => {
      this.#ended.abort(fault ?? new ClosedError("the session has ended"));
      return fault;
    });
  }

  get state(): SessionState | undefined {
    return this.#state;
  }

  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** Requests open in both directions, for gauges. */
  get openRequests(): { readonly inbound: number; readonly outbound: number } {
    return this.#peer.openRequests;
  }

  /** Starts reading. */
  async start(dispatcher: McpDispatcher): Promise<void> {
    await this.#peer.start({
      dispatch: (message, exchange) =>
        "id" in message && message.method === "subscriptions/listen"
          ? this.#listen(message, exchange, dispatcher)
          : dispatcher.dispatch(message, exchange),
    });
  }

  async update(change: (state: SessionState | undefined) => SessionState): Promise<void> {
    const spoken = this.#state?.revision;
    this.#state = change(this.#state);
    if (spoken !== this.#state.revision) {
      this.#context = this.#createContext();
    }
  }

  async notify(call: Call): Promise<void> {
    await this.#peer.notify(call);
  }

  request(call: Call, options?: LinkRequestOptions): Promise<JsonObject> {
    return this.#peer.request(call, options);
  }

  /** Ends the session. Streams of changes are answered, work in progress is aborted. */
  async close(): Promise<void> {
    if (this.#listens.size > 0) {
      await this.#endListens();
    }
    await this.#peer.close();
    await this.closed;
  }

  /** Passes a stream's request on, with a signal that ends it also when the server stops. */
  async #listen(
    message: JsonRpcRequest,
    exchange: McpExchange,
    dispatcher: McpDispatcher,
  ): Promise<JsonRpcResponse | undefined> {
    const { signal, abort, release } = linkSignals(exchange.signal);
    const answered = dispatcher.dispatch(message, {
      signal,
      context: exchange.context,
      notify: (call) => exchange.notify(call),
      request: (call, options) => exchange.request(call, options),
    });
    this.#listens.set(message.id, { end: abort, answered });
    try {
      return await answered;
    } finally {
      this.#listens.delete(message.id);
      release();
    }
  }

  /** The word that a stream is torn down, then its answer as its last message [M-CANCEL-002, M-SUB-012]. */
  async #endListens(): Promise<void> {
    const reason = new ClosedError("the server is stopping");
    const listens = [...this.#listens];
    for (const [requestId, { end }] of listens) {
      const params = { requestId, reason: reason.message };
      this.#settings.forget(this.#peer.notify({ method: cancelledMethod, params }));
      end(reason);
    }
    await Promise.allSettled(listens.map(([, { answered }]) => answered));
    // The answers leave in the steps that follow theirs.
    await new Promise<void>((resolve) => {
      setTimeout(resolve, 0);
    });
  }

  /** One object for all messages between two changes of the revision. */
  #createContext(): McpContext {
    const revision = findHandshake(this.#state?.revision ?? "") ?? latestHandshake;
    return { revision, session: this, served: this.#served.ids, auth: this.auth, http: undefined };
  }

  /** Whether a message stands for itself: it says so, or nothing else is served here, or no session knows its method. */
  #isStateless(method: string, params: JsonObject | undefined): boolean {
    const { stateless, handshake } = this.#served;
    return isEnveloped(params) || handshake.length === 0 || (stateless.length > 0 && isUnknownToSessions(method));
  }

  /** Everything is in the message, whatever came before on this channel [M-BASE-008, M-VER-005]. */
  #createStateless(params: JsonObject | undefined): McpContext {
    const envelope = readEnvelope(params);
    const revision = (envelope.ok ? findStateless(envelope.envelope.protocolVersion) : undefined) ?? latestStateless;
    return { revision, envelope, session: undefined, served: this.#served.ids, auth: this.auth, http: undefined };
  }
}

/** Whether only requests that stand for themselves have this method, so that one without its metadata is one of them. */
function isUnknownToSessions(method: string): boolean {
  return latestStateless.has(method, "server") && !latestHandshake.has(method, "server");
}

/**
 * A link to a server of either HTTP transport: finds out with `initialize` which one it is, and keeps to that.
 *
 * Only a refusal that an old server can have meant leads to the second attempt. A lost connection, a missing permission
 * or a server in trouble says nothing about its age, nor does anything that answers a request standing for itself:
 * `initialize` follows that one. Specification: Basic > Transports > Backwards compatibility.
 */
import { raceAbort } from "../../base/abort.ts";
import { createDeferred } from "../../base/deferred.ts";
import { ClosedError, HttpError, isMcpError, type McpError, UsageError } from "../../base/error.ts";
import { RpcError, rpcCodes } from "../../jsonrpc/error.ts";
import type { Call, Dispatcher, Hold, Link, LinkRequestOptions, LinkStartOptions } from "../../jsonrpc/link.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { Peer } from "../../jsonrpc/peer.ts";
import { mcpCancellation } from "../../protocol/cancellation.ts";
import { isEnveloped } from "../../protocol/envelope.ts";
import { mcpCodes } from "../../protocol/errors.ts";
import type { McpContext } from "../../revision/exchange.ts";
import { findHandshake, latestHandshake } from "../../revision/registry.ts";
import type { Revision } from "../../revision/revision.ts";
import { createHttpLink } from "../client/link.ts";
import type { Fetch, HttpClientOptions } from "../client/options.ts";
import { standardHeaderNames } from "../standard-headers.ts";
import { type LegacyChannelOptions, LegacyClientChannel } from "./client-channel.ts";

/** An HTTP transport: the current one, with one endpoint, or HTTP+SSE, with an event stream and an endpoint. */
export type HttpTransport = "streamable" | "legacy";

/** What a link needs to know beside the options of both transports. */
export interface CompatibleLinkOptions {
  readonly http: HttpClientOptions;
  readonly legacy: LegacyChannelOptions;
  /** What is known already; `undefined` to find out. */
  readonly transport: HttpTransport | undefined;
  readonly onTransport: (transport: HttpTransport) => void;
}

/** Statuses of a server that knows no such POST [HTTP-053] [O0326-015] [O0618-020]. */
const tellsOfOldServer: ReadonlySet<number> = /* @__PURE__ */ new Set([400, 404, 405, 406, 410, 415]);

/** Errors that only a server with requests standing for themselves sends: it speaks Streamable HTTP [M-VER-017]. */
const tellsOfNewServer: ReadonlySet<number> = /* @__PURE__ */ new Set([
  mcpCodes.headerMismatch,
  mcpCodes.missingClientCapability,
  mcpCodes.unsupportedProtocolVersion,
]);

/** Statuses that decide what the caller has to do, whichever attempt they came from. */
const asksForPermission: ReadonlySet<number> = /* @__PURE__ */ new Set([401, 403]);

/** See the head of this file. */
export class CompatibleLink implements Link<McpContext> {
  readonly closed: Promise<McpError | undefined>;
  readonly #options: CompatibleLinkOptions;
  readonly #streamable: Link<McpContext>;
  readonly #ended = createDeferred<McpError | undefined>();
  /** Notes the status of each answer, which the errors of the links do not all tell. */
  readonly #fetch: Fetch;
  /** Status of the last answer of an attempt, by HTTP method. */
  readonly #statuses = new Map<string, number>();
  #dispatcher: Dispatcher<McpContext> | undefined;
  #hold: Hold | undefined;
  #transport: HttpTransport | undefined;
  #legacy: Peer<McpContext> | undefined;
  /** What inbound messages of the old transport are written in. */
  #revision: Revision = latestHandshake;
  #isClosing = false;

  constructor(options: CompatibleLinkOptions) {
    const { http, legacy, transport } = options;
    this.#options = options;
    this.#transport = transport;
    this.#fetch = async (url, init) => {
      const response = await legacy.fetch(url, { hold: this.#hold, ...init });
      // A request that stands for itself may be answered while an attempt is under way: that is no part of it.
      if (!(standardHeaderNames.method in init.headers)) {
        this.#statuses.set(init.method, response.status);
      }
      return response;
    };
    this.#streamable = createHttpLink(legacy.url, { ...http, fetch: this.#fetch });
    this.closed = this.#ended.promise;
  }

  /** Which transport the server speaks; `undefined` until that is known. */
  get transport(): HttpTransport | undefined {
    return this.#transport;
  }

  async start(dispatcher: Dispatcher<McpContext>, options?: LinkStartOptions): Promise<void> {
    this.#hold = options?.hold;
    await this.#streamable.start(dispatcher, options);
    this.#dispatcher = dispatcher;
  }

  async request(call: Call, options: LinkRequestOptions = {}): Promise<JsonObject> {
    if (isEnveloped(call.params)) {
      return await this.#requestAlone(call, options);
    }
    if (call.method !== "initialize") {
      return await this.#current.request(call, options);
    }
    if (this.#transport !== "legacy") {
      const answer = await this.#tryStreamable(call, options);
      if (answer.ok) {
        return answer.result;
      }
      await this.#openLegacy(options.signal, (fault) => this.#describeFailure(answer, fault));
    } else if (this.#legacy === undefined) {
      await this.#openLegacy(options.signal, (fault) => fault);
    }
    const result = await this.#current.request(call, options);
    this.#revision = findHandshake(String(result.protocolVersion)) ?? this.#revision;
    return result;
  }

  async notify(call: Call): Promise<void> {
    await this.#current.notify(call);
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.all([this.#streamable.close(), this.#legacy?.close()]);
    this.#ended.resolve(undefined);
  }

  get #current(): Link<McpContext> {
    return this.#legacy ?? this.#streamable;
  }

  /** A request that stands for itself. Its failure decides nothing [M-ERR-011]. */
  async #requestAlone(call: Call, options: LinkRequestOptions): Promise<JsonObject> {
    const result = await this.#current.request(call, options);
    if (this.#transport === undefined) {
      this.#decide("streamable");
    }
    return result;
  }

  /** The answer to `initialize`, or the refusal that an old server may have meant. */
  async #tryStreamable(call: Call, options: LinkRequestOptions): Promise<Answer> {
    this.#statuses.clear();
    try {
      const result = await this.#streamable.request(call, options);
      this.#decide("streamable");
      return { ok: true, result };
    } catch (error) {
      const status = this.#statuses.get("POST");
      const isOver = this.#isClosing || options.signal?.aborted === true || this.#transport !== undefined;
      if (isOver || !isMcpError(error) || status === undefined || !isFromOldServer(error, status)) {
        throw error;
      }
      return { ok: false, status, fault: error };
    }
  }

  /** @param toError - the error to throw for what went wrong, unless a person has to act on that very error */
  async #openLegacy(signal: AbortSignal | undefined, toError: (fault: McpError) => McpError): Promise<void> {
    if (this.#dispatcher === undefined || this.#isClosing) {
      throw this.#isClosing ? new ClosedError("the connection has ended") : new UsageError("expected start first");
    }
    const peer = new Peer<McpContext>(new LegacyClientChannel({ ...this.#options.legacy, fetch: this.#fetch }), {
      createContext: () => ({ revision: this.#revision, session: undefined, auth: undefined, http: undefined }),
      cancellation: mcpCancellation,
      onDiagnostic: this.#options.http.onDiagnostic,
    });
    this.#legacy = peer;
    try {
      await raceAbort(peer.start(this.#dispatcher), signal);
    } catch (error) {
      this.#legacy = undefined;
      await peer.close();
      const isOver = this.#isClosing || signal?.aborted === true;
      throw isOver || !isMcpError(error) || isForPerson(error) ? error : toError(error);
    }
    this.#decide("legacy");
    void peer.closed.then((fault) => this.#ended.resolve(fault));
  }

  #decide(transport: HttpTransport): void {
    if (this.#transport !== transport) {
      this.#transport = transport;
      this.#options.onTransport(transport);
    }
  }

  /** Both outcomes in one error, of the kind that the caller has to react to. */
  #describeFailure({ status, fault }: Refusal, legacyFault: McpError): McpError {
    const { origin, pathname } = this.#options.legacy.url;
    const attempts = `Streamable HTTP: ${fault.message}; HTTP+SSE: ${legacyFault.message}`;
    const message = `expected an MCP server at ${origin}${pathname}, got none of either transport. ${attempts}`;
    const cause = new AggregateError([fault, legacyFault], message);
    const legacyStatus = this.#statuses.get("GET") ?? status;
    if (asksForPermission.has(legacyStatus)) {
      return new HttpError(message, { status: legacyStatus, cause });
    }
    if (fault instanceof RpcError) {
      return new RpcError(fault.rpcCode, message, { data: fault.data, remote: true, cause });
    }
    return new HttpError(message, { status, excerpt: fault instanceof HttpError ? fault.excerpt : "", cause });
  }
}

/** A refusal of the first attempt, with its HTTP status. */
interface Refusal {
  readonly ok: false;
  readonly status: number;
  readonly fault: McpError;
}

type Answer = { readonly ok: true; readonly result: JsonObject } | Refusal;

/** Whether a refusal of `initialize` can be that of a server that knows HTTP+SSE only. */
function isFromOldServer(error: McpError, status: number): boolean {
  if (error instanceof RpcError) {
    const isUnknownMethod = status === 404 && error.rpcCode === rpcCodes.methodNotFound;
    return tellsOfOldServer.has(status) && !isUnknownMethod && !tellsOfNewServer.has(error.rpcCode);
  }
  return tellsOfOldServer.has(status);
}

/** Errors that carry what a person needs in order to act, and so must not be turned into others. */
function isForPerson(error: McpError): boolean {
  return error.code.startsWith("MCP_AUTHORIZATION");
}

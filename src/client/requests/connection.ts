/**
 * One session on one link, below the features: opening, sending, recovering, ending.
 *
 * What methods mean is above; what carries them is below. Requests are checked before anything is sent.
 */
import { createDeferred } from "../../base/deferred.ts";
import { ClosedError, isMcpError, type McpError, PeerError } from "../../base/error.ts";
import type { Call, Dispatcher, LinkRequestOptions } from "../../jsonrpc/link.ts";
import type { JsonObject, JsonRpcNotification } from "../../jsonrpc/message.ts";
import { Outgoing, type OutgoingRequestOptions } from "../../protocol/outgoing.ts";
import { checkResult } from "../../protocol/results.ts";
import type { ClientCapabilities } from "../../protocol/types/lifecycle.ts";
import type { LoggingLevel } from "../../protocol/types/logging.ts";
import { latestStateless } from "../../revision/registry.ts";
import type { Revision } from "../../revision/revision.ts";
import { composeMiddleware } from "../middleware.ts";
import type { ClientSettings } from "../options.ts";
import type { Agreement } from "../sessions/handshake.ts";
import { type ConnectTarget, LinkSource } from "../sessions/link-source.ts";
import { Recovery } from "../sessions/recovery.ts";
import type { ServerDetails } from "../sessions/server-details.ts";
import { SessionLink, type SessionLinkOptions } from "../sessions/session-link.ts";
import { findTaskFault, markTask } from "../tasks/extension.ts";
import { assertNotification, assertRequest, type Negotiated } from "./outgoing-rules.ts";
import { toFittingError } from "./remote-error.ts";
import { encodeStateless, fromRevisionLoss, toDeclared, toRevisionLoss } from "./stateless-call.ts";

/** What receives everything that comes in. */
export interface Inbox extends Dispatcher {
  receive(notification: JsonRpcNotification): void;
}

/** How a connection is opened. */
export interface ConnectionOptions extends SessionLinkOptions {
  readonly label: string | undefined;
  /**
   * Headers that repeat a part of a request, for links that have headers.
   *
   * @throws {@link InvalidParamsError} for what no header can carry
   */
  readonly mirror: (method: string, params: JsonObject | undefined) => LinkRequestOptions["headers"];
}

/** Options of one request inside this folder. */
export interface ConnectionRequestOptions extends OutgoingRequestOptions {
  /** Whether it may be sent again in a new session. Default true. */
  canResend?: boolean;
  /** Whether it belongs to the making of a session, so that it does not wait for one. Default false. */
  restoring?: boolean;
  /** Receives what belongs to the request, in place of the inbox. */
  onRelated?: LinkRequestOptions["onRelated"];
}

const neverAborted: AbortSignal = /* @__PURE__ */ new AbortController().signal;

/** See the head of this file. */
export class Connection {
  readonly settings: ClientSettings;
  readonly outgoing: Outgoing;
  /** The least severe log message wanted, as requests that stand for themselves say it. */
  logLevel: LoggingLevel | undefined;
  /** Resolves at the end: with the fault that caused it, or with nothing. */
  readonly closed: Promise<McpError | undefined>;
  readonly #link: SessionLink;
  readonly #options: ConnectionOptions;
  readonly #recovery = new Recovery(() => this.#renew());
  readonly #ended = createDeferred<McpError | undefined>();
  readonly #life = new AbortController();
  readonly #restorers: (() => Promise<void>)[] = [];
  #inbox: Inbox | undefined;
  #revision: Revision;
  #agreement: Agreement | undefined;
  /** What the server was told in the handshake; nothing where it is told with every request. */
  #declared: ClientCapabilities | undefined;
  #server: ServerDetails | undefined;

  constructor(target: ConnectTarget, settings: ClientSettings, options: ConnectionOptions) {
    const { idleTimeoutMs, totalTimeoutMs, clock, onDiagnostic } = settings;
    this.settings = settings;
    this.logLevel = settings.logLevel;
    this.#options = options;
    this.#revision = options.plan.pinned ?? options.plan.expected ?? latestStateless;
    this.outgoing = new Outgoing({ idleTimeoutMs, totalTimeoutMs, clock, onDiagnostic });
    this.closed = this.#ended.promise;
    const source = new LinkSource(target, () => this.#revision, onDiagnostic);
    this.#link = new SessionLink(source, settings, options, {
      onTry: (revision) => {
        this.#revision = revision;
      },
      onAgreed: (agreement) => this.#agree(agreement),
      onLost: (fault) => {
        this.report("MCP_D_CONNECTION_LOST", "the connection ended; the next request opens another one", fault);
        this.#recovery.lose();
      },
      onEnd: (fault) => this.#finish(fault),
      hold: () => this.outgoing.pause(),
      report: (code, message, detail) => this.report(code, message, detail),
    });
  }

  /** The negotiated revision; before that the one that is tried. */
  get revision(): Revision {
    return this.#revision;
  }

  /** Whether each request stands for itself. */
  get isStateless(): boolean {
    return this.#revision.lifecycle === "stateless";
  }

  /** Whether parts of a request are repeated in headers, which is of use over HTTP only. */
  get mirrorsHeaders(): boolean {
    return this.isStateless && !this.#link.isPipe;
  }

  /** What this client declares, as far as the negotiated revision knows it. */
  get capabilities(): ClientCapabilities {
    return this.#declared ?? toDeclared(this.#revision, this.settings.identity.capabilities);
  }

  /** The server; `undefined` until a revision has been agreed on. */
  get server(): ServerDetails | undefined {
    return this.#server;
  }

  /** What was agreed on last. */
  get agreement(): Agreement | undefined {
    return this.#agreement;
  }

  /** Aborts when the session ends. */
  get signal(): AbortSignal {
    return this.#life.signal;
  }

  /** Runs whenever a new session takes the place of a forgotten one, before waiting requests go on. */
  onRestore(restore: () => Promise<void>): void {
    this.#restorers.push(restore);
  }

  /** Opens the link and negotiates. On failure everything is closed [PP-038]. */
  async open(inbox: Inbox, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    this.#inbox = inbox;
    try {
      await this.#recovery.begin(this.#link.open(inbox, signal));
    } catch (error) {
      this.#finish(undefined);
      await this.#link.abandon();
      throw error;
    }
  }

  /** Sends a request. Params and result have the shape of the newest revision. */
  async request(method: string, params?: JsonObject, options: ConnectionRequestOptions = {}): Promise<JsonObject> {
    options.signal?.throwIfAborted();
    if (!options.restoring) {
      await this.#recovery.ready(options.signal);
    }
    assertRequest(method, params, this.#negotiated());
    const signal = options.signal ?? neverAborted;
    const send = composeMiddleware(this.settings.middleware, (message) => {
      // The signal that never aborts is shared by all, so nobody listens to it.
      const sentSignal = message.signal === neverAborted ? undefined : message.signal;
      return this.#send(message.method, message.params, { ...options, signal: sentSignal });
    });
    const result = await send({ direction: "outgoing", kind: "request", method, params, signal });
    return result ?? {};
  }

  /** Sends a notification. */
  async notify(method: string, params?: JsonObject): Promise<void> {
    await this.#recovery.ready(undefined);
    assertNotification(method, params, this.#negotiated());
    const send = composeMiddleware(this.settings.middleware, async (message) => {
      await this.#recovery.run(() => this.#link.current.notify(this.#encode(message)), { canResend: true });
      return undefined;
    });
    await send({ direction: "outgoing", kind: "notification", method, params, signal: neverAborted });
  }

  /** Ends the session. Whoever waits is told; calling it again waits for the same end. */
  async close(fault?: McpError): Promise<void> {
    this.#finish(fault);
    await this.#link.close();
  }

  /** Runs a callback of the host, whose failure is reported and harms nothing else. */
  tell(what: string, callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.report("MCP_D_CALLBACK_FAULT", `${what} threw`, error);
    }
  }

  /** Reports what nobody else is told of. */
  report(code: string, message: string, detail?: unknown): void {
    this.settings.onDiagnostic?.({ code, message, detail });
  }

  async #send(method: string, params: JsonObject | undefined, options: ConnectionRequestOptions): Promise<JsonObject> {
    const { restoring = false, canResend = true } = options;
    const relay = options.onRelated ?? ((notification: JsonRpcNotification) => this.#inbox?.receive(notification));
    const result = await this.outgoing
      .request(
        (call, linkOptions) => {
          const { signal } = linkOptions;
          const send = async (): Promise<JsonObject> => {
            const headers = this.mirrorsHeaders ? this.#options.mirror(call.method, call.params) : undefined;
            const sent = this.#link.current.request(this.#encode(call), {
              ...linkOptions,
              ...(headers && { headers }),
            });
            return sent.catch((error: unknown) => {
              throw this.isStateless ? toRevisionLoss(error) : error;
            });
          };
          return restoring ? send() : this.#recovery.run(send, { signal, canResend });
        },
        { method, params },
        options,
        relay,
      )
      .catch((error: unknown) => {
        throw toFittingError(fromRevisionLoss(error), { method, params });
      });
    const decoded = markTask(this.#revision, params, this.#revision.decodeResult(method, result));
    const fault = checkResult(method, decoded) ?? findTaskFault(this.#revision, this.capabilities, decoded);
    if (fault !== undefined) {
      throw new PeerError(`${method}: ${fault}`);
    }
    return decoded;
  }

  /** Who has somebody to hear messages wants the usual ones, unless something else was said. */
  get #wantedLevel(): LoggingLevel | undefined {
    return this.logLevel ?? (this.settings.onLog === undefined ? undefined : "info");
  }

  /** A call as it goes out in the revision of the moment. */
  #encode({ method, params }: Call): Call {
    return this.isStateless
      ? encodeStateless({ method, params }, this.#revision, this.settings.identity, this.#wantedLevel)
      : { method, params: this.#revision.encodeParams(method, params) };
  }

  async #renew(): Promise<void> {
    try {
      await this.#link.renew(this.#life.signal);
    } catch (error) {
      if (isMcpError(error) && error.code === "MCP_UNSUPPORTED_REVISION") {
        await this.close(error);
      }
      throw error;
    }
    for (const restore of this.#restorers) {
      await restore().catch((fault: unknown) => {
        this.report("MCP_D_RESTORE_FAILED", "the new session lacks something of the one before", fault);
      });
    }
  }

  #agree(agreement: Agreement): void {
    const { revision, serverInfo: info, capabilities = {}, instructions } = agreement;
    this.#revision = revision;
    this.#agreement = agreement;
    this.#declared =
      revision.lifecycle === "handshake" ? toDeclared(revision, this.settings.identity.capabilities) : undefined;
    const details = { info, capabilities, instructions, revision: revision.id, label: this.#options.label };
    this.#server = { ...details, trusted: this.settings.isTrusted(details) };
  }

  #negotiated(): Negotiated {
    return { revision: this.#revision, own: this.capabilities, server: this.#agreement?.capabilities };
  }

  #finish(fault: McpError | undefined): void {
    this.#life.abort(
      new ClosedError(fault === undefined ? "the session has ended" : `the session has ended: ${fault.message}`),
    );
    this.#ended.resolve(fault);
  }
}

/**
 * What the server knows of one message and keeps until it is answered. Handlers see it through request-context.ts.
 *
 * Whatever a message is asked about itself is decided here: whether it belongs to a session or stands for itself, what
 * its client can do, where questions and notifications on its behalf go.
 */
import type { JsonObject, JsonRpcNotification, JsonRpcRequest, RequestId } from "../../jsonrpc/message.ts";
import { readProgressToken } from "../../protocol/meta.ts";
import type { Send } from "../../protocol/outgoing.ts";
import { toPrincipalKey } from "../../protocol/principal.ts";
import type { LoggingLevel } from "../../protocol/types/logging.ts";
import type { McpExchange } from "../../revision/exchange.ts";
import type { Revision } from "../../revision/revision.ts";
import type { AskTarget } from "../asking/input.ts";
import { askingMethods, InputRounds } from "../asking/input-rounds.ts";
import type { RequestStates } from "../asking/request-state.ts";
import type { UrlElicitations } from "../asking/url-elicitation.ts";
import type { Deprecations } from "../deprecations.ts";
import type { LogShare } from "../logging/logging.ts";
import type { LiveSession } from "../sessions/live-session.ts";
import type { Settings } from "../settings.ts";
import { ScopeWork } from "../tasks/scope-work.ts";
import type { ClientDetails } from "./context.ts";
import { ProgressReporter } from "./progress.ts";
import { envelopeOf } from "./stateless.ts";

/** What all messages of one server share. */
export interface ScopeHost {
  readonly settings: Settings;
  readonly urlElicitations: UrlElicitations;
  readonly states: RequestStates;
}

/** See the head of this file. */
export class RequestScope {
  readonly host: ScopeHost;
  readonly exchange: McpExchange;
  readonly message: JsonRpcRequest | JsonRpcNotification;
  /** The session as the server sees it; `undefined` for what belongs to none. */
  readonly live: LiveSession | undefined;
  /** Where the client is asked by rounds: those of this request. */
  readonly rounds: InputRounds | undefined;
  /** What the server's `context` option made. */
  value: unknown;
  readonly work: ScopeWork;
  #progress: ProgressReporter | undefined;
  #logShare: LogShare | undefined;

  constructor(
    host: ScopeHost,
    exchange: McpExchange,
    live: LiveSession | undefined,
    message: JsonRpcRequest | JsonRpcNotification,
  ) {
    this.host = host;
    this.exchange = exchange;
    this.live = live;
    this.message = message;
    this.rounds = this.#createRounds();
    this.work = new ScopeWork(this);
  }

  /** The id of the request; `undefined` for a notification. */
  get id(): RequestId | undefined {
    return "id" in this.message ? this.message.id : undefined;
  }

  get revision(): Revision {
    return this.exchange.context.revision;
  }

  /** Whether the message stands for itself, without a session. */
  get isStateless(): boolean {
    return this.revision.lifecycle === "stateless";
  }

  /** Whether the client can be told of what belongs to no request: in its session, or on a stream it opens for that. */
  get canListen(): boolean {
    return this.live !== undefined || this.isStateless;
  }

  get signal(): AbortSignal {
    return this.work.signal;
  }

  get client(): ClientDetails {
    const envelope = envelopeOf(this.exchange.context);
    return {
      info: envelope?.clientInfo ?? this.live?.clientInfo,
      capabilities: envelope?.clientCapabilities ?? this.live?.capabilities ?? {},
    };
  }

  /** Where questions on behalf of the message go. */
  get target(): AskTarget {
    const { live, revision, client, work, exchange } = this;
    const { capabilities } = client;
    const { rounds, task, signal } = work;
    const send: Send = (call, options) => exchange.request(call, options);
    return { live, revision, capabilities, rounds, task, signal, send };
  }

  /** The level its client asked for, and whether that is to be told anything: who stands alone must ask [M-LOG-001]. */
  get logLevel(): { readonly isWanted: boolean; readonly level: LoggingLevel | undefined } {
    const level = this.isStateless ? envelopeOf(this.exchange.context)?.logLevel : this.live?.state?.logLevel;
    return { isWanted: this.#sendsMessages && (!this.isStateless || level !== undefined), level };
  }

  /** How much may be logged: a session has a share, and so has a request that stands for itself. */
  get logShare(): LogShare {
    const { settings } = this.host;
    if (this.live !== undefined || !this.isStateless) {
      return this.live?.logShare ?? settings.commonLogShare;
    }
    this.#logShare ??= settings.createLogShare();
    return this.#logShare;
  }

  /** Reports progress; `undefined` where the client did not ask for it. */
  get progress(): ProgressReporter | undefined {
    this.#progress ??= this.#createReporter();
    return this.#sendsMessages ? this.#progress : undefined;
  }

  /** Some tasks are polled for and say nothing by themselves [X-TASK-041]. */
  get #sendsMessages(): boolean {
    return this.work.task?.sendsMessages !== false;
  }

  /** What is advised against in the revision of the message; `undefined` where nothing is. */
  get deprecations(): Deprecations | undefined {
    return this.isStateless ? this.host.settings.deprecations : undefined;
  }

  /** Sends a notification that belongs to the message. */
  notify(method: string, params?: JsonObject): Promise<void> {
    const encoded = this.revision.encodeParams(method, params);
    const { task } = this.work;
    if (task !== undefined) {
      return task.notify(method, encoded);
    }
    return this.exchange.notify(encoded === undefined ? { method } : { method, params: encoded });
  }

  /**
   * The request is answered, or the task that it went on as is over: the last step of progress goes out, then no more.
   * Progress of a task goes on behind the answer.
   */
  finish(): void {
    const { task } = this.work;
    if (task === undefined || !task.sendsMessages || task.isOver) {
      this.#progress?.end();
    }
    this.rounds?.end();
  }

  #createRounds(): InputRounds | undefined {
    const { exchange, message } = this;
    const { revision, auth } = exchange.context;
    const { method, params = {} } = message;
    if (revision.traits.serverRequests || !("id" in message) || !askingMethods.has(method)) {
      return undefined;
    }
    const request = {
      method,
      params,
      principal: toPrincipalKey(auth) ?? "",
      get signal() {
        return exchange.signal;
      },
    };
    return new InputRounds(request, this.host.states);
  }

  #createReporter(): ProgressReporter | undefined {
    const token = readProgressToken(this.message.params);
    if (token === undefined) {
      return undefined;
    }
    const { clock, onDiagnostic, forget } = this.host.settings;
    return new ProgressReporter(token, {
      clock,
      onDiagnostic,
      send: ({ method, params }) => forget(this.notify(method, params)),
    });
  }
}

/**
 * The options of the HTTP server, and the one place where their defaults are filled in.
 */

import type { OnDiagnostic } from "../../base/diagnostic.ts";
import { UsageError } from "../../base/error.ts";
import { createId } from "../../base/id.ts";
import { type Clock, systemClock } from "../../base/timer.ts";
import { defaultMaxDepth } from "../../jsonrpc/codec.ts";
import { resolveServedRevisions, type ServedRevisions } from "../../revision/served.ts";
import type { AppendOptions, Store } from "../../store/contracts.ts";
import type { AccessPolicy } from "./access-policy.ts";
import type { HttpAuthenticator } from "./authenticator.ts";

/**
 * What a POST is answered with: `json` always, `stream` always, or `auto`, which is JSON unless there is more to say.
 */
export type ReplyFormat = "json" | "stream" | "auto";

/** Sessions of the handshake revisions. Specification: Basic > Transports > Session management. */
export interface SessionOptions {
  /**
   * How long a session may be without a request in progress and without a stream on any node, in milliseconds; taken to
   * a tenth, so that not every request costs a write. Default 30 minutes.
   */
  idleTimeoutMs?: number | undefined;
  /** Sessions at once on one node. One more is refused with 503 and `Retry-After`. Default 10 000. */
  maxSessions?: number | undefined;
  /** The same for each caller that `auth` identifies; one more is refused with 429. Default 1 000. */
  maxSessionsPerCaller?: number | undefined;
  /** Makes session ids: visible ASCII, hard to guess. Default 27 random characters, 162 bits. */
  createSessionId?: (() => string) | undefined;
  /** Whether clients may end their session by DELETE. Default true; otherwise DELETE is answered with 405. */
  allowDelete?: boolean | undefined;
  /** Streams that a session has open at once on one node. One more is refused with 429. Default 256. */
  maxStreamsPerSession?: number | undefined;
  /** Requests that a session has in progress at once on one node. One more is refused with 429. Default 256. */
  maxConcurrentRequestsPerSession?: number | undefined;
}

/**
 * How broken streams go on: what is kept of each in the store. The oldest events go first.
 * Specification: Basic > Transports > Resumability and redelivery.
 */
export interface ResumabilityOptions {
  /** Events kept of one stream. Default 1 000. */
  maxEventsPerStream?: number | undefined;
  /** Bytes kept of one stream. Default 8 MiB. */
  maxBytesPerStream?: number | undefined;
  /** How long an event is kept, in milliseconds. Default 5 minutes. */
  maxAgeMs?: number | undefined;
  /**
   * How long after the handshake, or after the loss of its standing stream, a client is expected to open one, in
   * milliseconds. Until then messages for it are kept; after that they are refused at once. Default 60 000.
   */
  reconnectWindowMs?: number | undefined;
}

/** Cross-origin requests of browsers. */
export interface CorsOptions {
  /** Web pages that may call. They need not be listed in `allowedOrigins` too. */
  origins: AccessPolicy;
  /** Request headers allowed beside those of the protocol, in any case. */
  allowHeaders?: readonly string[] | undefined;
  /** How long a browser may remember a preflight, in seconds. Default 86 400. */
  maxAgeSeconds?: number | undefined;
}

/** Options of {@link createHttpHandler}. */
export interface HttpServerOptions {
  /**
   * Where sessions, events and messages between nodes are kept: any number of processes that share one, behind any load
   * balancer, serve every session together. It stays open when the handler is closed. Default: the definition's own.
   */
  store?: Store | undefined;
  /**
   * How long after its last sign of life a node counts as dead, so that others end what it had begun, in milliseconds.
   * The same on all nodes. Default 10 000.
   */
  leaseMs?: number | undefined;
  /**
   * Revisions that are served, as they go over the wire. Which one holds is decided for each request. Default: all.
   * Leave those out that begin with `initialize`, or those that do not, to serve clients of one kind only.
   */
  revisions?: readonly string[] | undefined;
  /** Whether clients get sessions, and within which limits. Default true. Without, every request stands for itself. */
  sessions?: boolean | SessionOptions | undefined;
  /** Whether broken streams can be resumed, and within which limits. Default true; needs sessions. */
  resumability?: boolean | ResumabilityOptions | undefined;
  /**
   * Hosts under which the server may be addressed, checked before anything else. A function is asked behind
   * authentication. Default: loopback names on any port.
   */
  allowedHosts?: AccessPolicy | undefined;
  /** Serves under any host name. Only behind something else that checks it. Default false. */
  dangerouslyAllowAnyHost?: boolean | undefined;
  /**
   * Web pages that may call, checked before authentication. A function is asked behind it. Requests without `Origin`
   * are not from a web page. Default: pages of this machine for a loopback host, pages of the same host otherwise.
   */
  allowedOrigins?: AccessPolicy | undefined;
  /** Serves any web page, also those that hide their origin. Default false. */
  dangerouslyAllowAnyOrigin?: boolean | undefined;
  /** Answers browsers' cross-origin questions. Default: not. */
  cors?: CorsOptions | undefined;
  /** Lets callers in, or not: what `protectResource` of `parley-mcp/auth/resource` makes, or one's own. Default: everybody. */
  auth?: HttpAuthenticator | undefined;
  /**
   * Requests in progress at once that belong to no session. One more is refused with 503 and `Retry-After`. Default
   * 10 000. Sessions have limits of their own.
   */
  maxConcurrentRequests?: number | undefined;
  /** The same for each caller that `auth` identifies; one more is refused with 429. Default 256. */
  maxConcurrentRequestsPerCaller?: number | undefined;
  /**
   * Event streams that clients without a session hold open to hear of changes. One more is refused with 503 and
   * `Retry-After`. Default 10 000.
   */
  maxSubscriptions?: number | undefined;
  /** The same for each caller that `auth` identifies; one more is refused with 429. Default 256. */
  maxSubscriptionsPerCaller?: number | undefined;
  /** Largest body of a POST, in bytes. Default 4 MiB. */
  maxBodyBytes?: number | undefined;
  /** Deepest nesting of JSON. Default 512. */
  maxJsonDepth?: number | undefined;
  /**
   * How requests are answered: `json`, always; `stream`, an event stream always; `auto`, JSON unless the handler sends
   * something before its answer or takes long. Default `auto`.
   */
  response?: ReplyFormat | undefined;
  /** Under `auto`, after how many milliseconds a waiting reply becomes an event stream. Default 100. */
  streamAfterMs?: number | undefined;
  /** Between comments that keep a silent stream open, in milliseconds. Default 15 000. */
  keepAliveMs?: number | undefined;
  /** What clients are told to wait before they come back to a stream, in milliseconds. Default 1 000. */
  retryMs?: number | undefined;
  /** Bytes that may wait for a slow client on one connection before it is cut. Default 4 MiB. */
  maxBufferedBytes?: number | undefined;
  /** Refuses with 406 requests whose `Accept` does not list what the specification asks for. Default false. */
  strictAccept?: boolean | undefined;
  /** Refuses with 400 a supported `MCP-Protocol-Version` that is not the session's. Default false. */
  strictVersion?: boolean | undefined;
  /** The source of time. */
  clock?: Clock | undefined;
  /** Told of what was dropped, tolerated or repaired. */
  onDiagnostic?: OnDiagnostic | undefined;
}

/** {@link SessionOptions} with their defaults. */
export interface ResolvedSessionOptions {
  readonly idleTimeoutMs: number;
  readonly maxSessions: number;
  readonly maxSessionsPerCaller: number;
  readonly createSessionId: () => string;
  readonly allowDelete: boolean;
  readonly maxStreamsPerSession: number;
  readonly maxConcurrentRequestsPerSession: number;
}

/** {@link HttpServerOptions} with their defaults. */
export interface ResolvedHttpServerOptions {
  readonly revisions: ServedRevisions;
  /** `undefined` where every request stands for itself. */
  readonly sessions: ResolvedSessionOptions | undefined;
  readonly store: Store | undefined;
  readonly leaseMs: number;
  /** What is kept of an event stream; `undefined` where none can be resumed. */
  readonly events: AppendOptions | undefined;
  readonly reconnectWindowMs: number;
  readonly maxConcurrentRequests: number;
  readonly maxConcurrentRequestsPerCaller: number;
  readonly maxSubscriptions: number;
  readonly maxSubscriptionsPerCaller: number;
  readonly maxBodyBytes: number;
  readonly maxJsonDepth: number;
  readonly response: ReplyFormat;
  readonly streamAfterMs: number;
  readonly keepAliveMs: number;
  readonly retryMs: number;
  readonly maxBufferedBytes: number;
  readonly strictAccept: boolean;
  readonly strictVersion: boolean;
  readonly auth: HttpAuthenticator | undefined;
  readonly clock: Clock;
  readonly onDiagnostic: OnDiagnostic | undefined;
}

/** Fills in the defaults. Throws UsageError for what makes no sense. */
export function resolveHttpServerOptions(options: HttpServerOptions): ResolvedHttpServerOptions {
  const clock = options.clock ?? systemClock;
  const revisions = resolveServedRevisions(options.revisions);
  const sessions = revisions.handshake.length === 0 ? undefined : resolveSessions(options.sessions ?? true);
  const resumability = options.resumability ?? true;
  const limits = typeof resumability === "object" ? resumability : {};
  const keepsEvents = sessions !== undefined && resumability !== false;
  return {
    revisions,
    sessions,
    store: options.store,
    leaseMs: atLeast("leaseMs", options.leaseMs ?? 10_000, 1),
    events: keepsEvents ? resolveEvents(limits) : undefined,
    reconnectWindowMs: limits.reconnectWindowMs ?? 60_000,
    maxConcurrentRequests: atLeast("maxConcurrentRequests", options.maxConcurrentRequests ?? 10_000, 1),
    maxConcurrentRequestsPerCaller: atLeast(
      "maxConcurrentRequestsPerCaller",
      options.maxConcurrentRequestsPerCaller ?? 256,
      1,
    ),
    maxSubscriptions: atLeast("maxSubscriptions", options.maxSubscriptions ?? 10_000, 0),
    maxSubscriptionsPerCaller: atLeast("maxSubscriptionsPerCaller", options.maxSubscriptionsPerCaller ?? 256, 0),
    maxBodyBytes: atLeast("maxBodyBytes", options.maxBodyBytes ?? 4 * 1_024 * 1_024, 1),
    maxJsonDepth: atLeast("maxJsonDepth", options.maxJsonDepth ?? defaultMaxDepth, 1),
    response: options.response ?? "auto",
    streamAfterMs: atLeast("streamAfterMs", options.streamAfterMs ?? 100, 0),
    keepAliveMs: atLeast("keepAliveMs", options.keepAliveMs ?? 15_000, 1),
    retryMs: atLeast("retryMs", options.retryMs ?? 1_000, 0),
    maxBufferedBytes: atLeast("maxBufferedBytes", options.maxBufferedBytes ?? 4 * 1_024 * 1_024, 0),
    strictAccept: options.strictAccept ?? false,
    strictVersion: options.strictVersion ?? false,
    auth: options.auth,
    clock,
    onDiagnostic: options.onDiagnostic,
  };
}

function resolveEvents({ maxEventsPerStream, maxBytesPerStream, maxAgeMs }: ResumabilityOptions): AppendOptions {
  return {
    maxEntries: atLeast("resumability.maxEventsPerStream", maxEventsPerStream ?? 1_000, 1),
    maxBytes: atLeast("resumability.maxBytesPerStream", maxBytesPerStream ?? 8 * 1_024 * 1_024, 1),
    ttlMs: atLeast("resumability.maxAgeMs", maxAgeMs ?? 300_000, 1),
  };
}

function resolveSessions(sessions: boolean | SessionOptions): ResolvedSessionOptions | undefined {
  if (sessions === false) {
    return undefined;
  }
  const given = sessions === true ? {} : sessions;
  return {
    idleTimeoutMs: atLeast("sessions.idleTimeoutMs", given.idleTimeoutMs ?? 1_800_000, 1),
    maxSessions: atLeast("sessions.maxSessions", given.maxSessions ?? 10_000, 1),
    maxSessionsPerCaller: atLeast("sessions.maxSessionsPerCaller", given.maxSessionsPerCaller ?? 1_000, 1),
    createSessionId: given.createSessionId ?? createId,
    allowDelete: given.allowDelete ?? true,
    maxStreamsPerSession: atLeast("sessions.maxStreamsPerSession", given.maxStreamsPerSession ?? 256, 1),
    maxConcurrentRequestsPerSession: atLeast(
      "sessions.maxConcurrentRequestsPerSession",
      given.maxConcurrentRequestsPerSession ?? 256,
      1,
    ),
  };
}

function atLeast(option: string, value: number, least: number): number {
  if (Number.isNaN(value) || value < least) {
    throw new UsageError(`${option}: expected a number of at least ${least}, got ${value}`);
  }
  return value;
}

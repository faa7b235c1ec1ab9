/** What an HTTP link can be told, and its defaults. Resolved once, when the link is made. */
import type { OnDiagnostic } from "../../base/diagnostic.ts";
import { type McpError, UsageError } from "../../base/error.ts";
import { type Clock, systemClock } from "../../base/timer.ts";
import { parseUrl } from "../../base/url.ts";
import type { Hold } from "../../jsonrpc/link.ts";
import { headerNames } from "../headers.ts";
import { standardHeaderNames } from "../standard-headers.ts";
import { type HeaderSource, resolveHeaders } from "./configured-headers.ts";
import { type ReconnectOptions, type ReconnectPolicy, resolveReconnect } from "./reconnect.ts";
import type { RetryOptions, RetryPolicy } from "./retry.ts";

/** What is used of `fetch`; the global one fits, and so does a wrapper that adds a token. */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>;

/** What a link passes to `fetch`. */
export interface FetchInit {
  readonly method: "POST" | "GET" | "DELETE";
  /** Names in lower case. */
  readonly headers: Record<string, string>;
  readonly body?: string;
  /** Redirects are followed by the link itself, never to another origin. */
  readonly redirect: "manual";
  readonly signal: AbortSignal;
  /** For a `fetch` that has to wait for a person, such as one that logs in: call it meanwhile, and what it gives then. */
  readonly hold?: Hold | undefined;
}

/** State of the standing stream, over which a server sends what belongs to no request. */
export type StandingStreamState = "open" | "reconnecting" | "gave-up" | "closed";

/** Options of {@link createHttpLink}. */
export interface HttpClientOptions {
  /**
   * Sends every request. Wrap one to attach tokens: what it sets replaces `headers`. Default the global `fetch`, looked
   * up at each request.
   */
  fetch?: Fetch | undefined;
  /**
   * Sent with every request to the server's own origin. Those of the protocol itself, such as `Mcp-Session-Id`, are never
   * taken from here; whatever `fetch` sets takes precedence.
   */
  headers?: HeaderSource | undefined;
  /** `"auto"` opens the standing stream after the handshake, where the server has one; `false` never. Default `"auto"`. */
  standingStream?: "auto" | false | undefined;
  /** How broken streams are opened again. */
  reconnect?: ReconnectOptions | undefined;
  /** When a message refused with 429 or 503 is sent again; `false` never. */
  retry?: RetryOptions | false | undefined;
  /** Largest message that is taken, in bytes. Default 33 554 432 (32 MiB). */
  maxMessageBytes?: number | undefined;
  /** Whether `close` ends the session on the server. Default true. */
  terminateOnClose?: boolean | undefined;
  /** How long `close` waits for the server to end the session, in milliseconds. Default 3 000. */
  terminateTimeoutMs?: number | undefined;
  /** Told of every change of the standing stream, with the fault that caused it where there is one. */
  onStateChange?: ((state: StandingStreamState, cause: McpError | undefined) => void) | undefined;
  /** Told of what had to be dropped or tolerated. */
  onDiagnostic?: OnDiagnostic | undefined;
  /** Whose time is used. Default the system's. */
  clock?: Clock | undefined;
  /** Source of jitter, from 0 to 1. Default `Math.random`. */
  random?: (() => number) | undefined;
}

/** {@link HttpClientOptions}, checked and complete. */
export interface ResolvedHttpOptions {
  readonly url: URL;
  readonly fetch: Fetch;
  readonly headers: { readonly [name: string]: string };
  readonly standingStream: boolean;
  readonly reconnect: ReconnectPolicy;
  readonly retry: RetryPolicy;
  readonly maxMessageBytes: number;
  readonly terminateOnClose: boolean;
  readonly terminateTimeoutMs: number;
  readonly onStateChange: (state: StandingStreamState, cause: McpError | undefined) => void;
  readonly report: OnDiagnostic;
  readonly clock: Clock;
}

/**
 * Checks the options and fills in the defaults.
 *
 * @throws {@link UsageError} when the URL or an option cannot work
 */
export function resolveHttpOptions(url: string | URL, options: HttpClientOptions): ResolvedHttpOptions {
  const random = options.random ?? Math.random;
  const { retry, maxMessageBytes = 32 * 1_048_576, terminateTimeoutMs = 3_000 } = options;
  if (!(maxMessageBytes > 0)) {
    throw new UsageError(`maxMessageBytes: expected a number above 0, got ${maxMessageBytes}`);
  }
  return {
    url: resolveUrl(url),
    fetch: options.fetch ?? ((target, init) => globalThis.fetch(target, init)),
    headers: withoutProtocolHeaders(resolveHeaders(options.headers)),
    standingStream: options.standingStream !== false,
    reconnect: resolveReconnect(options.reconnect, random),
    retry: {
      maxRetries: retry === false ? 0 : (retry?.maxRetries ?? 3),
      maxDelayMs: (retry === false ? undefined : retry?.maxDelayMs) ?? 30_000,
      random,
    },
    maxMessageBytes,
    terminateOnClose: options.terminateOnClose ?? true,
    terminateTimeoutMs,
    onStateChange: (state, cause) => options.onStateChange?.(state, cause),
    report: (diagnostic) => options.onDiagnostic?.(diagnostic),
    clock: options.clock ?? systemClock,
  };
}

/** Each message has those that it needs, and only those [M-HTTP-013] [M-HTTP-015]. */
function withoutProtocolHeaders(headers: { readonly [name: string]: string }): { readonly [name: string]: string } {
  const { protocolVersion, sessionId, lastEventId } = headerNames;
  const owned = new Set<string>([protocolVersion, sessionId, lastEventId, ...Object.values(standardHeaderNames)]);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !owned.has(name)));
}

function resolveUrl(given: string | URL): URL {
  const url = parseUrl(String(given));
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    const came = url === undefined ? "a text that is no absolute URL" : `one of scheme ${url.protocol}`;
    throw new UsageError(`expected the URL of an MCP endpoint, beginning with https: or http:, got ${came}`);
  }
  if (url.username !== "" || url.password !== "") {
    throw new UsageError("expected a URL without user name and password: send them in an authorization header");
  }
  url.hash = "";
  return url;
}

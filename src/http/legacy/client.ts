/**
 * Entry "./http/legacy/client": HTTP+SSE for clients, alone or as what a server that knows nothing newer is reached by.
 *
 * Specification: Basic > Transports > Backwards compatibility; in the first revision, HTTP with SSE.
 */
import { UsageError } from "../../base/error.ts";
import type { Channel, Link } from "../../jsonrpc/link.ts";
import type { McpContext } from "../../revision/exchange.ts";
import { type HttpClientOptions, resolveHttpOptions } from "../client/options.ts";
import { type LegacyChannelOptions, LegacyClientChannel } from "./client-channel.ts";
import { CompatibleLink, type HttpTransport } from "./compatible-link.ts";

/** Options of {@link createLegacyHttpChannel}: those of Streamable HTTP that have a meaning here, and one more. */
export interface LegacyHttpClientOptions
  extends Pick<
    HttpClientOptions,
    "fetch" | "headers" | "retry" | "maxMessageBytes" | "onDiagnostic" | "clock" | "random"
  > {
  /** How long the server may take to say where messages go, in milliseconds. Default 10 000. */
  endpointTimeoutMs?: number | undefined;
}

/** Options of {@link createCompatibleHttpLink}. */
export interface CompatibleHttpOptions extends HttpClientOptions, Pick<LegacyHttpClientOptions, "endpointTimeoutMs"> {
  /** Which transport the server is known to speak, such as from an earlier `onTransport`. Default: it is found out. */
  transport?: HttpTransport | undefined;
  /** Told once which transport the server speaks, to be remembered for this URL. */
  onTransport?: ((transport: HttpTransport) => void) | undefined;
}

/** A link to a server of either transport. */
export interface CompatibleHttpLink extends Link<McpContext> {
  /** Which transport the server speaks; `undefined` until `initialize` has shown it. */
  readonly transport: HttpTransport | undefined;
}

/**
 * Makes a channel to a server that speaks HTTP+SSE. The configured headers go with the event stream and with every
 * message. A lost event stream ends the channel, as the server has then forgotten the session: make a new one.
 * Specification (first revision): Basic > Transports > HTTP with SSE [O24-001] [O24-025].
 *
 * @param url - the URL of the event stream, `https:` or `http:`
 * @throws {@link UsageError} when the URL, a header or another option cannot work
 * @example
 * ```ts
 * import { connect } from "parley-mcp/connect";
 * import { createLegacyHttpChannel } from "parley-mcp/http/legacy/client";
 *
 * const channel = createLegacyHttpChannel("https://example.com/sse", { headers: { "x-tenant": "blue" } });
 * export const session = connect(channel);
 * ```
 */
export function createLegacyHttpChannel(url: string | URL, options: LegacyHttpClientOptions = {}): Channel {
  return new LegacyClientChannel(resolveLegacyOptions(url, options));
}

/**
 * Makes a link to a server of either transport: `initialize` goes out as Streamable HTTP, and where that is refused with
 * 400, 404, 405, 406, 410 or 415, once more over HTTP+SSE at the same URL. The first that works is used from then on.
 * Where both fail, the error has the status or code of the first and names both outcomes; `cause.errors` holds them.
 * Specification: Basic > Transports > Backwards compatibility [HTTP-053] [O24-011].
 *
 * @param url - what the user calls the server's URL
 * @throws {@link UsageError} when the URL, a header or another option cannot work
 * @example
 * ```ts
 * import { connect } from "parley-mcp/connect";
 * import { createCompatibleHttpLink } from "parley-mcp/http/legacy/client";
 *
 * const known = new Map<string, "streamable" | "legacy">();
 *
 * export function open(url: string): ReturnType<typeof connect> {
 *   const link = createCompatibleHttpLink(url, {
 *     transport: known.get(url),
 *     onTransport: (transport) => known.set(url, transport),
 *   });
 *   return connect(link);
 * }
 * ```
 */
export function createCompatibleHttpLink(url: string | URL, options: CompatibleHttpOptions = {}): CompatibleHttpLink {
  const { endpointTimeoutMs, transport, onTransport, ...http } = options;
  return new CompatibleLink({
    http,
    legacy: resolveLegacyOptions(url, { ...http, endpointTimeoutMs }),
    transport,
    onTransport: (decided) => onTransport?.(decided),
  });
}

function resolveLegacyOptions(url: string | URL, options: LegacyHttpClientOptions): LegacyChannelOptions {
  const { endpointTimeoutMs = 10_000 } = options;
  if (!(endpointTimeoutMs > 0)) {
    throw new UsageError(`endpointTimeoutMs: expected a number above 0, got ${endpointTimeoutMs}`);
  }
  return { ...resolveHttpOptions(url, options), endpointTimeoutMs };
}

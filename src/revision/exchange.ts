/**
 * What an MCP exchange adds to a JSON-RPC one: the revision, the session, the caller, and the HTTP request.
 *
 * Edges make it, the server reads it. A session's state is plain data, so that any node can load it.
 */
import type { Call, Dispatcher, Exchange, LinkRequestOptions } from "../jsonrpc/link.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { readEnvelope } from "../protocol/envelope.ts";
import type { AuthInfo } from "../protocol/types/auth.ts";
import type { ClientCapabilities } from "../protocol/types/lifecycle.ts";
import type { LoggingLevel } from "../protocol/types/logging.ts";
import type { Implementation } from "../protocol/types/metadata.ts";
import type { Revision } from "./revision.ts";

/** What a server remembers of one peer between its messages. Plain JSON. */
export interface SessionState {
  /** The negotiated revision's id. */
  readonly revision: string;
  readonly clientInfo: Implementation;
  readonly capabilities: ClientCapabilities;
  /** Whether `notifications/initialized` has come, after which the server may ask things. */
  readonly initialized: boolean;
  /** Set by `logging/setLevel`. */
  readonly logLevel?: LoggingLevel;
  /** URIs of subscribed resources. */
  readonly subscriptions?: readonly string[];
}

/** One peer that a handshake made known, over a pipe or over HTTP. */
export interface Session {
  /** The HTTP session id, or a random one that never travels. */
  readonly id: string;
  /** `undefined` until `initialize` has succeeded. */
  readonly state: SessionState | undefined;
  /** Whose session it is, where callers are identified. */
  readonly auth: AuthInfo | undefined;
  /** Aborts when the session ends. */
  readonly signal: AbortSignal;
  /** Replaces the state; it is kept before this resolves. */
  save(state: SessionState): Promise<void>;
  /** Sends a notification that belongs to no request. */
  notify(call: Call): Promise<void>;
  /** Asks the client something that belongs to no request. */
  request(call: Call, options?: LinkRequestOptions): Promise<JsonObject>;
}

/** The HTTP request a message came in, for handlers to read. */
export interface HttpDetails {
  readonly method: string;
  /** Path and query as received. */
  readonly url: string;
  /** A header's value; names are case-insensitive, several values are joined by a comma. */
  header(name: string): string | undefined;
}

/** The context of every inbound message. */
export interface McpContext {
  /** The revision this message is written in. */
  readonly revision: Revision;
  /** `undefined` for a request that stands for itself. */
  readonly session: Session | undefined;
  /**
   * What a request of a stateless revision says about itself, or what is wrong with that; `undefined` for messages of
   * the handshake revisions.
   */
  readonly envelope?: ReturnType<typeof readEnvelope> | undefined;
  /** Ids of the revisions that are served where the message came in, newest first. Default: all there are. */
  readonly served?: readonly string[] | undefined;
  /** Who calls, where that was verified. */
  readonly auth: AuthInfo | undefined;
  /** `undefined` on links other than HTTP. */
  readonly http: HttpDetails | undefined;
}

/** An exchange as servers and clients get it. */
export interface McpExchange extends Exchange<McpContext> {
  /** Ends the connection that carries this exchange, not the exchange: the client comes back for the rest. */
  closeStream?(): void;
}

/** What an edge delivers to. */
export type McpDispatcher = Dispatcher<McpContext>;

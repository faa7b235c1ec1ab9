/**
 * What an MCP exchange adds to a JSON-RPC one: the revision, the session, the caller, and the HTTP request.
 *
 * Edges make it, the server reads it. A session's state is plain data, so that any node can load it.
 */
import type { Call, Dispatcher, Exchange, LinkRequestOptions } from "../jsonrpc/link.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { ListKind } from "../protocol/changes.ts";
import type { readEnvelope } from "../protocol/envelope.ts";
import type { AuthInfo } from "../protocol/types/auth.ts";
import type { ClientCapabilities } from "../protocol/types/lifecycle.ts";
import type { LoggingLevel } from "../protocol/types/logging.ts";
import type { Implementation } from "../protocol/types/metadata.ts";
import type { Store } from "../store/contracts.ts";
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
  /** The lists whose changes the client was promised to hear of, in the handshake. */
  readonly listChanges?: readonly ListKind[];
  /** How often the client has said that its roots changed; roots that were asked for before are not used after that. */
  readonly rootsChanges?: number;
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
  /**
   * Changes the state; it is kept, wherever that is, before this resolves.
   *
   * @param change - pure; runs again on the newer state where another node was quicker. What it throws is thrown here.
   */
  update(change: (state: SessionState | undefined) => SessionState): Promise<void>;
  /**
   * Whether the edge tells the client of changes by itself, following the feed of them in the dispatcher's store, also
   * what happened while no node had the client connected. Otherwise the dispatcher tells it by `notify`.
   */
  readonly hearsChanges: boolean;
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
export interface McpDispatcher extends Dispatcher<McpContext> {
  /** Where it keeps what outlives a request; edges keep theirs there too. Default: each in a memory of its own. */
  readonly store?: Store | undefined;
}

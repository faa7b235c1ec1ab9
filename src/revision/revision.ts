/**
 * What a revision of the protocol is to the rest of the library: data and pure steps, asked by trait and by method.
 *
 * Shared code never compares dates. The neutral model of `protocol/` is the newest revision; what an older one lacks
 * is taken away at the edge, by `encode`, and what it writes differently is put right by `decode`.
 */
import type { RpcError } from "../jsonrpc/error.ts";
import type { JsonObject, JsonRpcErrorObject } from "../jsonrpc/message.ts";

/** Who receives a method. */
export type Receiver = "server" | "client";

/** What shared code asks of a revision. */
export interface RevisionTraits {
  /** Several messages may travel in one array. */
  readonly batching: boolean;
  /** HTTP requests after the handshake name the revision in `MCP-Protocol-Version`. */
  readonly versionHeader: boolean;
  /** Event streams may begin with an empty event, say `retry`, and be ended early by the server. */
  readonly polling: boolean;
  /** A server may send requests while it works on one. */
  readonly serverRequests: boolean;
  /** Over HTTP, a client that closes the stream of a request cancels it. */
  readonly closeCancels: boolean;
  /** Results say how long, and for whom, they may be used again. */
  readonly cacheHints: boolean;
  /**
   * How requests become tasks: not at all, because their sender asks for it (`core`), or by the server's choice
   * (`extension`).
   */
  readonly tasks: "none" | "core" | "extension";
}

/** One dated edition of the protocol. */
export interface Revision {
  /** Its date, as it goes over the wire. For display and for the wire, not for comparing. */
  readonly id: string;
  /** Whether a connection begins with `initialize`, or each request stands for itself. */
  readonly lifecycle: "handshake" | "stateless";
  readonly traits: RevisionTraits;
  /** Whether the revision knows a request or notification that `receiver` gets. */
  has(method: string, receiver: Receiver): boolean;
  /** Params of a request or notification, neutral to wire. */
  encodeParams(method: string, params: JsonObject | undefined): JsonObject | undefined;
  /** Params of a request or notification, wire to neutral. */
  decodeParams(method: string, params: JsonObject | undefined): JsonObject | undefined;
  /** A result, neutral to wire. */
  encodeResult(method: string, result: JsonObject): JsonObject;
  /** A result, wire to neutral. */
  decodeResult(method: string, result: JsonObject): JsonObject;
  /** An error, neutral to wire: some codes differ. */
  encodeError(error: RpcError): JsonRpcErrorObject;
}

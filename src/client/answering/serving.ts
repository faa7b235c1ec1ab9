/** How a client answers a server's request: the shape of every handler, whatever the feature. */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ServerDetails } from "../sessions/server-details.ts";
import type { BlockedCall } from "./blocked-call.ts";

/** What every handler of a server's request is given beside the params. */
export interface ServingContext {
  /** Who asks. Name it to the person [ELIC-016]. */
  readonly server: ServerDetails;
  /** Aborts when the server withdraws the request or the session ends. */
  readonly signal: AbortSignal;
  /** The call that waits for the answer, where the server said which: retry or give up by hand. */
  readonly blockedCall?: BlockedCall | undefined;
}

/**
 * Answers one request of the protocol, whose params have been checked by then. Which params those are depends on the
 * method, so only whoever looked the handler up by its method may call it.
 */
export type RequestHandler = (params: never, context: ServingContext) => JsonObject | Promise<JsonObject>;

/**
 * Answers one request outside the protocol. An `RpcError` it throws is sent as it is; whatever else it throws becomes an internal error
 * without details, and a diagnostic.
 */
export type ServeRequest = (params: JsonObject, context: ServingContext) => JsonObject | Promise<JsonObject>;

/** A session as handlers see it: who is there, and the way to send what belongs to no request. */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { RequestOptions } from "../../protocol/outgoing.ts";
import type { AuthInfo } from "../../protocol/types/auth.ts";
import type { ClientCapabilities } from "../../protocol/types/lifecycle.ts";
import type { Implementation } from "../../protocol/types/metadata.ts";
import type { Log } from "../logging/log.ts";

/** One client's session, for sending what belongs to no request. Specification: Basic > Lifecycle. */
export interface ServerSession {
  /** Random; over HTTP it is the session id. Not a proof of identity. */
  readonly id: string;
  /** What the client calls itself, unverified. */
  readonly clientInfo: Implementation | undefined;
  readonly capabilities: ClientCapabilities;
  /** The revision spoken, for display. */
  readonly revision: string | undefined;
  /** Whose session it is, where callers are identified. */
  readonly auth: AuthInfo | undefined;
  /** Aborts when the session ends. */
  readonly signal: AbortSignal;
  /** Log messages that belong to no request. */
  readonly log: Log;
  /** Sends a notification that belongs to no request. */
  notify(method: string, params?: JsonObject): Promise<void>;
  /** Asks the client something that belongs to no request; refused where the client did not declare it. */
  request(method: string, params?: JsonObject, options?: RequestOptions): Promise<JsonObject>;
  /** Resolves when the client answered. Specification: Basic > Utilities > Ping. */
  ping(options?: RequestOptions): Promise<void>;
}

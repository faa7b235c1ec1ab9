/**
 * The stream of a session for what belongs to no request, as those see it who write to it: opened by GET, one connection
 * at a time, on any node.
 *
 * There are two: kept-standing.ts, which a client can resume, and live-standing.ts, which is its connection.
 * Specification: Basic > Transports > Listening for messages from the server.
 */
import type { Call, LinkRequestOptions } from "../../jsonrpc/link.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { StreamReply } from "../message.ts";
import type { Asking } from "./questions.ts";
import type { HttpRuntime } from "./runtime.ts";
import { createUnreachableError } from "./unreachable.ts";

/** See the head of this file. */
export interface StandingStream {
  /** Whether a client is connected on this node. */
  readonly isConnected: boolean;
  /**
   * Connects a client that does not say where it was. One that was connected, on whichever node, is let go [PP-007].
   *
   * @throws what the store rejects with
   */
  connect(): Promise<StreamReply>;
  /** Sends a notification, or reports that nobody will get it. */
  notify(call: Call): Promise<void>;
  /** Asks the client, or fails at once where it could not be reached [PP-043]. */
  ask(call: Call, options: LinkRequestOptions, questions: Pick<Asking, "ask">): Promise<JsonObject>;
  /** Ends the connection, on whichever node; the client comes back [HTTP-018]. */
  suspend(): void;
  /** Another node has the client. */
  supersede(): void;
  /** The session has ended. */
  finish(): Promise<void>;
  /** This node stops: the client goes on elsewhere. @returns when the store knows how far it is */
  release(): Promise<void>;
}

/** Reports a notification that nobody will get. */
export function reportUnsent(runtime: HttpRuntime, { method }: Call): void {
  const what = `${method} was dropped: the client has no event stream open and is not expected to open one`;
  runtime.report("MCP_D_NOTIFICATION_UNSENT", what);
}

/** The error of a question that cannot reach the client. */
export function createDeafError({ method }: Call): Error {
  const why =
    "it has no event stream open (GET) and is not expected to open one; " +
    "ask while a request of the client is in progress, through that request's own context";
  return createUnreachableError(method, why);
}

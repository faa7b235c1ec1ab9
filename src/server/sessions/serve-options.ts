/** Serving one channel: what may be said about it, and the handle that comes back. */
import type { McpError } from "../../base/error.ts";
import type { AuthInfo } from "../../protocol/types/auth.ts";
import type { ServerSession } from "./session.ts";

/** Options of a pipe. */
export interface PipeOptions {
  /**
   * Revisions that are served, as they go over the wire. Which one holds is decided by the handshake, or by each request
   * for itself. Default: all.
   */
  revisions?: readonly string[] | undefined;
  /** Who is at the other end, where that is known. */
  auth?: AuthInfo | undefined;
  /** Requests worked on at once; one more is refused. Default 1 000. */
  maxConcurrentRequests?: number | undefined;
}

/** Options of keeping a session alive. */
export interface KeepAliveOptions {
  /** From one answer to the next ping, in milliseconds. */
  intervalMs: number;
  /** How long an answer may take, in milliseconds. Default 10 000. */
  timeoutMs?: number | undefined;
  /** Unanswered pings in a row after which the session counts as dead. Default 3. */
  maxFailures?: number | undefined;
  /** Called then. Default: the session is closed. */
  onDead?: ((session: ServerSession) => void) | undefined;
}

/** Options of serving one channel. */
export interface ServeOptions extends PipeOptions {
  /** Pings while the session lives. Default: none. */
  keepAlive?: KeepAliveOptions | undefined;
}

/** One channel being served. */
export interface ServeHandle {
  readonly session: ServerSession;
  /** Resolves when it has ended: with the fault that ended it, or with nothing. */
  readonly closed: Promise<McpError | undefined>;
  /** Requests open in both directions. */
  readonly openRequests: { readonly inbound: number; readonly outbound: number };
  /** Ends it: work in progress is aborted, the channel closed. */
  close(): Promise<void>;
}

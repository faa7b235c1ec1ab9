/**
 * The HTTP+SSE sessions of one handler: found by id, bounded in number, ended when silent for too long.
 */
import { ClosedError, type McpError, UsageError } from "../../base/error.ts";
import { isSamePrincipal } from "../../protocol/principal.ts";
import type { AuthInfo } from "../../protocol/types/auth.ts";
import { DelayQueue } from "../server/delay-queue.ts";
import type { ResolvedHttpServerOptions } from "../server/options.ts";
import type { LiveConnection } from "../server/runtime.ts";
import { LegacySession } from "./server-session.ts";

/** What bounds the sessions. */
export interface LegacySessionLimits {
  readonly idleTimeoutMs: number;
  readonly maxSessions: number;
  readonly createSessionId: () => string;
}

/** Sessions by id. */
export class LegacySessionTable {
  readonly #sessions = new Map<string, LegacySession>();
  readonly #limits: LegacySessionLimits;
  readonly #options: ResolvedHttpServerOptions;
  readonly #idle: DelayQueue<LegacySession>;
  readonly #keepAlive: DelayQueue<LiveConnection>;

  constructor(limits: LegacySessionLimits, options: ResolvedHttpServerOptions) {
    const { idleTimeoutMs } = limits;
    this.#limits = limits;
    this.#options = options;
    this.#idle = new DelayQueue(options.clock, idleTimeoutMs, (session) => {
      session.end(new ClosedError(`the session was idle for ${idleTimeoutMs} ms`));
    });
    this.#keepAlive = new DelayQueue(options.clock, options.keepAliveMs, (connection) => connection.keepAlive());
  }

  /** How many sessions are open. */
  get size(): number {
    return this.#sessions.size;
  }

  /** Somebody else's session is as unknown as one that has ended, so that nothing can be learned by trying ids. */
  find(id: string, auth: AuthInfo | undefined): LegacySession | undefined {
    const session = this.#sessions.get(id);
    return session !== undefined && isSamePrincipal(session.auth, auth) ? session : undefined;
  }

  /**
   * A new session; `undefined` when there are too many.
   *
   * @throws UsageError when the configured generator repeats itself
   */
  open(auth: AuthInfo | undefined): LegacySession | undefined {
    if (this.#sessions.size >= this.#limits.maxSessions) {
      return undefined;
    }
    const id = this.#limits.createSessionId();
    if (this.#sessions.has(id)) {
      throw new UsageError("sessions.createSessionId: expected an id that is not in use; make ids random");
    }
    const session = new LegacySession(id, auth, {
      keepAlive: this.#keepAlive,
      maxBufferedBytes: this.#options.maxBufferedBytes,
      active: (active) => this.#idle.add(active),
      ended: (ended, fault) => this.#forget(ended, fault),
    });
    this.#sessions.set(id, session);
    this.#idle.add(session);
    return session;
  }

  /** Ends all sessions. */
  close(reason: McpError): void {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    for (const session of sessions) {
      session.end(reason);
    }
    this.#idle.clear();
    this.#keepAlive.clear();
  }

  #forget(session: LegacySession, fault: McpError | undefined): void {
    const isUnexpected = this.#sessions.delete(session.id) && fault !== undefined;
    this.#idle.delete(session);
    if (isUnexpected) {
      this.#options.onDiagnostic?.({ code: "MCP_D_SESSION_ENDED", message: fault.message });
    }
  }
}

/**
 * The HTTP+SSE sessions of one handler: found by id, bounded in number, ended when silent for too long.
 */
import { ClosedError, type McpError, UsageError } from "../../base/error.ts";
import { isSamePrincipal } from "../../protocol/principal.ts";
import type { AuthInfo } from "../../protocol/types/auth.ts";
import { DelayQueue } from "../server/delay-queue.ts";
import type { ResolvedHttpServerOptions } from "../server/options.ts";
import type { LiveConnection } from "../server/runtime.ts";
import type { Mailboxes } from "./server-mailbox.ts";
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
  /** `undefined` where there is no other node. */
  readonly #mailboxes: Mailboxes | undefined;
  readonly #idle: DelayQueue<LegacySession>;
  readonly #keepAlive: DelayQueue<LiveConnection>;
  /** What is still being told to the store. */
  readonly #closing = new Set<Promise<void>>();

  constructor(limits: LegacySessionLimits, options: ResolvedHttpServerOptions, mailboxes: Mailboxes | undefined) {
    const { idleTimeoutMs } = limits;
    this.#limits = limits;
    this.#options = options;
    this.#mailboxes = mailboxes;
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
   * A new session, which other nodes can reach; `undefined` when there are too many.
   *
   * @throws UsageError when the configured generator repeats itself; what the store rejects with
   */
  async open(auth: AuthInfo | undefined): Promise<LegacySession | undefined> {
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
      active: (active) => {
        this.#idle.add(active);
        this.#mailboxes?.renew(active);
      },
      ended: (ended, fault) => this.#forget(ended, fault),
    });
    this.#sessions.set(id, session);
    this.#idle.add(session);
    try {
      await this.#mailboxes?.open(session);
    } catch (error) {
      session.end(undefined);
      throw error;
    }
    return session;
  }

  /** Ends all sessions. Resolves when other nodes can know. Never rejects. */
  async close(reason: McpError): Promise<void> {
    const sessions = [...this.#sessions.values()];
    this.#sessions.clear();
    for (const session of sessions) {
      session.end(reason);
    }
    this.#idle.clear();
    this.#keepAlive.clear();
    await Promise.all(this.#closing);
    await this.#report(this.#mailboxes?.end());
  }

  #forget(session: LegacySession, fault: McpError | undefined): void {
    const isUnexpected = this.#sessions.delete(session.id) && fault !== undefined;
    this.#idle.delete(session);
    const closing = this.#report(this.#mailboxes?.close(session));
    this.#closing.add(closing);
    void closing.finally(() => this.#closing.delete(closing));
    if (isUnexpected) {
      this.#options.onDiagnostic?.({ code: "MCP_D_SESSION_ENDED", message: fault.message });
    }
  }

  async #report(working: Promise<void> | undefined): Promise<void> {
    try {
      await working;
    } catch (detail) {
      const message = "the store was not told of the end of an HTTP+SSE session; it forgets it by itself later";
      this.#options.onDiagnostic?.({ code: "MCP_D_STORE_FAILED", message, detail });
    }
  }
}

/**
 * The sessions of one handler: found by id, bounded in number, ended when idle for too long.
 */
import { UsageError } from "../../base/error.ts";
import { SessionExpiredError } from "../../protocol/errors.ts";
import { isSamePrincipal } from "../../protocol/principal.ts";
import type { AuthInfo } from "../../protocol/types/auth.ts";
import { isSessionId } from "../headers.ts";
import type { TextReply } from "../message.ts";
import { createRefusal } from "../status.ts";
import { DelayQueue } from "./delay-queue.ts";
import type { ResolvedSessionOptions } from "./options.ts";
import type { HttpRuntime } from "./runtime.ts";
import { HttpSession } from "./session.ts";

/** Sessions by id. */
export class SessionTable {
  readonly #sessions = new Map<string, HttpSession>();
  readonly #idle: DelayQueue<HttpSession>;
  readonly #runtime: HttpRuntime;
  readonly #options: ResolvedSessionOptions;

  constructor(runtime: HttpRuntime, options: ResolvedSessionOptions) {
    this.#runtime = runtime;
    this.#options = options;
    this.#idle = new DelayQueue(runtime.options.clock, options.idleTimeoutMs, (session) => {
      this.end(session, new SessionExpiredError(`the session was idle for ${options.idleTimeoutMs} ms`));
    });
  }

  /** How many sessions are open. */
  get size(): number {
    return this.#sessions.size;
  }

  /**
   * The session with this id, which thereby is no longer idle. Somebody else's session is as unknown as one that has ended, so that nothing can be
   * learned by trying ids [SEC-019].
   */
  find(id: string, auth: AuthInfo | undefined): HttpSession | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined || !isSamePrincipal(session.auth, auth)) {
      return undefined;
    }
    this.#watch(session);
    return session;
  }

  /**
   * A new session; `undefined` when there are too many.
   *
   * @throws UsageError when the configured generator makes unusable ids
   */
  open(auth: AuthInfo | undefined): HttpSession | undefined {
    if (this.#sessions.size >= this.#options.maxSessions) {
      return undefined;
    }
    const id = this.#options.createSessionId();
    if (!isSessionId(id)) {
      throw new UsageError("sessions.createSessionId: expected 1 to 256 characters of visible ASCII (0x21 to 0x7E)");
    }
    if (this.#sessions.has(id)) {
      throw new UsageError("sessions.createSessionId: expected an id that is not in use; make ids random");
    }
    const session = new HttpSession(this.#runtime, id, auth, (changed) => this.#watch(changed));
    this.#sessions.set(id, session);
    this.#idle.add(session);
    return session;
  }

  /** Ends a session. */
  end(session: HttpSession, reason: unknown, reply: TextReply = sessionEnded()): void {
    this.#sessions.delete(session.id);
    this.#idle.delete(session);
    session.end(reason, reply);
  }

  /** Ends all sessions. */
  close(reason: unknown, reply: TextReply): void {
    for (const session of [...this.#sessions.values()]) {
      this.end(session, reason, reply);
    }
    this.#idle.clear();
  }

  /** A session in use is not idle; one that is no longer in use starts to be. */
  #watch(session: HttpSession): void {
    if (session.isBusy) {
      this.#idle.delete(session);
    } else if (this.#sessions.has(session.id)) {
      this.#idle.add(session);
    }
  }
}

/** What a request gets whose session has ended or never was [HTTP-045]. */
export function sessionEnded(): TextReply {
  return createRefusal(
    "sessionUnknown",
    "Mcp-Session-Id: no such session; it may have ended: send initialize without it",
  );
}

/**
 * The sessions that a node has something of: found by id, bounded in number, given up when they have ended anywhere.
 *
 * A session is idle where nothing was heard of it for a while on any node; then its record is gone, and so it ends here.
 * Specification: Basic > Transports > Session management.
 */
import { ClosedError, UsageError } from "../../base/error.ts";
import { createId } from "../../base/id.ts";
import { SessionExpiredError } from "../../protocol/errors.ts";
import { toPrincipalKey } from "../../protocol/principal.ts";
import type { AuthInfo } from "../../protocol/types/auth.ts";
import { isSessionId } from "../headers.ts";
import type { TextReply } from "../message.ts";
import { createRefusal } from "../status.ts";
import { DelayQueue } from "./delay-queue.ts";
import type { ResolvedSessionOptions } from "./options.ts";
import { type Exceeded, Quota } from "./quota.ts";
import type { HttpRuntime } from "./runtime.ts";
import { HttpSession, type SessionKeeper, type StreamEnd } from "./session.ts";
import { type RecordPlace, SessionRecord } from "./session-record.ts";

/** A session that is held, and what takes it off the quota. */
interface Held {
  readonly session: HttpSession;
  readonly release: () => void;
}

/** Sessions by id. */
export class SessionTable implements SessionKeeper {
  readonly #held = new Map<string, Held>();
  /** Those that are about to be held because a request for them has come. */
  readonly #joining = new Map<string, Promise<HttpSession | undefined>>();
  readonly #idle: DelayQueue<HttpSession>;
  readonly #busy: DelayQueue<HttpSession>;
  readonly #runtime: HttpRuntime;
  readonly #options: ResolvedSessionOptions;
  readonly #place: RecordPlace;
  readonly #quota: Quota;
  #isClosed = false;

  constructor(runtime: HttpRuntime, options: ResolvedSessionOptions) {
    const { clock } = runtime.options;
    const { idleTimeoutMs, maxSessions, maxSessionsPerCaller } = options;
    this.#runtime = runtime;
    this.#options = options;
    this.#place = { store: runtime.store, clock, ttlMs: idleTimeoutMs };
    this.#quota = new Quota({ total: maxSessions, perCaller: maxSessionsPerCaller });
    this.#idle = new DelayQueue(clock, idleTimeoutMs, (session) => this.doubtful(session));
    // However long something is open here, the record must not end meanwhile.
    this.#busy = new DelayQueue(clock, idleTimeoutMs / 3, (session) => this.active(session));
  }

  /** How many sessions this node has something of. */
  get size(): number {
    return this.#held.size;
  }

  /** Questions to clients that wait for their answer. */
  get questions(): number {
    let questions = 0;
    for (const { session } of this.#held.values()) {
      questions += session.questions.size;
    }
    return questions;
  }

  /**
   * The session with this id as the store has it now, which thereby is no longer idle. Somebody else's session is as
   * unknown as one that has ended, so that nothing can be learned by trying ids [SEC-019].
   *
   * @throws what the store rejects with; ClosedError where the table was closed meanwhile
   */
  async find(id: string, auth: AuthInfo | undefined): Promise<HttpSession | undefined> {
    const session = this.#held.get(id)?.session;
    if (session === undefined) {
      return this.#admit(await this.#join(id), auth);
    }
    if (!session.record.isKept) {
      return undefined;
    }
    if (!(await session.record.refresh())) {
      this.#drop(session, new SessionExpiredError("the session has ended"));
      return undefined;
    }
    return this.#admit(session, auth);
  }

  /**
   * A new session, which begins with the first update of its record; or which limit leaves no room for it.
   *
   * @throws UsageError when the configured generator makes unusable ids; what the store rejects with
   */
  async open(auth: AuthInfo | undefined): Promise<HttpSession | Exceeded> {
    const principal = toPrincipalKey(auth);
    const exceeded = this.#quota.findExceeded(principal);
    if (exceeded !== undefined) {
      return exceeded;
    }
    const id = this.#options.createSessionId();
    if (!isSessionId(id)) {
      throw new UsageError("sessions.createSessionId: expected 1 to 256 characters of visible ASCII (0x21 to 0x7E)");
    }
    if (this.#held.has(id)) {
      throw new UsageError("sessions.createSessionId: expected an id that is not in use; make ids random");
    }
    const record = new SessionRecord(this.#place, { id, owner: createId(10), principal });
    const session = new HttpSession(this.#runtime, record, auth, this);
    this.#hold(session);
    try {
      await session.channel.open();
    } catch (error) {
      this.discard(session);
      throw error;
    }
    this.#assertOpen();
    return session;
  }

  /**
   * Ends a session on all nodes.
   *
   * @throws what the store rejects with; the session goes on then
   */
  async end(session: HttpSession, reason: SessionExpiredError): Promise<void> {
    await session.record.delete();
    void session.channel.inform({ kind: "end", reason: reason.message });
    this.#drop(session, reason);
  }

  /** Forgets a session that never began. */
  discard(session: HttpSession): void {
    this.#drop(session, undefined);
  }

  /**
   * Ends what is open here of all sessions. They go on elsewhere.
   *
   * @returns when what other nodes need is in the store
   */
  async close(reason: unknown, reply: TextReply): Promise<void> {
    this.#isClosed = true;
    this.#idle.clear();
    this.#busy.clear();
    const sessions = [...this.#held.values()].map(({ session }) => session);
    await Promise.all(
      sessions.map((session) => {
        void session.channel.inform({ kind: "leave" });
        return this.#leave(session, reason, reply, "release");
      }),
    );
  }

  active(session: HttpSession): void {
    this.#watch(session);
    if (this.#holds(session) && session.record.isDue) {
      this.#check(session, session.record.renew(), "could not be kept alive");
    }
  }

  ended(session: HttpSession, reason: string): void {
    this.#drop(session, new SessionExpiredError(reason));
  }

  doubtful(session: HttpSession): void {
    // One that has yet to begin has no record that could be gone.
    if (!session.record.isKept) {
      return;
    }
    this.#check(session, session.record.refresh(), "could not be looked up");
  }

  /** Gives a session up whose record turns out to be gone, and goes on watching it otherwise. */
  #check(session: HttpSession, isThere: Promise<boolean>, failure: string): void {
    isThere.then(
      (found) => {
        if (!found) {
          const what = `the session was idle for ${this.#options.idleTimeoutMs} ms, or ended elsewhere`;
          this.#drop(session, new SessionExpiredError(what));
        } else {
          this.#watch(session);
        }
      },
      (error: unknown) => {
        this.#runtime.report("MCP_D_STORE_FAILED", `a session ${failure}`, error);
        this.#watch(session);
      },
    );
  }

  /** A session in use is not idle; one that is no longer in use starts to be. */
  #watch(session: HttpSession): void {
    if (!this.#holds(session)) {
      return;
    }
    const [to, from] = session.isBusy ? [this.#busy, this.#idle] : [this.#idle, this.#busy];
    from.delete(session);
    to.add(session);
  }

  #holds(session: HttpSession): boolean {
    return this.#held.get(session.id)?.session === session;
  }

  /** Looks for a session in the store that nothing is known of here. Whoever it belongs to is not looked at yet. */
  #join(id: string): Promise<HttpSession | undefined> {
    const joining = this.#joining.get(id) ?? this.#begin(id).finally(() => this.#joining.delete(id));
    this.#joining.set(id, joining);
    return joining;
  }

  async #begin(id: string): Promise<HttpSession | undefined> {
    const record = await SessionRecord.load(this.#place, id);
    if (record === undefined) {
      return undefined;
    }
    const session = new HttpSession(this.#runtime, record, undefined, this);
    try {
      await session.channel.open();
      // Its end may have been told before anybody listened here.
      const isThere = await record.refresh();
      this.#assertOpen();
      if (isThere) {
        this.#hold(session);
        void session.channel.inform({ kind: "join" });
        return session;
      }
    } finally {
      if (!this.#holds(session)) {
        session.channel.close();
      }
    }
  }

  #admit(session: HttpSession | undefined, auth: AuthInfo | undefined): HttpSession | undefined {
    this.#assertOpen();
    if (session === undefined || !this.#holds(session) || session.record.principal !== toPrincipalKey(auth)) {
      return undefined;
    }
    session.auth = auth;
    this.active(session);
    return session;
  }

  #hold(session: HttpSession): void {
    this.#held.set(session.id, { session, release: this.#quota.take(session.record.principal) });
    this.#idle.add(session);
  }

  /** Ends what is open here of a session that has ended. */
  #drop(session: HttpSession, reason: unknown): void {
    void this.#leave(session, reason, sessionEnded(), "finish");
  }

  /** Forgets a session, and ends what is open of it here. Never rejects. */
  async #leave(session: HttpSession, reason: unknown, reply: TextReply, streams: StreamEnd): Promise<void> {
    if (this.#holds(session)) {
      this.#held.get(session.id)?.release();
      this.#held.delete(session.id);
    }
    this.#idle.delete(session);
    this.#busy.delete(session);
    try {
      await session.end(reason, reply, streams);
    } catch (error) {
      this.#runtime.report("MCP_D_STORE_FAILED", "the streams of a session could not be ended in the store", error);
    }
  }

  #assertOpen(): void {
    if (this.#isClosed) {
      throw new ClosedError("the HTTP handler was closed");
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

/**
 * One HTTP session: what the client negotiated, its requests in progress, its streams and the questions put to it.
 *
 * How many there may be and for how long is session-table.ts. Nothing here reads a header.
 * Specification: Basic > Transports > Session management.
 */
import type { Call, LinkRequestOptions } from "../../jsonrpc/link.ts";
import type { JsonObject, JsonRpcNotification } from "../../jsonrpc/message.ts";
import type { AuthInfo } from "../../protocol/types/auth.ts";
import type { Session, SessionState } from "../../revision/exchange.ts";
import { findHandshake, latestHandshake } from "../../revision/registry.ts";
import type { Revision } from "../../revision/revision.ts";
import type { TextReply } from "../message.ts";
import type { Delayed } from "./delay-queue.ts";
import type { PostHost } from "./post.ts";
import { Questions } from "./questions.ts";
import type { HttpRuntime } from "./runtime.ts";
import { SessionStreams } from "./session-streams.ts";
import { WorkInProgress } from "./work.ts";

/** A session. */
export class HttpSession implements Session, PostHost, Delayed {
  dueAt = 0;
  readonly id: string;
  readonly auth: AuthInfo | undefined;
  readonly runtime: HttpRuntime;
  readonly work: WorkInProgress;
  readonly streams: SessionStreams;
  readonly questions = new Questions();
  #state: SessionState | undefined;
  #revision: Revision = latestHandshake;
  #controller: AbortController | undefined;
  #end: { readonly reason: unknown } | undefined;

  /**
   * @param auth - whose session it is
   * @param onActivity - told whenever the session becomes busy or idle
   */
  constructor(
    runtime: HttpRuntime,
    id: string,
    auth: AuthInfo | undefined,
    onActivity: (session: HttpSession) => void,
  ) {
    const changed = (): void => onActivity(this);
    this.runtime = runtime;
    this.id = id;
    this.auth = auth;
    this.work = new WorkInProgress(runtime, changed);
    this.streams = new SessionStreams(runtime, () => this.#revision, changed);
  }

  get state(): SessionState | undefined {
    return this.#state;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#end !== undefined) {
        this.#controller.abort(this.#end.reason);
      }
    }
    return this.#controller.signal;
  }

  /** The negotiated revision. */
  get revision(): Revision {
    return this.#revision;
  }

  /** Whether requests are in progress or a client is connected. */
  get isBusy(): boolean {
    return this.work.requests > 0 || this.streams.connections > 0;
  }

  async save(state: SessionState): Promise<void> {
    this.#state = state;
    this.#revision = findHandshake(state.revision) ?? latestHandshake;
  }

  notify(call: Call): Promise<void> {
    return this.streams.standing.notify(call);
  }

  cancel(notification: JsonRpcNotification): void {
    this.work.cancel(notification);
  }

  request(call: Call, options: LinkRequestOptions = {}): Promise<JsonObject> {
    return this.streams.standing.ask(call, options, this.questions);
  }

  /**
   * Ends the session: requests are given up, streams end, what was kept is forgotten.
   *
   * @param reply - for requests of which nothing was answered yet
   */
  end(reason: unknown, reply: TextReply): void {
    if (this.#end !== undefined) {
      return;
    }
    this.#end = { reason };
    this.#controller?.abort(reason);
    this.work.abort(reason, reply);
    this.questions.drain(reason);
    this.streams.finish();
  }
}

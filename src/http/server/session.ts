/**
 * One HTTP session as far as it is open on this node: its requests in progress, its streams, the questions put to it.
 *
 * What it is stands in session-record.ts, how many there may be and for how long in session-table.ts. Nothing here reads
 * a header. Specification: Basic > Transports > Session management.
 */
import type { Call, LinkRequestOptions } from "../../jsonrpc/link.ts";
import type { JsonObject, JsonRpcNotification } from "../../jsonrpc/message.ts";
import type { ChangeAudience } from "../../protocol/changes.ts";
import type { AuthInfo } from "../../protocol/types/auth.ts";
import type { Session, SessionState } from "../../revision/exchange.ts";
import type { Revision } from "../../revision/revision.ts";
import type { TextReply } from "../message.ts";
import { Cancellation } from "./cancellation.ts";
import type { Delayed } from "./delay-queue.ts";
import { reportSettlement } from "./inbound.ts";
import type { PostHost } from "./post.ts";
import { type ClientAnswer, Questions } from "./questions.ts";
import type { HttpRuntime } from "./runtime.ts";
import { SessionChannel, type SessionMessage } from "./session-channel.ts";
import type { SessionRecord } from "./session-record.ts";
import { SessionStreams } from "./session-streams.ts";
import type { StreamOwner } from "./stream-owner.ts";
import { WorkInProgress } from "./work.ts";

/** Who looks after sessions. */
export interface SessionKeeper {
  /** The session has become busy or idle. */
  active(session: HttpSession): void;
  /** It was ended on another node. */
  ended(session: HttpSession, reason: string): void;
  /** It may have been ended on another node. */
  doubtful(session: HttpSession): void;
}

/** What becomes of what the streams have kept: nothing, or it stays for the nodes that go on. */
export type StreamEnd = "finish" | "release";

/** A session. */
export class HttpSession implements Session, PostHost, Delayed {
  dueAt = 0;
  readonly hearsChanges = true;
  readonly runtime: HttpRuntime;
  readonly record: SessionRecord;
  readonly channel: SessionChannel;
  readonly work: WorkInProgress;
  readonly streams: SessionStreams;
  readonly questions: Questions;
  /** Whoever made the newest request; always the one whose session it is. */
  auth: AuthInfo | undefined;
  readonly #cancellation: Cancellation;
  #settled: Promise<void> | undefined;
  #controller: AbortController | undefined;
  #end: { readonly reason: unknown } | undefined;

  constructor(runtime: HttpRuntime, record: SessionRecord, auth: AuthInfo | undefined, keeper: SessionKeeper) {
    const active = (): void => keeper.active(this);
    this.runtime = runtime;
    this.record = record;
    this.auth = auth;
    this.channel = new SessionChannel(runtime, record.id, {
      hear: (message, from) => this.#hear(message, from, keeper),
      missed: () => keeper.doubtful(this),
    });
    this.work = new WorkInProgress(runtime, active);
    this.streams = new SessionStreams(runtime, new Owner(record, this.channel, active));
    this.questions = new Questions(runtime.presence.id, (answer, node) => this.#forward(answer, node));
    this.#cancellation = new Cancellation(runtime, this.work, this.channel);
  }

  get id(): string {
    return this.record.id;
  }

  get state(): SessionState | undefined {
    return this.record.state;
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

  /** Whether requests are in progress or a client is connected. */
  get isBusy(): boolean {
    return this.work.size > 0 || this.streams.connections > 0;
  }

  /** Resolves when the changes under way are kept or have failed; nothing where there are none. */
  get settled(): Promise<void> | undefined {
    return this.#settled;
  }

  update(change: (state: SessionState | undefined) => SessionState): Promise<void> {
    const updated = this.#update(change);
    const settled = Promise.allSettled([this.#settled, updated]).then(() => {
      if (this.#settled === settled) {
        this.#settled = undefined;
      }
    });
    this.#settled = settled;
    return updated;
  }

  notify(call: Call): Promise<void> {
    return this.streams.standing.notify(call);
  }

  cancel(notification: JsonRpcNotification): void {
    this.#cancellation.cancel(notification);
  }

  request(call: Call, options: LinkRequestOptions = {}): Promise<JsonObject> {
    return this.streams.standing.ask(call, options, this.questions);
  }

  /**
   * Ends what is open here: requests are given up, streams end, questions fail.
   *
   * @param reply - for requests of which nothing was answered yet
   * @returns when what other nodes need is in the store
   */
  async end(reason: unknown, reply: TextReply, streams: StreamEnd): Promise<void> {
    if (this.#end !== undefined) {
      return;
    }
    this.#end = { reason };
    this.#controller?.abort(reason);
    this.work.abort(reason, reply);
    this.questions.drain(reason);
    this.#cancellation.close();
    this.channel.close();
    await this.streams[streams]();
  }

  /** Whoever holds the standing stream must know what the client wants to hear of before it changes again. */
  async #update(change: (state: SessionState | undefined) => SessionState): Promise<void> {
    const before = this.state;
    await this.record.update(change);
    const { state } = this;
    if (before !== undefined && state !== undefined && state !== before) {
      await this.channel.inform({ kind: "changed", state });
    }
  }

  #hear(message: SessionMessage, from: string, keeper: SessionKeeper): void {
    switch (message.kind) {
      case "end":
        keeper.ended(this, message.reason);
        break;
      case "changed":
        this.record.hear(message.state);
        // Messages of several nodes may overtake each other; what is kept is right.
        keeper.doubtful(this);
        break;
      case "standing":
        this.streams.releaseStanding();
        break;
      case "answer":
        this.#settle(message.answer).catch((error: unknown) => {
          this.runtime.report("MCP_D_STORE_FAILED", "an answer could not be sent on to the node that asked", error);
        });
        break;
      default:
        this.#cancellation.hear(message, from);
    }
  }

  /** An answer that came in at another node. */
  async #settle(answer: ClientAnswer): Promise<void> {
    if ("kind" in answer) {
      await this.questions.fail(answer);
    } else {
      reportSettlement(this.runtime, answer, await this.questions.settle(answer));
    }
  }

  #forward(answer: ClientAnswer, node: string): Promise<void> {
    if (!this.channel.peers.has(node)) {
      const what = "an answer was sent on to a node that has not been heard of; it may no longer be there";
      this.runtime.report("MCP_D_LATE_RESPONSE", what);
    }
    return this.channel.tell({ kind: "answer", answer }, node);
  }
}

/** A session as its streams see it. */
class Owner implements StreamOwner {
  readonly owner: string;
  readonly sessionId: string;
  readonly onActivity: () => void;
  readonly #record: SessionRecord;
  readonly #channel: SessionChannel;

  constructor(record: SessionRecord, channel: SessionChannel, onActivity: () => void) {
    this.owner = record.owner;
    this.sessionId = record.id;
    this.onActivity = onActivity;
    this.#record = record;
    this.#channel = channel;
  }

  get revision(): Revision {
    return this.#record.revision;
  }

  get audience(): ChangeAudience {
    return this.#record.audience;
  }

  claimStanding(): void {
    void this.#channel.inform({ kind: "standing" });
  }
}

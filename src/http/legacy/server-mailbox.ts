/**
 * What reaches a node that does not hold the session's stream: it goes into a box in the store, which the node that holds
 * the stream empties. A box is there for as long as its session is, and nobody answers for one whose holder has died.
 */
import { ClosedError } from "../../base/error.ts";
import { isObject, parseJson } from "../../base/json.ts";
import type { Clock } from "../../base/timer.ts";
import { toPrincipalKey } from "../../protocol/principal.ts";
import type { AuthInfo } from "../../protocol/types/auth.ts";
import type { LogEntry, Store } from "../../store/contracts.ts";
import { Feed, type FeedListener } from "../../store/feed.ts";
import { Presence } from "../../store/presence.ts";
import type { LegacySession } from "./server-session.ts";

/** What boxes share. */
export interface MailboxHost {
  readonly store: Store;
  readonly clock: Clock;
  /** How long a session may be silent, in milliseconds. */
  readonly idleTimeoutMs: number;
  /** How deeply a message may be nested. */
  readonly maxJsonDepth: number;
  report(code: string, message: string, detail: unknown): void;
}

/** What is not taken out by then was left there in vain. The oldest goes first, and its session ends with it. */
const limits = { ttlMs: 60_000, maxEntries: 1_000, maxBytes: 16_777_216 };

/** All boxes, as one node sees them. */
export class Mailboxes {
  readonly #host: MailboxHost;
  readonly #presence: Presence;
  /** Of the sessions whose streams this node holds. */
  readonly #held = new Map<string, Mailbox>();

  constructor(host: MailboxHost) {
    this.#host = host;
    this.#presence = new Presence(host.store, { clock: host.clock });
  }

  /**
   * Sets up the box of a session whose stream this node is about to hold.
   *
   * @throws what the store rejects with
   */
  async open(session: LegacySession): Promise<void> {
    await this.#presence.begin();
    const box = new Mailbox(session, this.#presence.id, this.#host);
    this.#held.set(session.id, box);
    await box.open();
  }

  /** Something was heard of a session, which puts off the end of its box. */
  renew(session: LegacySession): void {
    this.#held.get(session.id)?.renew();
  }

  /** A session has ended. */
  close(session: LegacySession): Promise<void> {
    const box = this.#held.get(session.id);
    this.#held.delete(session.id);
    return box?.close() ?? Promise.resolve();
  }

  /**
   * Hands a message to whichever node holds the stream of a session. Somebody else's session is as unknown as one that
   * has ended.
   *
   * @returns false where there is no such session of this caller, or nobody holds its stream any more
   * @throws what the store rejects with
   */
  async post(id: string, auth: AuthInfo | undefined, message: unknown): Promise<boolean> {
    const stored = await this.#host.store.get(toKey(id));
    const record = stored && decode(stored.value);
    if (record === undefined || record.principal !== toPrincipalKey(auth)) {
      return false;
    }
    if (!(await this.#presence.isAlive(record.node))) {
      return false;
    }
    await new Feed(this.#host.store, toKey(id), limits, this.#host.clock).append(JSON.stringify(message));
    return true;
  }

  /** This node holds nothing any more. */
  async end(): Promise<void> {
    await this.#presence.end();
  }
}

/** The box of one session, as the node that holds its stream has it. */
class Mailbox implements FeedListener {
  readonly #session: LegacySession;
  readonly #record: string;
  readonly #host: MailboxHost;
  readonly #feed: Feed;
  #stop: (() => void) | undefined;
  #keptAt: number;
  #isClosed = false;

  constructor(session: LegacySession, node: string, host: MailboxHost) {
    this.#session = session;
    this.#record = JSON.stringify({ node, principal: toPrincipalKey(session.auth) });
    this.#host = host;
    this.#feed = new Feed(host.store, toKey(session.id), limits, host.clock);
    this.#keptAt = host.clock.now();
  }

  async open(): Promise<void> {
    const stop = await this.#feed.follow(0, this);
    if (this.#isClosed) {
      stop();
      return;
    }
    this.#stop = stop;
    await this.#keep();
  }

  renew(): void {
    const { clock, idleTimeoutMs } = this.#host;
    if (clock.now() - this.#keptAt >= idleTimeoutMs / 10) {
      this.#keptAt = clock.now();
      this.#keep().catch((error: unknown) => this.failed(error));
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stop?.();
    await Promise.all([this.#host.store.delete(toKey(this.#session.id)), this.#feed.drop()]);
  }

  entry({ value }: LogEntry): void {
    const parsed = parseJson(value, this.#host.maxJsonDepth);
    if (parsed.ok) {
      void this.#session.receive(parsed.value);
    }
  }

  gap(): void {
    this.#session.end(new ClosedError("messages for a session were lost between nodes: it cannot go on without them"));
  }

  failed(error: unknown): void {
    this.#host.report("MCP_D_STORE_FAILED", "what other nodes take for an HTTP+SSE session is out of reach", error);
  }

  async #keep(): Promise<void> {
    // The session may end a little later than this node says, and must be found until then.
    const ttlMs = Math.ceil(1.2 * this.#host.idleTimeoutMs);
    await this.#host.store.set(toKey(this.#session.id), this.#record, { ttlMs });
    if (this.#isClosed) {
      await this.#host.store.delete(toKey(this.#session.id));
    }
  }
}

/** Names the record, the log and the topic. */
function toKey(id: string): string {
  return `legacy/${id}`;
}

/** Reads a record; `undefined` for what this version did not write. */
function decode(text: string): { readonly node: string; readonly principal: string | undefined } | undefined {
  const parsed = parseJson(text, 4);
  if (!parsed.ok || !isObject(parsed.value) || typeof parsed.value.node !== "string") {
    return undefined;
  }
  const { node, principal } = parsed.value;
  return { node, principal: typeof principal === "string" ? principal : undefined };
}

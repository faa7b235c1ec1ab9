/**
 * A standing stream that a client can resume: its messages are kept in a log of its own that any node writes, and the
 * changes that its client wants to hear of come from the feed of all changes.
 *
 * While the client is connected somewhere, or expected to connect, messages are kept; otherwise they are refused at once.
 */
import { encodeMessage } from "../../jsonrpc/codec.ts";
import type { Call, LinkRequestOptions } from "../../jsonrpc/link.ts";
import { type JsonObject, toNotification } from "../../jsonrpc/message.ts";
import type { HttpReply, StreamReply } from "../message.ts";
import { eventStreamHeaders } from "../sse-writer.ts";
import { type EventPlace, standingId } from "./event-id.ts";
import type { Asking } from "./questions.ts";
import { readRest, refusePlace } from "./resumption.ts";
import type { HttpRuntime } from "./runtime.ts";
import { StandingConnection } from "./standing-connection.ts";
import { StandingExpectation } from "./standing-expectation.ts";
import { createDeafError, reportUnsent, type StandingStream } from "./standing-stream.ts";
import { encodeEntry, type StandingPlace } from "./stream-entry.ts";
import { StreamLog } from "./stream-log.ts";
import type { StreamOwner } from "./stream-owner.ts";

/** See the head of this file. */
export class KeptStanding implements StandingStream {
  readonly #runtime: HttpRuntime;
  readonly #owner: StreamOwner;
  readonly #onConnections: (change: 1 | -1) => void;
  readonly #log: StreamLog;
  readonly #expectation: StandingExpectation;
  /** Connections on this node, the newest last. */
  readonly #connections = new Set<StandingConnection>();
  #connection: StandingConnection | undefined;
  #isUsed = false;

  constructor(runtime: HttpRuntime, owner: StreamOwner, onConnections: (change: 1 | -1) => void) {
    this.#runtime = runtime;
    this.#owner = owner;
    this.#onConnections = onConnections;
    this.#log = new StreamLog(runtime, { owner: owner.owner, stream: standingId });
    this.#expectation = new StandingExpectation(runtime, owner.owner);
  }

  get isConnected(): boolean {
    return this.#connection?.isOpen === true;
  }

  /**
   * The session begins: from now on its client is expected, and gets what changes.
   *
   * @throws what the store rejects with
   */
  async begin(): Promise<void> {
    this.#isUsed = true;
    await this.#expectation.begin({ position: 0, changes: await this.#runtime.changesTail.position() });
  }

  connect(): Promise<StreamReply> {
    return this.#connect(undefined, false);
  }

  /**
   * Goes on behind an event [HTTP-037].
   *
   * @throws what the store rejects with
   */
  async resume(place: EventPlace): Promise<HttpReply> {
    const rest = await readRest(this.#log, place.position);
    return typeof rest === "object"
      ? await this.#connect(place, await this.#hasLostChanges(place.changes))
      : refusePlace(rest);
  }

  async notify(call: Call): Promise<void> {
    if (await this.#reachesClient()) {
      await this.#send(encodeMessage(toNotification(call)));
    } else {
      reportUnsent(this.#runtime, call);
    }
  }

  async ask(call: Call, options: LinkRequestOptions, questions: Pick<Asking, "ask">): Promise<JsonObject> {
    if (!(await this.#reachesClient())) {
      throw createDeafError(call);
    }
    return await questions.ask(call, options, (text) => void this.#send(text));
  }

  suspend(): void {
    if (this.#owner.revision.traits.polling) {
      void this.#log.append({ kind: "release", node: undefined });
    }
  }

  supersede(): void {
    // Does nothing: that a client has connected elsewhere stands in the log, behind what is still for the one here.
  }

  async finish(): Promise<void> {
    await this.#log.settled;
    for (const connection of this.#connections) {
      connection.forget();
    }
    if (this.#isUsed) {
      await Promise.all([this.#log.drop(), this.#expectation.end()]);
    }
  }

  async release(): Promise<void> {
    await this.#log.settled;
    await Promise.all([...this.#connections].map((connection) => connection.release()));
  }

  async #connect(from: StandingPlace | undefined, hasLostChanges: boolean): Promise<StreamReply> {
    // Whoever is connected now, on whichever node, lets go when it reads this.
    const release = encodeEntry({ kind: "release", node: this.#runtime.presence.id });
    this.#isUsed = true;
    await this.#runtime.presence.begin();
    const { position: connectedAt } = await this.#log.feed.append(release);
    return {
      kind: "stream",
      status: 200,
      headers: eventStreamHeaders,
      open: (sink) => {
        const connection: StandingConnection = new StandingConnection(this.#runtime, sink, {
          log: this.#log,
          expectation: this.#expectation,
          connectedAt,
          from,
          hasLostChanges,
          getAudience: () => this.#owner.audience,
          polling: this.#owner.revision.traits.polling,
          onConnections: this.#onConnections,
          onClosed: () => this.#connections.delete(connection),
        });
        this.#connections.add(connection);
        this.#connection = connection;
        void connection.start();
        return connection.listener;
      },
    };
  }

  /** Whether changes that followed may have gone with the whole feed: what is not there cannot be told from what never was. */
  async #hasLostChanges(after: number): Promise<boolean> {
    const { changes, changesTail } = this.#runtime;
    const [slice, newest] = await Promise.all([changes.read(after), changesTail.position()]);
    const [first] = slice?.entries ?? [];
    return slice === undefined ? newest !== after : first?.previous === 0 && after > 0;
  }

  async #reachesClient(): Promise<boolean> {
    return this.isConnected || (await this.#expectation.read()) !== undefined;
  }

  async #send(text: string): Promise<void> {
    this.#isUsed = true;
    if ((await this.#log.append({ kind: "message", text })) === undefined) {
      this.#connection?.sendUnkept(text);
    }
    await this.#connection?.caughtUp;
  }
}

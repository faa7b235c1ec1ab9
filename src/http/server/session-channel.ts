/**
 * What nodes tell each other about one session, by the bus, for as long as they have something of it: that it has ended,
 * what belongs to something that only one of them has open, and who else there is.
 *
 * Nothing here is kept: whatever must not be lost is in the record or in a log.
 */
import { isObject, parseJson } from "../../base/json.ts";
import type { RequestId } from "../../jsonrpc/message.ts";
import type { SessionState } from "../../revision/exchange.ts";
import type { BusListener } from "../../store/contracts.ts";
import type { ClientAnswer } from "./questions.ts";
import type { HttpRuntime } from "./runtime.ts";
import type { Cancelled } from "./work.ts";

/** What one node says to all, or to one. */
export type SessionMessage =
  /** The session has ended. */
  | { readonly kind: "end"; readonly reason: string }
  /** The state has been changed to this. */
  | { readonly kind: "changed"; readonly state: SessionState }
  /** The standing stream is connected at the sender now. */
  | { readonly kind: "standing" }
  /** The client's answer to a question that was asked at the receiver, or an attempt at one. */
  | { readonly kind: "answer"; readonly answer: ClientAnswer }
  /** The sender has something of the session from now on; whoever has so too says so. */
  | { readonly kind: "join" }
  | { readonly kind: "here" }
  | { readonly kind: "leave" }
  /** How many requests with this id are running at the receivers? */
  | { readonly kind: "seek"; readonly number: number; readonly id: RequestId }
  | { readonly kind: "found"; readonly number: number; readonly count: number }
  /** A cancellation of a request that is running at the receiver. */
  | { readonly kind: "cancel"; readonly cancelled: Cancelled };

/** What each kind of message must have. */
const fields: { readonly [kind in SessionMessage["kind"]]: readonly string[] } = {
  end: ["reason"],
  changed: ["state"],
  standing: [],
  answer: ["answer"],
  join: [],
  here: [],
  leave: [],
  seek: ["number", "id"],
  found: ["number", "count"],
  cancel: ["cancelled"],
};

/** Who says it, and the only one that it is for. */
interface Addressed {
  readonly from: string;
  readonly to?: string | undefined;
}

/** Who hears the other nodes. */
export interface SessionListener {
  /** @param from - the node that says it, never this one */
  hear(message: SessionMessage, from: string): void;
  /** Something may have been missed. */
  missed(): void;
}

/** See the head of this file. */
export class SessionChannel implements BusListener {
  /** Other nodes that have something of the session, as far as was heard. */
  readonly peers = new Set<string>();
  readonly #runtime: HttpRuntime;
  readonly #topic: string;
  readonly #listener: SessionListener;
  #unsubscribe: (() => void) | undefined;
  #isClosed = false;

  constructor(runtime: HttpRuntime, sessionId: string, listener: SessionListener) {
    this.#runtime = runtime;
    this.#topic = `session/${sessionId}`;
    this.#listener = listener;
  }

  /** Listens from now on; nothing that is said afterwards is missed. */
  async open(): Promise<void> {
    const unsubscribe = await this.#runtime.store.subscribe(this.#topic, this);
    if (this.#isClosed) {
      unsubscribe();
    } else {
      this.#unsubscribe = unsubscribe;
    }
  }

  /** Hears nothing more. */
  close(): void {
    this.#isClosed = true;
    this.#unsubscribe?.();
    this.#unsubscribe = undefined;
  }

  /**
   * Tells the other nodes.
   *
   * @param to - the only one that it is for
   */
  tell(message: SessionMessage, to?: string): Promise<void> {
    return this.#runtime.store.publish(
      this.#topic,
      JSON.stringify({ ...message, from: this.#runtime.presence.id, to }),
    );
  }

  /** The same for what is only good to know. Never rejects: a failure is reported. */
  async inform(message: SessionMessage, to?: string): Promise<void> {
    try {
      await this.tell(message, to);
    } catch (error) {
      this.#runtime.report("MCP_D_STORE_FAILED", "other nodes could not be told about a session", error);
    }
  }

  message(text: string): void {
    const parsed = parseJson(text, Number.POSITIVE_INFINITY);
    const message: unknown = parsed.ok ? parsed.value : undefined;
    if (!isMessage(message)) {
      this.#runtime.report("MCP_D_NODE_MESSAGE", "another node said something about a session that is not understood");
      return;
    }
    const { from, to } = message;
    const self = this.#runtime.presence.id;
    if (this.#isClosed || from === self || (to !== undefined && to !== self)) {
      return;
    }
    this.#meet(message, from);
    this.#listener.hear(message, from);
  }

  missed(): void {
    if (!this.#isClosed) {
      // Whoever came meanwhile answers.
      void this.inform({ kind: "join" });
      this.#listener.missed();
    }
  }

  #meet({ kind }: SessionMessage, from: string): void {
    if (kind === "leave") {
      this.peers.delete(from);
    } else {
      this.peers.add(from);
    }
    if (kind === "join") {
      void this.inform({ kind: "here" }, from);
    }
  }
}

function isMessage(value: unknown): value is SessionMessage & Addressed {
  if (!isObject(value) || typeof value.from !== "string" || typeof value.kind !== "string") {
    return false;
  }
  const needed = Object.entries(fields).find(([kind]) => kind === value.kind)?.[1];
  return needed?.every((field) => value[field] !== undefined) === true;
}

/**
 * Who on this node is told of what: list changes to every session that was promised them and every stream that asked,
 * updates to subscribers only. Sessions whose edge hears of changes by itself are left to it.
 *
 * One fan-out for sessions and streams, and for changes of all nodes. Changes of one turn become one notification per
 * receiver and list. An update costs as much as it has subscribers here. Specification: Server > Resources >
 * Subscriptions.
 */
import { RpcError, rpcCodes } from "../../jsonrpc/error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { type Change, type ListKind, listKinds, type ResourceChange, toNotification } from "../../protocol/changes.ts";
import type { LiveSession } from "../sessions/live-session.ts";
import type { SessionListener } from "../sessions/sessions.ts";
import type { Settings } from "../settings.ts";
import { Broadcast, type ChangeHearer, type Membership } from "./broadcast.ts";

/** Who is told of changes of resources. */
export interface Subscriber {
  notify(method: string, params?: JsonObject): Promise<void>;
}

/** A receiver of a stream of changes that it asked for, one by one. */
export interface ChangeStream extends Subscriber {
  /** The lists whose changes it wants. */
  readonly lists: ReadonlySet<ListKind>;
  /** The resources it watches. */
  readonly uris: ReadonlySet<string>;
}

/** See the head of this file. */
export class Subscriptions implements SessionListener, ChangeHearer {
  readonly #settings: Settings;
  readonly #refresh: (list: ListKind) => void;
  readonly #broadcast: Broadcast;
  /** Sessions that are told from here, each with its part in following the changes of other nodes. */
  readonly #sessions = new Map<LiveSession, Membership | undefined>();
  /** Sessions whose edge tells them. */
  readonly #hearing = new Set<LiveSession>();
  readonly #streams = new Set<ChangeStream>();
  readonly #subscribers = new Map<string, Set<Subscriber>>();
  /** The lists that changed in this turn, and whether they did so on this node. */
  readonly #changed = new Map<ListKind, boolean>();
  /** The list that is being made anew because it changed on another node. */
  #refreshing: ListKind | undefined;

  /** @param refresh - makes anew what is kept of a list that changed on another node */
  constructor(settings: Settings, refresh: (list: ListKind) => void) {
    this.#settings = settings;
    this.#refresh = refresh;
    this.#broadcast = new Broadcast(settings, this);
  }

  opened(live: LiveSession): void {
    if (live.hearsChanges) {
      this.#hearing.add(live);
      return;
    }
    this.#sessions.set(live, undefined);
    for (const uri of live.state?.subscriptions ?? []) {
      this.#index(uri, live);
    }
    if (live.state !== undefined) {
      void this.begun(live);
    }
  }

  closed(live: LiveSession): void {
    this.#hearing.delete(live);
    this.#sessions.get(live)?.leave();
    if (this.#sessions.delete(live)) {
      for (const uri of live.state?.subscriptions ?? []) {
        this.#unindex(uri, live);
      }
    }
  }

  /** The handshake of a session has been made. Resolves once it misses nothing. */
  async begun(live: LiveSession): Promise<void> {
    if (this.#sessions.has(live)) {
      const membership = this.#sessions.get(live) ?? this.#broadcast.join();
      this.#sessions.set(live, membership);
      await membership.ready;
    }
  }

  /** Has the changes of other nodes followed for a stream that is about to be added. */
  join(): Membership {
    return this.#broadcast.join();
  }

  /** Tells a stream of changes from now on; returns how to stop [M-SUB-011]. */
  addStream(stream: ChangeStream): () => void {
    this.#streams.add(stream);
    for (const uri of stream.uris) {
      this.#index(uri, stream);
    }
    return () => {
      this.#streams.delete(stream);
      for (const uri of stream.uris) {
        this.#unindex(uri, stream);
      }
    };
  }

  /** URIs with at least one subscriber that this process knows of. */
  get subscribedUris(): Iterable<string> {
    const uris = new Set(this.#subscribers.keys());
    for (const { state } of this.#hearing) {
      for (const uri of state?.subscriptions ?? []) {
        uris.add(uri);
      }
    }
    return uris;
  }

  /**
   * Adds a subscription; kept with the session when this resolves.
   *
   * @throws RpcError past the limit of the session
   */
  async subscribe(uri: string, live: LiveSession): Promise<void> {
    const { maxSubscriptions } = this.#settings.limits;
    await live.update((state) => {
      const subscriptions = state.subscriptions ?? [];
      if (subscriptions.includes(uri)) {
        return state;
      }
      if (subscriptions.length >= maxSubscriptions) {
        throw new RpcError(
          rpcCodes.internalError,
          `expected at most ${maxSubscriptions} subscriptions; unsubscribe first`,
        );
      }
      return { ...state, subscriptions: [...subscriptions, uri] };
    });
    if (this.#sessions.has(live)) {
      this.#index(uri, live);
    }
  }

  /** Takes a subscription away; one that is not there is no fault. */
  async unsubscribe(uri: string, live: LiveSession): Promise<void> {
    this.#unindex(uri, live);
    await live.update((state) => ({
      ...state,
      subscriptions: (state.subscriptions ?? []).filter((subscribed) => subscribed !== uri),
    }));
  }

  /**
   * Tells subscribers that a resource changed, on all nodes [RES-009].
   *
   * @param within - a subscribed resource that this one is a part of; its subscribers are told too
   */
  resourceUpdated(uri: string, within?: string): void {
    const change = { uri, within };
    this.#tell(change);
    this.#broadcast.publish(change);
  }

  /** Tells sessions on all nodes that a list changed, once for all changes of this turn. */
  listChanged(kind: ListKind): void {
    if (kind !== this.#refreshing) {
      this.#collect(kind, true);
    }
  }

  changed(change: Change): void {
    if ("uri" in change) {
      this.#tell(change);
      return;
    }
    this.#refreshing = change.list;
    try {
      this.#refresh(change.list);
    } finally {
      this.#refreshing = undefined;
    }
    this.#collect(change.list, false);
  }

  /** Whatever may have changed is told to whoever wants to know: being asked once more does no harm. */
  missed(): void {
    for (const list of listKinds) {
      this.changed({ list });
    }
    for (const uri of this.#subscribers.keys()) {
      this.#tell({ uri });
    }
  }

  #collect(kind: ListKind, isOwn: boolean): void {
    if (this.#changed.size === 0) {
      queueMicrotask(() => this.#flush());
    }
    this.#changed.set(kind, isOwn || this.#changed.get(kind) === true);
  }

  #flush(): void {
    const changed = [...this.#changed];
    this.#changed.clear();
    for (const [list, isOwn] of changed) {
      this.#tell({ list });
      if (isOwn) {
        this.#broadcast.publish({ list });
      }
    }
  }

  #tell(change: Change): void {
    const { method, params } = toNotification(change);
    for (const receiver of "list" in change ? this.#promised(change.list) : this.#subscribed(change)) {
      this.#settings.forget(receiver.notify(method, params));
    }
  }

  /** Before it says that it is ready, a client is told nothing [LIFE-008]. */
  *#promised(list: ListKind): Iterable<Subscriber> {
    for (const live of this.#sessions.keys()) {
      if (live.state?.initialized === true && live.state.listChanges?.includes(list) === true) {
        yield live;
      }
    }
    for (const stream of this.#streams) {
      if (stream.lists.has(list)) {
        yield stream;
      }
    }
  }

  #subscribed({ uri, within }: ResourceChange): Iterable<Subscriber> {
    const told = new Set(this.#subscribers.get(uri));
    for (const subscriber of within === undefined ? [] : (this.#subscribers.get(within) ?? [])) {
      told.add(subscriber);
    }
    return told;
  }

  #index(uri: string, subscriber: Subscriber): void {
    const subscribers = this.#subscribers.get(uri) ?? new Set();
    subscribers.add(subscriber);
    this.#subscribers.set(uri, subscribers);
  }

  #unindex(uri: string, subscriber: Subscriber): void {
    const subscribers = this.#subscribers.get(uri);
    subscribers?.delete(subscriber);
    if (subscribers?.size === 0) {
      this.#subscribers.delete(uri);
    }
  }
}

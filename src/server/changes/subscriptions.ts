/**
 * Who is told of what: list changes to every session that was promised them and every stream that asked, updates to
 * subscribers only.
 *
 * One fan-out for the whole server, for sessions and streams alike. Changes of one turn become one notification per
 * receiver and list. An update costs as much as it has subscribers. Specification: Server > Resources > Subscriptions.
 */
import { RpcError, rpcCodes } from "../../jsonrpc/error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { ServerCapabilities } from "../../protocol/types/lifecycle.ts";
import type { LiveSession } from "../sessions/live-session.ts";
import type { SessionListener } from "../sessions/sessions.ts";
import type { Settings } from "../settings.ts";

/** The lists that can change. */
export type ListKind = "tools" | "prompts" | "resources";

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
export class Subscriptions implements SessionListener {
  readonly #settings: Settings;
  readonly #announce: () => ServerCapabilities;
  readonly #sessions = new Set<LiveSession>();
  readonly #streams = new Set<ChangeStream>();
  readonly #subscribers = new Map<string, Set<Subscriber>>();
  readonly #changed = new Set<ListKind>();

  /** @param announce - what is announced to sessions of this process */
  constructor(settings: Settings, announce: () => ServerCapabilities) {
    this.#settings = settings;
    this.#announce = announce;
  }

  opened(live: LiveSession): void {
    this.#sessions.add(live);
    for (const uri of live.state?.subscriptions ?? []) {
      this.#index(uri, live);
    }
  }

  closed(live: LiveSession): void {
    this.#sessions.delete(live);
    for (const uri of live.state?.subscriptions ?? []) {
      this.#unindex(uri, live);
    }
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

  /** URIs with at least one subscriber, for gauges and for sources that watch only what somebody wants. */
  get subscribedUris(): Iterable<string> {
    return this.#subscribers.keys();
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
    if (!live.signal.aborted) {
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
   * Tells subscribers that a resource changed [RES-009].
   *
   * @param within - a subscribed resource that this one is a part of; its subscribers are told too
   */
  resourceUpdated(uri: string, within?: string): void {
    const told = new Set(this.#subscribers.get(uri));
    for (const subscriber of within === undefined ? [] : (this.#subscribers.get(within) ?? [])) {
      told.add(subscriber);
    }
    for (const subscriber of told) {
      this.#settings.forget(subscriber.notify("notifications/resources/updated", { uri }));
    }
  }

  /** Tells sessions that a list changed, once for all changes of this turn. */
  listChanged(kind: ListKind): void {
    if (this.#sessions.size === 0 && this.#streams.size === 0) {
      return;
    }
    if (this.#changed.size === 0) {
      queueMicrotask(() => this.#flush());
    }
    this.#changed.add(kind);
  }

  #flush(): void {
    const kinds = [...this.#changed];
    this.#changed.clear();
    for (const live of this.#sessions) {
      for (const kind of kinds) {
        if (live.state?.initialized === true && (live.announced ?? this.#announce())[kind]?.listChanged === true) {
          this.#settings.forget(live.notify(`notifications/${kind}/list_changed`));
        }
      }
    }
    for (const stream of this.#streams) {
      for (const kind of kinds.filter((changed) => stream.lists.has(changed))) {
        this.#settings.forget(stream.notify(`notifications/${kind}/list_changed`));
      }
    }
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

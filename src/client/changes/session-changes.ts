/**
 * Everything by which a session hears of changes at the server: watched resources, changed lists, subscriptions of the
 * host's own. One surface over the subscriptions of stateless revisions and the requests and notices of older ones.
 *
 * Specification: Basic > Utilities > Subscriptions; Server > Resources > Subscriptions.
 */
import type { Unsubscribe } from "../../base/emitter.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { SubscriptionFilter } from "../../protocol/types/subscriptions.ts";
import type { ServerInbox } from "../answering/inbox.ts";
import type { CachedRequests } from "../cache/cache.ts";
import type { Caller } from "../requests/caller.ts";
import type { Connection } from "../requests/connection.ts";
import { listenMethod } from "../sessions/pipe-link.ts";
import { ChangeFeed, findMissing, kindsByMethod, type ListKind } from "./change-feed.ts";
import { type ListenEnding, type ListenHooks, Listening } from "./listening.ts";
import type { Notifications } from "./notifications.ts";
import { Subscriptions } from "./subscriptions.ts";

const updatedMethod = "notifications/resources/updated";

/** Something changed at the server. */
export interface Change {
  /** The notification that tells of it, such as `notifications/tools/list_changed`. */
  readonly method: string;
  readonly params: JsonObject | undefined;
}

/** Who hears of changes. What these throw is reported and harms nothing else. */
export interface ChangeHooks {
  onChange(change: Change): void;
  /** Told once a subscription that was lost is open again: changes in between are lost, so fetch what matters. */
  onGap?(): void;
  /**
   * Told that the subscription is interrupted.
   *
   * @param reason - whether the server ended it in order, or it broke off
   * @param reopens - whether it will be opened again; a server that refused is not asked again
   */
  onEnd?(reason: "ended" | "lost", reopens: boolean): void;
}

/** A subscription of the host's own. */
export interface ChangeSubscription extends AsyncDisposable {
  /** What the server agreed to the last time it was asked; compare it with what was wanted [M-SUB-006]. */
  readonly honoured: SubscriptionFilter;
  /** Ends it. */
  close(): Promise<void>;
}

/** What a session's changes have to do with. */
export interface SessionChangesParts {
  readonly connection: Connection;
  readonly caller: Caller;
  readonly cached: CachedRequests;
  readonly notifications: Notifications;
  readonly inbox: ServerInbox;
  /** Told that changes may have been missed, after what was kept has been outdated. */
  readonly onGap: () => void;
}

/** See the head of this file. */
export class SessionChanges {
  /** The watched resources. */
  readonly subscriptions: Subscriptions;
  readonly #parts: SessionChangesParts;
  readonly #feed: ChangeFeed;

  constructor(parts: SessionChangesParts) {
    const { connection, caller, inbox } = parts;
    this.#parts = parts;
    this.subscriptions = new Subscriptions({
      subscribe: (uri) => this.#subscribe(uri),
      unsubscribe: (uri) => this.#unsubscribe(uri),
      read: (uri) => caller.request("resources/read", { uri }),
      onFault: (uri, error) =>
        connection.report("MCP_D_CALLBACK_FAULT", `an update of ${uri} was not delivered`, error),
    });
    this.#feed = new ChangeFeed(
      this.#createListening({
        onNotification: (notification) => inbox.receive(notification),
        onGap: () => this.#receiveGap(),
      }),
    );
    connection.onRestore(() => this.#restore());
  }

  /** Asks for the notices of a method, where they have to be asked for. @returns no longer wants them */
  hear(method: string): Unsubscribe {
    const kind = Object.hasOwn(kindsByMethod, method) ? kindsByMethod[method] : undefined;
    return kind === undefined ? () => undefined : this.hearOf(kind);
  }

  /** The same by kind of list. */
  hearOf(kind: ListKind): Unsubscribe {
    return this.#parts.connection.isStateless ? this.#feed.want(kind) : () => undefined;
  }

  /** Asks for word of a task, where servers have to be asked and the host wants that. @returns no longer wants it */
  hearOfTask(taskId: string): Unsubscribe {
    const { isStateless, settings } = this.#parts.connection;
    return isStateless && settings.tasks.listen ? this.#feed.wantTask(taskId) : () => undefined;
  }

  /** Opens a subscription of the host's own. */
  listen(filter: SubscriptionFilter, hooks: ChangeHooks): Promise<ChangeSubscription> {
    return this.#parts.connection.isStateless ? this.#listenOnStream(filter, hooks) : this.#hearNotices(filter, hooks);
  }

  async #listenOnStream(filter: SubscriptionFilter, hooks: ChangeHooks): Promise<ChangeSubscription> {
    const { connection, cached, inbox } = this.#parts;
    let honoured: SubscriptionFilter = {};
    const listening = this.#createListening({
      onNotification: (notification) =>
        inbox.receive(notification, ({ method, params }) => {
          cached.receive(method, params);
          connection.tell("onChange", () => hooks.onChange({ method, params }));
        }),
      onOpen: (agreed) => {
        honoured = agreed;
      },
      onEnd: ({ kind }, reopens) => connection.tell("onEnd", () => hooks.onEnd?.(kind, reopens)),
      onGap: () => {
        cached.invalidate();
        connection.tell("onGap", () => hooks.onGap?.());
      },
    });
    try {
      await listening.want(filter);
    } catch (error) {
      listening.close();
      throw error;
    }
    const close = async (): Promise<void> => listening.close();
    return {
      get honoured() {
        return honoured;
      },
      close,
      [Symbol.asyncDispose]: close,
    };
  }

  /** Older servers announce lists to everybody, and updates of resources to who asked for them. */
  async #hearNotices(filter: SubscriptionFilter, hooks: ChangeHooks): Promise<ChangeSubscription> {
    const { notifications, connection } = this.#parts;
    const { tools, prompts, resources } = connection.server?.capabilities ?? {};
    const offered: { readonly [K in ListKind]: boolean | undefined } = {
      toolsListChanged: tools?.listChanged,
      promptsListChanged: prompts?.listChanged,
      resourcesListChanged: resources?.listChanged,
    };
    const heard = Object.entries(kindsByMethod).filter(([, kind]) => filter[kind] === true && offered[kind] === true);
    const uris = resources?.subscribe === true ? (filter.resourceSubscriptions ?? []) : [];
    const watched = await Promise.all(
      uris.map((uri) =>
        this.subscriptions.subscribe(uri, (update) =>
          hooks.onChange({ method: updatedMethod, params: { uri: update.uri } }),
        ),
      ),
    );
    const stops = heard.map(([method]) =>
      notifications.on(method, (params) => hooks.onChange({ method, params: params as JsonObject | undefined })),
    );
    const close = async (): Promise<void> => {
      for (const stop of stops) {
        stop();
      }
      await Promise.all(watched.map((subscription) => subscription.unsubscribe()));
    };
    const honoured: SubscriptionFilter = {
      ...Object.fromEntries(heard.map(([, kind]) => [kind, true])),
      ...(uris.length === 0 ? undefined : { resourceSubscriptions: uris }),
    };
    return { honoured, close, [Symbol.asyncDispose]: close };
  }

  #createListening(hooks: Pick<ListenHooks, "onNotification" | "onGap"> & Partial<ListenHooks>): Listening {
    const { connection } = this.#parts;
    const { clock, idleTimeoutMs = 60_000, relisten } = connection.settings;
    const host = {
      clock,
      signal: connection.signal,
      acknowledgeTimeoutMs: idleTimeoutMs,
      backoff: relisten,
      // The stream lasts as long as it is wanted, so no limit of an ordinary request is right for it [M-SUB-015].
      open: (filter: SubscriptionFilter, options: Parameters<Connection["request"]>[2]) =>
        connection.request(
          listenMethod,
          { notifications: filter },
          { ...options, idleTimeoutMs: Number.POSITIVE_INFINITY, totalTimeoutMs: Number.POSITIVE_INFINITY },
        ),
    };
    return new Listening(host, {
      onOpen: (honoured, filter) => this.#reportMissing(honoured, filter),
      onEnd: (ending, reopens) => this.#reportEnd(ending, reopens),
      ...hooks,
    });
  }

  async #subscribe(uri: string): Promise<void> {
    const { connection, caller } = this.#parts;
    await (connection.isStateless ? this.#feed.watch(uri) : caller.request("resources/subscribe", { uri }));
  }

  async #unsubscribe(uri: string): Promise<void> {
    const { connection, caller } = this.#parts;
    if (connection.isStateless) {
      this.#feed.unwatch(uri);
    } else if (!connection.signal.aborted) {
      // Nobody is subscribed to anything in a session that has ended.
      await caller.request("resources/unsubscribe", { uri });
    }
  }

  async #restore(): Promise<void> {
    const { connection } = this.#parts;
    for (const uri of connection.isStateless ? [] : this.subscriptions.uris) {
      await connection.request("resources/subscribe", { uri }, { restoring: true });
    }
  }

  #receiveGap(): void {
    const { cached, onGap } = this.#parts;
    cached.invalidate();
    this.subscriptions.receiveGap();
    onGap();
  }

  #reportMissing(honoured: SubscriptionFilter, wanted: SubscriptionFilter): void {
    const missing = findMissing(honoured, wanted);
    if (missing !== undefined) {
      const message = "the server does not tell of everything that was subscribed to; the rest is in detail";
      this.#parts.connection.report("MCP_D_LISTEN_PARTIAL", message, missing);
    }
  }

  #reportEnd(ending: ListenEnding, reopens: boolean): void {
    const { connection } = this.#parts;
    if (connection.signal.aborted) {
      return;
    }
    const next = reopens ? "it will be opened again" : "it stays closed";
    if (ending.kind === "ended") {
      connection.report("MCP_D_LISTEN_ENDED", `the server ended the subscription; ${next}`);
    } else {
      connection.report("MCP_D_LISTEN_LOST", `the subscription was lost; ${next}`, ending.error);
    }
  }
}

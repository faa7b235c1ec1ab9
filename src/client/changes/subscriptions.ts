/**
 * Watching resources: one subscription per URI on the wire, any number of listeners here.
 *
 * Specification: Server > Resources > Subscriptions.
 */
import { raceAbort } from "../../base/abort.ts";
import type { ReadResourceResult, ResourceUpdatedNotificationParams } from "../../protocol/types/resources.ts";
import { isWithinUri } from "./uri-relation.ts";

/** A watched resource changed. */
export interface ResourceUpdate {
  /** What changed: the watched URI or something below it. */
  readonly uri: string;
  /** The URI that was subscribed to. */
  readonly subscribedUri: string;
  /** The resource as it is now, for subscriptions that read again. */
  readonly contents: ReadResourceResult["contents"] | undefined;
}

/** Hears of updates. */
export type ResourceListener = (update: ResourceUpdate) => void;

/** Options of `subscribe`. */
export interface SubscribeOptions {
  /** Gives up subscribing. */
  signal?: AbortSignal | undefined;
  /** Reads the resource again before the listener is told, once for updates that come together. Default false. */
  reread?: boolean | undefined;
}

/** One listener on one resource. */
export interface Subscription extends AsyncDisposable {
  readonly uri: string;
  /** Stops listening. The last listener of a URI ends the subscription at the server. Again does nothing. */
  unsubscribe(): Promise<void>;
}

/** What {@link Subscriptions} works on. */
export interface SubscriptionsHost {
  subscribe(uri: string): Promise<void>;
  unsubscribe(uri: string): Promise<void>;
  read(uri: string): Promise<ReadResourceResult>;
  /** Told what a listener threw or why a resource could not be read. */
  onFault(uri: string, error: unknown): void;
}

interface Entry {
  readonly listener: ResourceListener;
  readonly reread: boolean;
  state: "idle" | "reading" | "stale";
}

interface Watched {
  readonly entries: Set<Entry>;
  /** The subscription at the server, being made or made. */
  readonly ready: Promise<void>;
}

/** See the head of this file. */
export class Subscriptions {
  readonly #host: SubscriptionsHost;
  readonly #watched = new Map<string, Watched>();

  constructor(host: SubscriptionsHost) {
    this.#host = host;
  }

  /** The URIs subscribed to at the server, to be subscribed again in a new session. */
  get uris(): readonly string[] {
    return [...this.#watched.keys()];
  }

  async subscribe(uri: string, listener: ResourceListener, options: SubscribeOptions = {}): Promise<Subscription> {
    const entry: Entry = { listener, reread: options.reread ?? false, state: "idle" };
    options.signal?.throwIfAborted();
    const watched = this.#watched.get(uri) ?? { entries: new Set<Entry>(), ready: this.#host.subscribe(uri) };
    this.#watched.set(uri, watched);
    watched.entries.add(entry);
    try {
      await raceAbort(watched.ready, options.signal);
    } catch (error) {
      this.#giveUp(uri, watched, entry);
      throw error;
    }
    const unsubscribe = (): Promise<void> => this.#remove(uri, entry);
    return { uri, unsubscribe, [Symbol.asyncDispose]: unsubscribe };
  }

  /** Takes an update to the listeners of its URI and of every URI above it. */
  receive({ uri }: ResourceUpdatedNotificationParams): void {
    for (const [subscribedUri, { entries }] of [...this.#watched]) {
      if (isWithinUri(uri, subscribedUri)) {
        for (const entry of [...entries]) {
          this.#tell(entry, uri, subscribedUri);
        }
      }
    }
  }

  /** Tells every listener that updates may have been missed, as after a reconnection. */
  receiveGap(): void {
    for (const uri of this.uris) {
      this.receive({ uri });
    }
  }

  /** One listener fewer; a subscription that nobody waits for any more is ended once it has been made. */
  #giveUp(uri: string, watched: Watched, entry: Entry): void {
    watched.entries.delete(entry);
    if (watched.entries.size === 0 && this.#watched.get(uri) === watched) {
      this.#watched.delete(uri);
      watched.ready
        .then(() => this.#host.unsubscribe(uri))
        // Whoever asked has been told why there is no subscription.
        .catch(() => undefined);
    }
  }

  #tell(entry: Entry, uri: string, subscribedUri: string): void {
    if (!entry.reread) {
      this.#call(entry, { uri, subscribedUri, contents: undefined });
    } else if (entry.state === "idle") {
      entry.state = "reading";
      void this.#reread(entry, uri, subscribedUri);
    } else {
      entry.state = "stale";
    }
  }

  async #reread(entry: Entry, uri: string, subscribedUri: string): Promise<void> {
    do {
      entry.state = "reading";
      try {
        const { contents } = await this.#host.read(uri);
        if (this.#watched.get(subscribedUri)?.entries.has(entry)) {
          this.#call(entry, { uri, subscribedUri, contents });
        }
      } catch (error) {
        this.#host.onFault(uri, error);
      }
    } while (isStale(entry));
    entry.state = "idle";
  }

  #call(entry: Entry, update: ResourceUpdate): void {
    try {
      entry.listener(update);
    } catch (error) {
      this.#host.onFault(update.uri, error);
    }
  }

  async #remove(uri: string, entry: Entry): Promise<void> {
    const watched = this.#watched.get(uri);
    if (watched?.entries.delete(entry) && watched.entries.size === 0) {
      this.#watched.delete(uri);
      await this.#host.unsubscribe(uri);
    }
  }
}

/** Read anew, as the state changes while the loop waits. */
function isStale(entry: Entry): boolean {
  return entry.state === "stale";
}

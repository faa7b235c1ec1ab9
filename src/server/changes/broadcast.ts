/**
 * Changes of this server made known to all nodes that share its store, and theirs to this one.
 *
 * What changes here is told here at once, whatever becomes of the store; from the feed, only what others wrote is taken.
 * It is followed while somebody on this node is to be told: who that is, subscriptions.ts knows.
 */
import { backoffDelay } from "../../base/backoff.ts";
import { createId } from "../../base/id.ts";
import { createChangeFeed, decodeChange, encodeChange, isWrittenBy } from "../../protocol/change-feed.ts";
import type { Change } from "../../protocol/changes.ts";
import type { LogEntry } from "../../store/contracts.ts";
import type { Feed, FeedListener } from "../../store/feed.ts";
import { DefaultStore } from "../default-store.ts";
import type { Settings } from "../settings.ts";

/** Who is told of what changed on other nodes. */
export interface ChangeHearer {
  changed(change: Change): void;
  /** Changes were missed, nobody knows which. */
  missed(): void;
}

/** Somebody on this node who is to be told. */
export interface Membership {
  /** Resolves once nothing that changes anywhere is missed, or as soon as it is known that the store cannot be reached. */
  readonly ready: Promise<void>;
  /** Nobody is to be told on this one's account any more. */
  leave(): void;
}

/** See the head of this file. */
export class Broadcast {
  readonly #settings: Settings;
  readonly #hearer: ChangeHearer;
  readonly #feed: Feed;
  readonly #writer = createId(6);
  #members = 0;
  #following: Following | undefined;

  constructor(settings: Settings, hearer: ChangeHearer) {
    this.#settings = settings;
    this.#hearer = hearer;
    this.#feed = createChangeFeed(settings.store, settings.clock);
  }

  /** Makes a change known to other nodes, and to whoever comes back after a while. */
  publish(change: Change): void {
    const { store, onDiagnostic } = this.#settings;
    if (store instanceof DefaultStore && !store.isUsed) {
      // Nobody has been served yet, and the store is still to be chosen.
      return;
    }
    this.#feed.append(encodeChange(change, this.#writer)).catch((detail: unknown) => {
      const message =
        "a change could not be made known: clients of other nodes, and those who come back, do not hear of it";
      onDiagnostic({ code: "MCP_D_STORE_FAILED", message, detail });
    });
  }

  /** Has the changes of other nodes heard, until the last one who joined has left. */
  join(): Membership {
    this.#members += 1;
    this.#following ??= new Following(this.#feed, this.#settings, {
      changed: (change) => this.#hearer.changed(change),
      missed: () => this.#hearer.missed(),
      isOwn: (text) => isWrittenBy(this.#writer, text),
    });
    return { ready: this.#following.ready, leave: () => this.#leave() };
  }

  #leave(): void {
    this.#members -= 1;
    if (this.#members === 0) {
      this.#following?.end();
      this.#following = undefined;
    }
  }
}

/** From the first who joined to the last who left. A store that cannot be reached is tried again. */
class Following implements FeedListener {
  readonly ready: Promise<void>;
  readonly #feed: Feed;
  readonly #settings: Settings;
  readonly #hearer: ChangeHearer & { isOwn(text: string): boolean };
  /** Stops following, or the wait for the next attempt. */
  #stop: (() => void) | undefined;
  #isOver = false;

  constructor(feed: Feed, settings: Settings, hearer: ChangeHearer & { isOwn(text: string): boolean }) {
    this.#feed = feed;
    this.#settings = settings;
    this.#hearer = hearer;
    this.ready = this.#begin(1);
  }

  entry({ value }: LogEntry): void {
    const change = this.#isOver || this.#hearer.isOwn(value) ? undefined : decodeChange(value);
    if (change !== undefined) {
      this.#hearer.changed(change);
    }
  }

  gap(): void {
    if (!this.#isOver) {
      this.#hearer.missed();
    }
  }

  failed(detail: unknown): void {
    const message = "the changes of other nodes cannot be heard for now";
    this.#settings.onDiagnostic({ code: "MCP_D_STORE_FAILED", message, detail });
  }

  end(): void {
    this.#isOver = true;
    this.#stop?.();
  }

  async #begin(attempt: number): Promise<void> {
    try {
      const stop = await this.#feed.follow(undefined, this);
      if (this.#isOver) {
        stop();
        return;
      }
      this.#stop = stop;
      if (attempt > 1) {
        this.#hearer.missed();
      }
    } catch (error) {
      if (!this.#isOver) {
        this.failed(error);
        this.#stop = this.#settings.clock.after(backoffDelay(attempt), () => void this.#begin(attempt + 1));
      }
    }
  }
}

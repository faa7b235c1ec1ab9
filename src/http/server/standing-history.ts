/**
 * What the log of a standing stream says about its connections: which have begun and not ended, and how far their client is.
 *
 * A connection begins where the one before it says that it has ended, so that each message goes to exactly one [HTTP-032].
 */
import type { LogEntry } from "../../store/contracts.ts";
import type { FeedListener } from "../../store/feed.ts";
import type { HttpRuntime } from "./runtime.ts";
import { decodeEntry, type StandingPlace } from "./stream-entry.ts";
import type { StreamLog } from "./stream-log.ts";

/** The further of two places. */
export function toFurther(a: StandingPlace | undefined, b: StandingPlace | undefined): StandingPlace | undefined {
  if (a === undefined || b === undefined) {
    return a ?? b;
  }
  return b.position > a.position || (b.position === a.position && b.changes > a.changes) ? b : a;
}

/**
 * Reads it. Waits until all connections before the new one have ended, but not for longer than a node counts as alive.
 *
 * @param connectedAt - where the new connection stands in the log
 * @throws what the store rejects with
 */
export async function readHistory(runtime: HttpRuntime, log: StreamLog, connectedAt: number): Promise<StandingHistory> {
  const { presence, options } = runtime;
  const history = new StandingHistory(connectedAt);
  const unfollow = await log.feed.follow(0, history);
  const cancel = options.clock.after(options.leaseMs, () => history.giveUp());
  try {
    for (const node of history.nodes) {
      if (node !== presence.id && !(await presence.isAlive(node))) {
        history.bury(node);
      }
    }
    await history.settled;
    return history;
  } finally {
    cancel();
    unfollow();
  }
}

/** See the head of this file. */
export class StandingHistory implements FeedListener {
  /** Resolves when all connections before the new one have ended, or are waited for no longer. */
  readonly settled: Promise<void>;
  readonly #connectedAt: number;
  /** Connections before the new one that have not ended: the position of each, and its node. */
  readonly #open = new Map<number, string>();
  /** Positions of messages before the new connection. */
  readonly #messages: number[] = [];
  #place: StandingPlace | undefined;
  #resolve: () => void = () => undefined;
  #reject: (error: unknown) => void = () => undefined;

  constructor(connectedAt: number) {
    this.#connectedAt = connectedAt;
    this.settled = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Whoever waits is told; nobody may be waiting yet.
    this.settled.catch(() => undefined);
  }

  /** Where the client of earlier connections is; nothing where none has said so. */
  get place(): StandingPlace | undefined {
    return this.#place;
  }

  /** Nodes that hold connections which have not ended. */
  get nodes(): readonly string[] {
    return [...new Set(this.#open.values())];
  }

  /** Whether there are messages between a place and the new connection. */
  hasMessagesBehind(place: number): boolean {
    return this.#messages.some((position) => position > place);
  }

  /** A node has died: it will not say that its connections have ended. */
  bury(node: string): void {
    for (const [connection, holder] of this.#open) {
      if (holder === node) {
        this.#open.delete(connection);
      }
    }
    this.#settle();
  }

  /** Waits no longer. */
  giveUp(): void {
    this.#open.clear();
    this.#settle();
  }

  entry({ position, value }: LogEntry): void {
    const entry = decodeEntry(value);
    const isBefore = position < this.#connectedAt;
    if (entry?.kind === "message" && isBefore) {
      this.#messages.push(position);
    } else if (entry?.kind === "release" && entry.node !== undefined && isBefore) {
      this.#open.set(position, entry.node);
    } else if (entry?.kind === "left") {
      this.#open.delete(entry.connection);
      this.#place = toFurther(this.#place, entry.place);
    }
    if (!isBefore) {
      this.#settle();
    }
  }

  gap(): void {
    // What is no longer kept cannot be waited for.
  }

  failed(error: unknown): void {
    this.#reject(error);
  }

  #settle(): void {
    if (this.#open.size === 0) {
      this.#resolve();
    }
  }
}

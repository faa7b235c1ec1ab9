/**
 * Messages between the processes that have one file open: written into a table, and looked for by those who listen.
 *
 * Listeners of the same store hear at once. The others look, while somebody listens, whether the file has changed.
 */
import { createId } from "../../base/id.ts";
import type { Clock } from "../../base/timer.ts";
import type { Bus, BusListener } from "../contracts.ts";
import type { Connection } from "./connection.ts";
import { toWhole } from "./expiry.ts";
import {
  addMessage,
  findLastId,
  hasOldMessages,
  type KeptMessage,
  readChanges,
  readMessages,
  removeExcessMessages,
  removeOldMessages,
} from "./messages.ts";
import type { Statements } from "./statements.ts";

/** One who listens, and the id of the newest message from before. */
interface Subscription {
  readonly listener: BusListener;
  readonly after: number;
}

/** Messages read at a time. */
const messagesAtATime = 500;

/** See the head of this file. */
export class SqliteBus implements Bus {
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #pollMs: number;
  readonly #id = createId(12);
  readonly #topics = new Map<string, Set<Subscription>>();
  #cancelPoll: (() => void) | undefined;
  /** The id of the newest message that was looked at. */
  #cursor = 0;
  /** What the file was like then. */
  #seen = "";
  #isClosed = false;

  constructor(connection: Connection, clock: Clock, pollMs: number) {
    this.#connection = connection;
    this.#clock = clock;
    this.#pollMs = pollMs;
  }

  async publish(topic: string, message: string): Promise<void> {
    const id = await this.#connection.write((statements) => {
      const added = addMessage(statements, { sender: this.#id, topic, message }, this.#now());
      removeExcessMessages(statements, added);
      return added;
    });
    this.#tell(topic, (subscription) => {
      if (subscription.after < id) {
        subscription.listener.message(message);
      }
    });
  }

  async subscribe(topic: string, listener: BusListener): Promise<() => void> {
    const after = await this.#connection.read(findLastId);
    this.#connection.assertOpen();
    if (this.#cancelPoll === undefined) {
      this.#cursor = after;
      this.#plan();
    }
    const subscription = { listener, after };
    const subscriptions = this.#topics.get(topic) ?? new Set<Subscription>();
    subscriptions.add(subscription);
    this.#topics.set(topic, subscriptions);
    return () => {
      subscriptions.delete(subscription);
      if (subscriptions.size === 0 && this.#topics.get(topic) === subscriptions) {
        this.#topics.delete(topic);
      }
      if (this.#topics.size === 0) {
        this.#stop();
      }
    };
  }

  /** Listeners hear nothing more. */
  close(): void {
    this.#isClosed = true;
    this.#topics.clear();
    this.#stop();
  }

  /** Whether there are messages that everybody has had time for. */
  isDue(statements: Statements): boolean {
    return hasOldMessages(statements, this.#now());
  }

  /**
   * Removes some messages that everybody has had time for.
   *
   * @param limit - most messages that are removed
   * @returns whether there may be more to remove
   */
  sweep(statements: Statements, limit: number): boolean {
    return removeOldMessages(statements, this.#now(), limit);
  }

  #now(): number {
    return toWhole(this.#clock.now());
  }

  #plan(): void {
    this.#stop();
    this.#cancelPoll = this.#clock.after(this.#pollMs, () => void this.#poll());
  }

  #stop(): void {
    this.#cancelPoll?.();
    this.#cancelPoll = undefined;
  }

  async #poll(): Promise<void> {
    try {
      while (this.#topics.size > 0 && (await this.#look())) {
        // There may be more.
      }
    } catch {
      // It stays in the table until the next look, or is told as missed when it does not.
    }
    if (this.#topics.size > 0) {
      this.#plan();
    }
  }

  /** @returns whether there may be more to read */
  async #look(): Promise<boolean> {
    const news = await this.#connection.read((statements) => {
      const changes = readChanges(statements);
      if (changes === this.#seen) {
        return undefined;
      }
      // In one state of the file, or a message that comes in between would count as missed.
      return statements.transaction("deferred", () => {
        const messages = readMessages(statements, this.#cursor, messagesAtATime);
        return { changes, messages, lastId: messages.at(-1)?.id ?? findLastId(statements) };
      });
    });
    if (news === undefined) {
      return false;
    }
    const { changes, messages, lastId } = news;
    for (const message of messages) {
      this.#take(message);
    }
    if (lastId > this.#cursor) {
      this.#cursor = lastId;
      this.#tellMissed();
    }
    if (messages.length === messagesAtATime) {
      return true;
    }
    this.#seen = changes;
    return false;
  }

  #take({ id, sender, topic, message }: KeptMessage): void {
    if (id <= this.#cursor) {
      // Everybody left and somebody came back while it was being read.
      return;
    }
    if (id > this.#cursor + 1) {
      this.#tellMissed();
    }
    this.#cursor = id;
    if (sender !== this.#id) {
      this.#tell(topic, ({ after, listener }) => {
        if (after < id) {
          listener.message(message);
        }
      });
    }
  }

  #tellMissed(): void {
    for (const topic of [...this.#topics.keys()]) {
      this.#tell(topic, ({ listener }) => listener.missed());
    }
  }

  #tell(topic: string, tell: (subscription: Subscription) => void): void {
    // One that is removed by another meanwhile is not told.
    for (const subscription of this.#topics.get(topic) ?? []) {
      if (this.#isClosed) {
        return;
      }
      try {
        tell(subscription);
      } catch {
        // It must not throw; the others, and who published, have nothing to do with it.
      }
    }
  }
}

/**
 * Messages through Redis. A publish whose reply was lost is sent again; numbers in the messages tell what came twice, and
 * what came too late to be given in order.
 *
 * Listening needs a connection of its own, which is opened for the first listener and asked once for each topic.
 */
import { createDeferred } from "../../base/deferred.ts";
import { createId } from "../../base/id.ts";
import { type Clock, sleep } from "../../base/timer.ts";
import type { Bus, BusListener } from "../contracts.ts";
import type { Commands } from "./commands.ts";
import type { SubscriberConnection } from "./connection.ts";
import type { Names } from "./names.ts";
import { Operations } from "./operations.ts";

/** What a bus is made of. */
export interface RedisBusOptions {
  readonly commands: Commands;
  readonly names: Names;
  readonly place: string;
  readonly timeoutMs: number;
  readonly clock: Clock;
  /** Opens the connection for what is published. */
  readonly openSubscriber: (hear: (channel: string, message: string) => void) => Promise<SubscriberConnection>;
}

/** One channel that somebody listens to. */
interface Topic {
  readonly listeners: Set<{ readonly listener: BusListener }>;
  /** Settles with the first listener's SUBSCRIBE. */
  readonly joined: Promise<unknown>;
  isJoined: boolean;
  /** The number of the last message, by publisher. */
  readonly numbers: Map<string, number>;
}

/** How long after it was refused listening again is asked for again, in milliseconds. */
const rejoinDelayMs = 1_000;

/**
 * How often it is made sure that the server still sends, in milliseconds: who only listens would never learn that the other
 * end is gone without a word.
 */
const heartbeatMs = 10_000;

/** See the head of this file. */
export class RedisBus implements Bus {
  readonly #options: RedisBusOptions;
  readonly #operations: Operations<SubscriberConnection>;
  readonly #topics = new Map<string, Topic>();
  readonly #id = createId(8);
  #sent = 0;
  #isClosed = false;
  #cancelHeartbeat: (() => void) | undefined;

  constructor(options: RedisBusOptions) {
    const { place, timeoutMs, clock, openSubscriber } = options;
    this.#options = options;
    this.#operations = new Operations({
      open: () => openSubscriber((channel, text) => this.#hear(channel, text)),
      place,
      timeoutMs,
      clock,
      onBack: () => void this.#rejoin(),
    });
  }

  async publish(topic: string, message: string): Promise<void> {
    this.#sent += 1;
    const { commands, names } = this.#options;
    await commands.run(["PUBLISH", names.topic(topic), `${this.#id} ${this.#sent} ${message}`]);
  }

  async subscribe(topic: string, listener: BusListener): Promise<() => void> {
    const channel = this.#options.names.topic(topic);
    const found = this.#topics.get(channel) ?? this.#join(channel);
    const entry = { listener };
    found.listeners.add(entry);
    const leave = (): void => {
      found.listeners.delete(entry);
      if (found.listeners.size === 0 && this.#topics.get(channel) === found) {
        this.#leave(channel);
      }
    };
    try {
      await found.joined;
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelHeartbeat?.();
    this.#topics.clear();
    await this.#operations.close();
  }

  #join(channel: string): Topic {
    const joined = createDeferred<unknown>();
    const topic: Topic = { listeners: new Set(), joined: joined.promise, isJoined: false, numbers: new Map() };
    this.#topics.set(channel, topic);
    this.#operations
      .run((connection) => connection.subscribe([channel]))
      .then((outcome) => {
        topic.isJoined = true;
        if (this.#cancelHeartbeat === undefined) {
          this.#beat();
        }
        joined.resolve(outcome);
      }, joined.reject);
    return topic;
  }

  #beat(): void {
    if (this.#isClosed) {
      return;
    }
    this.#cancelHeartbeat = this.#options.clock.after(heartbeatMs, () => {
      this.#operations
        .run((connection) => connection.ping())
        .catch(() => {
          // Whoever runs it has given the connection up by now, and connects again.
        });
      this.#beat();
    });
  }

  /** Sent at once, so that a SUBSCRIBE that comes after it is carried out after it. */
  #leave(channel: string): void {
    this.#topics.delete(channel);
    this.#operations
      .run((connection) => connection.unsubscribe(channel))
      .catch(() => {
        // A message that comes nevertheless is where it is tried again.
      });
  }

  #hear(channel: string, text: string): void {
    const topic = this.#topics.get(channel);
    if (topic === undefined) {
      if (!this.#isClosed) {
        this.#leave(channel);
      }
      return;
    }
    const match = /^(\S+) (\d+) (.*)$/s.exec(text);
    if (match === null) {
      return;
    }
    const [, publisher = "", digits, message = ""] = match;
    const number = Number(digits);
    const last = topic.numbers.get(publisher) ?? 0;
    if (number > last) {
      topic.numbers.set(publisher, number);
      this.#tell(topic, (listener) => listener.message(message));
    } else if (number < last) {
      // Sent a second time after later ones: whether it came the first time is not known here.
      this.#tell(topic, (listener) => listener.missed());
    }
  }

  /** The connection is back, and the server has forgotten what it was asked for. */
  async #rejoin(): Promise<void> {
    const channels = [...this.#topics].flatMap(([channel, { isJoined }]) => (isJoined ? [channel] : []));
    if (channels.length === 0 || this.#isClosed) {
      return;
    }
    try {
      await this.#operations.run((connection) => connection.subscribe(channels));
    } catch {
      // Nobody else could ask again, and listeners would hear nothing more.
      await sleep(this.#options.clock, rejoinDelayMs);
      return this.#rejoin();
    }
    for (const channel of channels) {
      const topic = this.#topics.get(channel);
      if (topic !== undefined) {
        this.#tell(topic, (listener) => listener.missed());
      }
    }
  }

  #tell(topic: Topic, tell: (listener: BusListener) => void): void {
    for (const entry of [...topic.listeners]) {
      // One that was removed by another meanwhile hears nothing more.
      if (!topic.listeners.has(entry)) {
        continue;
      }
      try {
        tell(entry.listener);
      } catch {
        // It promised not to throw, and the others must not pay for it.
      }
    }
  }
}

/** The three primitives over one Redis, and their end. */
import { UsageError } from "../../base/error.ts";
import { type Clock, systemClock } from "../../base/timer.ts";
import { JoinedStore, type StoreParts } from "../joined-store.ts";
import { RedisBus } from "./bus.ts";
import { Commands } from "./commands.ts";
import type { CommandConnection, SubscriberConnection } from "./connection.ts";
import { RedisLog } from "./log.ts";
import { createNames } from "./names.ts";
import { Operations } from "./operations.ts";
import { RedisValues } from "./values.ts";

/** See `RedisOptions` in open.node.ts. */
export interface RedisStoreOptions {
  /**
   * What every key and channel begins with, so that several stores share a server without seeing each other. Default
   * `parley:`.
   */
  prefix?: string | undefined;
  /**
   * Longest an operation waits for a connection and a reply together, in milliseconds. Default 5 000, at most 30 000: what
   * is needed to make an append only once is kept for a minute.
   */
  timeoutMs?: number | undefined;
  /** Measures that limit. What expires in Redis does so by Redis' own clock. Default: the system's. */
  clock?: Clock | undefined;
}

const longestTimeoutMs = 30_000;

/** See the head of this file. */
export class RedisStore extends JoinedStore {
  protected readonly parts: StoreParts;
  readonly #operations: Operations<CommandConnection>;
  readonly #bus: RedisBus;
  #closing: Promise<void> | undefined;

  /**
   * @param open - opens the connection for commands, when it is first needed
   * @param place - host and port, for messages
   */
  constructor(open: () => Promise<CommandConnection>, place: string, options: RedisStoreOptions = {}) {
    super();
    const { prefix = "parley:", timeoutMs = 5_000, clock = systemClock } = options;
    if (!(timeoutMs > 0 && timeoutMs <= longestTimeoutMs)) {
      throw new UsageError(`timeoutMs: expected milliseconds above 0, at most ${longestTimeoutMs}, got ${timeoutMs}`);
    }
    const names = createNames(prefix);
    this.#operations = new Operations({ open, place, timeoutMs, clock });
    const commands = new Commands(this.#operations, place);
    const openSubscriber = async (hear: (channel: string, text: string) => void): Promise<SubscriberConnection> =>
      (await this.#operations.connection()).openSubscriber(hear);
    this.#bus = new RedisBus({ commands, names, place, timeoutMs, clock, openSubscriber });
    this.parts = { values: new RedisValues(commands, names), log: new RedisLog(commands, names), bus: this.#bus };
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    await Promise.all([this.#bus.close(), this.#operations.close()]);
  }
}

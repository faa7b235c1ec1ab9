/**
 * One stream's log as one node writes it: entry after entry, in the order in which they were given.
 *
 * Knows no connection. Which entries there are is stream-entry.ts.
 */
import type { LogEntry } from "../../store/contracts.ts";
import { Feed } from "../../store/feed.ts";
import { type StreamName, toLogName } from "./event-id.ts";
import type { HttpRuntime } from "./runtime.ts";
import { encodeEntry, type StreamEntry } from "./stream-entry.ts";

/** See the head of this file. */
export class StreamLog {
  readonly name: StreamName;
  readonly feed: Feed;
  readonly #runtime: HttpRuntime;
  /** The last that was asked for. */
  #settled: Promise<unknown> = Promise.resolve();

  constructor(runtime: HttpRuntime, name: StreamName) {
    const { events = {}, clock } = runtime.options;
    this.feed = new Feed(runtime.store, toLogName(name), events, clock);
    this.#runtime = runtime;
    this.name = name;
  }

  /** Resolves once everything that was given until now is kept, or could not be. */
  get settled(): Promise<unknown> {
    return this.#settled;
  }

  /** Keeps an entry behind those given before; nothing, and a report, where the store fails. */
  append(entry: StreamEntry): Promise<LogEntry | undefined> {
    return this.enqueue(() => this.appendNow(entry));
  }

  /** Does something that appends, once everything given before is settled. It must not reject. */
  enqueue<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#settled.then(work);
    this.#settled = done;
    return done;
  }

  /**
   * Keeps an entry at once, for work that was enqueued.
   *
   * @param condition - what must have succeeded before
   */
  async appendNow(entry: StreamEntry, condition?: Promise<void>): Promise<LogEntry | undefined> {
    try {
      await condition;
      return await this.feed.append(encodeEntry(entry));
    } catch (error) {
      const what = "the store failed to keep an event; whoever is connected here gets it all the same";
      this.#runtime.report("MCP_D_EVENT_NOT_STORED", what, error);
      return undefined;
    }
  }

  /** Forgets the log, once what is under way is settled. Never rejects. */
  drop(): Promise<void> {
    return this.enqueue(() => this.feed.drop()).catch((error: unknown) => {
      const what = "the store failed to forget an event stream; it goes by its own age";
      this.#runtime.report("MCP_D_EVENT_LOG_FAILED", what, error);
    });
  }
}

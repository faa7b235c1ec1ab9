// A store of one's own, proved by the contract suite: here one that has a part of another store for itself, so that two
// definitions can share one. A store over another database looks the same, with the database in place of `inner`.

import type {
  AppendOptions,
  BusListener,
  DeleteOptions,
  LogEntry,
  LogSlice,
  SetOptions,
  Store,
  StoredValue,
} from "parley-mcp/store";
import { createMemoryStore, StoreError } from "parley-mcp/store";
import { createFakeClock } from "parley-mcp/test";
import { describeStore } from "parley-mcp/test/store";

class PartOfStore implements Store {
  readonly #inner: Store;
  readonly #prefix: string;
  readonly #listening = new Set<() => void>();
  #isClosed = false;

  constructor(inner: Store, prefix: string) {
    this.#inner = inner;
    this.#prefix = prefix;
  }

  async get(key: string): Promise<StoredValue | undefined> {
    return this.#open().get(this.#prefix + key);
  }

  async set(key: string, value: string, options?: SetOptions): Promise<string | undefined> {
    return this.#open().set(this.#prefix + key, value, options);
  }

  async append(log: string, value: string, options?: AppendOptions): Promise<LogEntry> {
    return this.#open().append(this.#prefix + log, value, options);
  }

  async subscribe(topic: string, listener: BusListener): Promise<() => void> {
    const stop = await this.#open().subscribe(this.#prefix + topic, listener);
    this.#listening.add(stop);
    return () => {
      this.#listening.delete(stop);
      stop();
    };
  }

  async delete(key: string, options?: DeleteOptions): Promise<boolean> {
    return this.#open().delete(this.#prefix + key, options);
  }

  async *keys(prefix: string): AsyncGenerator<string, void, undefined> {
    for await (const key of this.#open().keys(this.#prefix + prefix)) {
      yield key.slice(this.#prefix.length);
    }
  }

  async read(log: string, after?: number): Promise<LogSlice | undefined> {
    return this.#open().read(this.#prefix + log, after);
  }

  async drop(log: string): Promise<void> {
    return this.#open().drop(this.#prefix + log);
  }

  async publish(topic: string, message: string): Promise<void> {
    return this.#open().publish(this.#prefix + topic, message);
  }

  /** The store behind it belongs to somebody else, and stays open. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const stop of this.#listening) {
      stop();
    }
    this.#listening.clear();
  }

  #open(): Store {
    if (this.#isClosed) {
      throw new StoreError("unavailable", "expected a store that is open, but it was closed");
    }
    return this.#inner;
  }
}

// #region prove
describeStore("a part of a store", () => {
  const clock = createFakeClock();
  const inner = createMemoryStore({ clock });
  return {
    store: new PartOfStore(inner, "mine/"),
    other: new PartOfStore(inner, "mine/"), // as another process has it
    advance: (ms) => clock.advance(ms),
    close: () => inner.close(),
  };
});
// #endregion

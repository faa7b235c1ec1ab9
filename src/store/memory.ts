/**
 * A store in the memory of one process, bounded. What is in it ends with the process.
 *
 * What has expired is freed by the next operation, or by a timer where none comes. The three parts are memory-values.ts,
 * memory-log.ts and memory-bus.ts.
 */
import type { OnDiagnostic } from "../base/diagnostic.ts";
import { type Clock, systemClock } from "../base/timer.ts";
import type {
  AppendOptions,
  BusListener,
  DeleteOptions,
  LogEntry,
  LogSlice,
  SetOptions,
  Store,
  StoredValue,
} from "./contracts.ts";
import { StoreError } from "./error.ts";
import { MemoryBus } from "./memory-bus.ts";
import { MemoryLog } from "./memory-log.ts";
import { MemoryValues } from "./memory-values.ts";

/** Options of {@link createMemoryStore}. */
export interface MemoryStoreOptions {
  /** Most values at a time. Default 100 000. */
  maxEntries?: number | undefined;
  /** Most bytes of keys and values together, two for each UTF-16 unit. Default 256 MiB. */
  maxBytes?: number | undefined;
  /** Most bytes of all logs together, two for each UTF-16 unit of name and value and 200 for each entry. Default 64 MiB. */
  maxLogBytes?: number | undefined;
  /** Told where a listener threw. Default: nobody is. */
  onDiagnostic?: OnDiagnostic | undefined;
  /** What time it is. Default: the system's, whose timers do not keep a process alive. */
  clock?: Clock | undefined;
}

/** How much a store in memory holds. */
export interface MemoryUsage {
  /** Values, expired ones included that are not freed yet. */
  readonly values: number;
  readonly logs: number;
  /** Entries of all logs. */
  readonly entries: number;
  readonly listeners: number;
  /** Bytes of all these, as the bounds count them. */
  readonly bytes: number;
}

/** A store in memory, which can say how much it holds. */
export interface MemoryStore extends Store {
  /** Counts what is held at the moment, for monitoring; frees nothing. */
  usage(): MemoryUsage;
}

/**
 * Makes an empty store in memory.
 *
 * Values beyond a bound are refused: `set` rejects with {@link StoreError} and nothing is written. Of logs the oldest
 * entries are given up, whichever log they are in; only an entry that is larger than the bound is refused.
 *
 * @example
 * ```ts
 * import { createMemoryStore } from "parley-mcp/store";
 *
 * const store = createMemoryStore({ maxEntries: 1_000 });
 * const version = await store.set("greeting", "hello", { ttlMs: 60_000 });
 * await store.set("greeting", "good day", { ifVersion: version });
 * ```
 */
export function createMemoryStore(options: MemoryStoreOptions = {}): MemoryStore {
  return new StoreInMemory(options);
}

class StoreInMemory implements MemoryStore {
  readonly #values: MemoryValues;
  readonly #log: MemoryLog;
  readonly #bus: MemoryBus;
  #isClosed = false;

  constructor({
    maxEntries = 100_000,
    maxBytes = 268_435_456,
    maxLogBytes = 67_108_864,
    onDiagnostic,
    clock = systemClock,
  }: MemoryStoreOptions) {
    this.#values = new MemoryValues({ maxEntries, maxBytes }, clock);
    this.#log = new MemoryLog(maxLogBytes, clock);
    this.#bus = new MemoryBus((detail) =>
      onDiagnostic?.({
        code: "MCP_D_CALLBACK_FAULT",
        message: "expected a listener of the memory store's bus not to throw, but it did; the others were told",
        detail,
      }),
    );
  }

  async get(key: string): Promise<StoredValue | undefined> {
    this.#assertOpen();
    return this.#values.get(key);
  }

  async set(key: string, value: string, options?: SetOptions): Promise<string | undefined> {
    this.#assertOpen();
    return this.#values.set(key, value, options);
  }

  async delete(key: string, options?: DeleteOptions): Promise<boolean> {
    this.#assertOpen();
    return this.#values.delete(key, options);
  }

  async *keys(prefix: string): AsyncGenerator<string, void, undefined> {
    this.#assertOpen();
    for (const key of this.#values.list(prefix)) {
      if (this.#values.has(key)) {
        yield key;
      }
      this.#assertOpen();
    }
  }

  async append(log: string, value: string, options?: AppendOptions): Promise<LogEntry> {
    this.#assertOpen();
    return this.#log.append(log, value, options);
  }

  async read(log: string, after?: number): Promise<LogSlice | undefined> {
    this.#assertOpen();
    return this.#log.read(log, after);
  }

  async drop(log: string): Promise<void> {
    this.#assertOpen();
    this.#log.drop(log);
  }

  async publish(topic: string, message: string): Promise<void> {
    this.#assertOpen();
    this.#bus.publish(topic, message);
  }

  async subscribe(topic: string, listener: BusListener): Promise<() => void> {
    this.#assertOpen();
    return this.#bus.subscribe(topic, listener);
  }

  usage(): MemoryUsage {
    return {
      values: this.#values.size,
      logs: this.#log.logs,
      entries: this.#log.entries,
      listeners: this.#bus.listeners,
      bytes: this.#values.bytes + this.#log.bytes,
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#values.clear();
    this.#log.clear();
    this.#bus.clear();
  }

  #assertOpen(): void {
    if (this.#isClosed) {
      throw new StoreError("unavailable", "the memory store is closed; open another, or close it later");
    }
  }
}

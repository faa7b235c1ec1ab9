/**
 * What a store backend has to provide: three primitives. Typed stores are written once above them; nothing here knows what
 * is kept.
 *
 * Keys, values, names and messages are text. A backend that several processes share gives all of them the same view.
 */

/** A value, and what tells it from the one that was there before and from the one that comes after. */
export interface StoredValue {
  readonly value: string;
  /** Differs after every write of the key. Opaque. */
  readonly version: string;
}

/** Options of {@link KeyValue.set}. */
export interface SetOptions {
  /** After how many milliseconds the value is gone. Default: never. */
  ttlMs?: number | undefined;
  /**
   * Writes only if the key still has this version; `null`, only if it has no value. Default: whatever is there is
   * replaced.
   */
  ifVersion?: string | null | undefined;
}

/** Options of {@link KeyValue.delete}. */
export interface DeleteOptions {
  /** Deletes only if the key still has this version. Default: whatever is there. */
  ifVersion?: string | undefined;
}

/**
 * Values by key, with expiry and compare-and-set.
 *
 * Implementors promise: a write is visible to every later read of anybody, and kept as durably as the backend says, before
 * its promise resolves; `ifVersion` is decided atomically, also between processes that share the store; a value past its
 * `ttlMs` is never returned and counts as absent; a backend that cannot be reached rejects and never answers "absent".
 */
export interface KeyValue {
  /** The value of a key, or `undefined` where there is none. */
  get(key: string): Promise<StoredValue | undefined>;
  /**
   * Writes a value.
   *
   * @returns its version, or `undefined` where `ifVersion` did not hold and nothing was written
   */
  set(key: string, value: string, options?: SetOptions): Promise<string | undefined>;
  /**
   * Deletes a value.
   *
   * @returns whether there was one, of that version where one was given
   */
  delete(key: string, options?: DeleteOptions): Promise<boolean>;
  /**
   * Every key that begins with a prefix and has a value, in any order. Keys written meanwhile may be missing. May cost as
   * much as the store is big: for tools and tests, not for requests.
   */
  keys(prefix: string): AsyncIterable<string>;
}

/** One entry of a log. */
export interface LogEntry {
  /** Where it stands: a whole number above 0 that grows with every entry of its log. */
  readonly position: number;
  /** The position of the entry before it, kept or not; 0 for the first. */
  readonly previous: number;
  readonly value: string;
}

/** What a log keeps; the oldest entries go first. The limits of the newest `append` hold. */
export interface AppendOptions {
  /** How long an entry is kept, in milliseconds. Default: as long as the log is. */
  ttlMs?: number | undefined;
  /** Entries kept. Default: any number. */
  maxEntries?: number | undefined;
  /** Bytes of values kept, two for each UTF-16 unit or as the backend counts them. The newest entry stays in any case. Default: any number. */
  maxBytes?: number | undefined;
}

/** What followed in a log. */
export interface LogSlice {
  /** In order. */
  readonly entries: readonly LogEntry[];
  /** Whether nothing that followed has been dropped. */
  readonly complete: boolean;
}

/**
 * Entries in order, by log; a log begins with its first entry.
 *
 * Implementors promise: all writers of a log, in all processes, agree on one order; positions only grow, also where a log
 * was dropped or has expired and begins again (the time in milliseconds, or one more than the last, is a good position);
 * an entry can be read by anybody once `append` has resolved; a limit drops the oldest entries and `complete` says so;
 * what has expired is freed, whether or not anybody asks.
 */
export interface Log {
  /** Adds an entry; resolves once it is kept. */
  append(log: string, value: string, options?: AppendOptions): Promise<LogEntry>;
  /**
   * The entries behind a position.
   *
   * @param after - default 0: all that are kept
   * @returns `undefined` where nothing is known of the log: it never began, was dropped, or has expired as a whole
   */
  read(log: string, after?: number): Promise<LogSlice | undefined>;
  /** Forgets a log and all its entries. */
  drop(log: string): Promise<void>;
}

/** Who hears a topic. Must not throw. */
export interface BusListener {
  message(text: string): void;
  /** Messages may have been missed, because a connection was lost and is back: read again what they are about. */
  missed(): void;
}

/**
 * Messages to whoever listens at the moment; nothing is kept.
 *
 * Implementors promise: a message reaches every listener of its topic, in every process, its sender's own included, at most
 * once, and those of one publisher in order; `subscribe` resolves once nothing that is published afterwards is missed; a
 * listener whose connection was lost gets `missed` when it is back.
 */
export interface Bus {
  /** Sends a message; resolves once it is on its way. */
  publish(topic: string, message: string): Promise<void>;
  /**
   * Listens.
   *
   * @returns stops listening, at once
   */
  subscribe(topic: string, listener: BusListener): Promise<() => void>;
}

/**
 * A backend: the three primitives over one place, and its end. Prove one's own with `parley-mcp/test/store`.
 *
 * Every method rejects with `StoreError` where the place cannot be reached within the backend's limits.
 */
export interface Store extends KeyValue, Log, Bus {
  /** Gives up what the store opened itself; a handle that was given to it stays open. Listeners hear nothing more. */
  close(): Promise<void>;
}

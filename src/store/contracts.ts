/**
 * What a store backend has to provide. Typed stores are written once above this; nothing here knows what is kept.
 *
 * Keys and values are text. A backend that several processes share gives all of them the same view.
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
  /** Every key that begins with a prefix and has a value, in any order. Keys written meanwhile may be missing. */
  keys(prefix: string): AsyncIterable<string>;
}

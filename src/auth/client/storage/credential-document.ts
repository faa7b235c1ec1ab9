/**
 * A store made of one text that is read and replaced as a whole: the format of the text, and the promises of a store.
 *
 * Where the text is kept, and how processes take turns at replacing it, is the caller's.
 */
import { createId } from "../../../base/id.ts";
import { isObject, parseJson } from "../../../base/json.ts";
import type { Clock } from "../../../base/timer.ts";
import type { DeleteOptions, KeyValue, SetOptions, StoredValue } from "../../../store/contracts.ts";
import { dropExpired, type Entries, findLive, isExpected, listKeys, toEntry } from "../../../store/entry.ts";

/** Where the entries of a {@link DocumentStore} are. */
export interface CredentialDocument {
  /** What was written last, by whichever process. */
  read(): Promise<Entries>;
  /**
   * Changes the entries while no other process does.
   *
   * @param edit - changes them and says whether it did. May run more than once, each time on what is there then.
   */
  change(edit: (entries: Entries) => boolean): Promise<void>;
}

/** See the head of this file. Versions are random, so that none returns after a deletion, a restart or a lost file. */
export class DocumentStore implements KeyValue {
  readonly #document: CredentialDocument;
  readonly #clock: Clock;

  constructor(document: CredentialDocument, clock: Clock) {
    this.#document = document;
    this.#clock = clock;
  }

  async get(key: string): Promise<StoredValue | undefined> {
    const found = findLive(await this.#document.read(), key, this.#clock.now());
    return found === undefined ? undefined : { value: found.value, version: found.version };
  }

  async set(key: string, value: string, { ttlMs, ifVersion }: SetOptions = {}): Promise<string | undefined> {
    let version: string | undefined;
    await this.#document.change((entries) => {
      const now = this.#clock.now();
      const isWritten = isExpected(findLive(entries, key, now), ifVersion);
      version = isWritten ? createId() : undefined;
      if (version !== undefined) {
        entries.set(key, toEntry(value, version, now, ttlMs));
        dropExpired(entries, now);
      }
      return isWritten;
    });
    return version;
  }

  async delete(key: string, { ifVersion }: DeleteOptions = {}): Promise<boolean> {
    let isDeleted = false;
    await this.#document.change((entries) => {
      const now = this.#clock.now();
      const found = findLive(entries, key, now);
      isDeleted = found !== undefined && isExpected(found, ifVersion) && entries.delete(key);
      if (isDeleted) {
        dropExpired(entries, now);
      }
      return isDeleted;
    });
    return isDeleted;
  }

  async *keys(prefix: string): AsyncGenerator<string, void, undefined> {
    yield* listKeys(await this.#document.read(), prefix, this.#clock.now());
  }
}

const format = 1;
const maxDepth = 4;

/** The text of entries. */
export function encodeEntries(entries: Entries): string {
  const list = [...entries].map(([key, { value, version, expiresAtMs }]) => ({
    key,
    value,
    version,
    ...(expiresAtMs === Number.POSITIVE_INFINITY ? undefined : { expiresAtMs }),
  }));
  return `${JSON.stringify({ format, entries: list }, undefined, 1)}\n`;
}

/** Entries, or why a text has none: it is damaged, or a later version of this library wrote it. */
export type DecodedEntries =
  | { readonly ok: true; readonly entries: Entries }
  | { readonly ok: false; readonly reason: "damaged" | "newer" };

/** Reads a text that {@link encodeEntries} has made. An empty one is damaged. */
export function decodeEntries(text: string): DecodedEntries {
  const parsed = parseJson(text, maxDepth);
  if (!parsed.ok || !isObject(parsed.value)) {
    return { ok: false, reason: "damaged" };
  }
  const { format: found, entries: list } = parsed.value;
  if (typeof found === "number" && found > format) {
    return { ok: false, reason: "newer" };
  }
  const entries: Entries = new Map();
  for (const item of Array.isArray(list) ? list : [undefined]) {
    const { key, value, version, expiresAtMs = Number.POSITIVE_INFINITY } = isObject(item) ? item : {};
    if (
      typeof key !== "string" ||
      typeof value !== "string" ||
      typeof version !== "string" ||
      typeof expiresAtMs !== "number"
    ) {
      return { ok: false, reason: "damaged" };
    }
    entries.set(key, { value, version, expiresAtMs });
  }
  return { ok: true, entries };
}

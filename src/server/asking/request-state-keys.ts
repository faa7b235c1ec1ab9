/**
 * The keys of the state that travels with the client: the author's, one that is shared through a store, or one of this
 * process. What they seal is request-state.ts.
 */
import { decodeBase64Url, encodeBase64Url } from "../../base/base64url.ts";
import { UsageError } from "../../base/error.ts";
import type { KeyValue } from "../../store/contracts.ts";
import type { MaybePromise } from "../maybe.ts";

/** Where keys come from. */
export interface StateKeys {
  /** The key that seals, and what it is called where that has to travel along. */
  newest(): MaybePromise<{ readonly name?: string; readonly bytes: Uint8Array }>;
  /** The keys to try on a state, one after the other. @param name - what the state calls its key */
  candidates(name: string | undefined): readonly (() => MaybePromise<Uint8Array | undefined>)[];
}

const keyLength = 32;
const minPassphrase = 16;

/** The most that every platform with web crypto allows. */
const iterations = 100_000;

/** A shared key seals for a day, or for as long as a state is good where that is longer. */
const periodMs = 86_400_000;

/**
 * The author's keys, the newest first.
 *
 * @throws UsageError for one that is none
 */
export function toConfiguredKeys(given: readonly [Uint8Array | string, ...(Uint8Array | string)[]]): StateKeys {
  const [first, ...rest] = given;
  const newest = toKey(first, 0);
  const all = [newest, ...rest.map((key, index) => toKey(key, index + 1))];
  return { newest: async () => ({ bytes: await newest() }), candidates: () => all };
}

/** A key that nobody else has, and that ends with this process. */
export function createProcessKeys(): StateKeys {
  const bytes = createKey();
  return { newest: () => ({ bytes }), candidates: () => [() => bytes] };
}

/**
 * Keys made at random and kept in a store, one for each period, so that all who share the store have the same. Each is
 * read when it is needed: a store that was emptied heals itself, at the price of the states that were under way.
 */
export class SharedKeys implements StateKeys {
  readonly #store: KeyValue;
  readonly #periodMs: number;
  readonly #now: () => number;

  /**
   * @param ttlMs - how long a state is good, in milliseconds
   * @param now - milliseconds since the epoch
   */
  constructor(store: KeyValue, ttlMs: number, now: () => number) {
    this.#store = store;
    this.#periodMs = Math.max(periodMs, ttlMs);
    this.#now = now;
  }

  async newest(): Promise<{ readonly name: string; readonly bytes: Uint8Array }> {
    const name = String(this.#period);
    for (;;) {
      const stored = await this.#store.get(toStoreKey(name));
      const known = stored && readKey(stored.value);
      if (known !== undefined) {
        return { name, bytes: known };
      }
      const bytes = createKey();
      const options = { ifVersion: stored?.version ?? null, ttlMs: 3 * this.#periodMs };
      if ((await this.#store.set(toStoreKey(name), encodeBase64Url(bytes), options)) !== undefined) {
        return { name, bytes };
      }
    }
  }

  /** No other period can have sealed what is still good, clocks that differ included. */
  candidates(name: string | undefined): readonly (() => Promise<Uint8Array | undefined>)[] {
    const period = this.#period;
    return name !== undefined && [period, period - 1, period + 1].map(String).includes(name)
      ? [() => this.#read(name)]
      : [];
  }

  get #period(): number {
    return Math.floor(this.#now() / this.#periodMs);
  }

  async #read(name: string): Promise<Uint8Array | undefined> {
    const stored = await this.#store.get(toStoreKey(name));
    return stored && readKey(stored.value);
  }
}

function toStoreKey(name: string): string {
  return `request-state/key/${name}`;
}

function readKey(text: string): Uint8Array | undefined {
  const bytes = decodeBase64Url(text);
  return bytes?.length === keyLength ? bytes : undefined;
}

function createKey(): Uint8Array {
  return crypto.getRandomValues(new Uint8Array(keyLength));
}

function toKey(given: Uint8Array | string, index: number): () => MaybePromise<Uint8Array> {
  const place = `requestState.keys[${index}]`;
  const bytes = typeof given === "string" ? decodeBase64Url(given) : given;
  if (bytes?.length === keyLength) {
    const key = Uint8Array.from(bytes);
    return () => key;
  }
  if (typeof given !== "string") {
    throw new UsageError(`${place}: expected ${keyLength} bytes, got ${given.length}`);
  }
  if (given.length < minPassphrase) {
    throw new UsageError(
      `${place}: expected ${keyLength} bytes as base64url, or a passphrase of at least ${minPassphrase} characters, ` +
        `got ${given.length} characters`,
    );
  }
  let derived: Promise<Uint8Array> | undefined;
  return () => {
    derived ??= deriveKey(given);
    return derived;
  };
}

/** All processes with the same passphrase get the same key, so there is nothing random to salt it with. */
async function deriveKey(passphrase: string): Promise<Uint8Array> {
  const encoder = new TextEncoder();
  const secret = await crypto.subtle.importKey("raw", encoder.encode(passphrase), "PBKDF2", false, ["deriveBits"]);
  const salt = encoder.encode("parley-mcp request state");
  const parameters = { name: "PBKDF2", hash: "SHA-256", salt, iterations };
  return new Uint8Array(await crypto.subtle.deriveBits(parameters, secret, keyLength * 8));
}

/**
 * The signing keys of one issuer: fetched when first needed, kept, and fetched again when a key is unknown.
 *
 * However many tokens with unknown keys arrive, there is one fetch at a time and one within a cooldown, also while the
 * issuer is out of reach. Keys that could not be renewed are used a while longer. RFC 7517 section 5.
 */
import { createLocalJWKSet, errors, type FlattenedJWSInput, type JWSHeaderParameters } from "jose";
import type { GuardedFetch } from "../fetch.ts";
import { fetchIssuerMetadata, fetchJson, readEndpoint } from "./issuer.ts";
import { VerifierUnavailableError } from "./verifier.ts";

/** Options of {@link KeySet}. */
export interface KeySetOptions {
  readonly issuer: string;
  /** `undefined` where the metadata of the issuer says it. */
  readonly jwksUri: string | undefined;
  /** Least time between two fetches, in milliseconds. */
  readonly cooldownMs: number;
  readonly fetch: GuardedFetch;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

type FindKey = ReturnType<typeof createLocalJWKSet>;

/** After this time keys are fetched again, in milliseconds. */
const freshMs = 600_000;

/** For so long keys are used that could not be fetched again, in milliseconds. */
const usableMs = 3_600_000;

/** Least time between two fetches while they fail, in milliseconds. */
const retryMs = 5_000;

/** Most keys of a set that are looked at. */
const maxKeys = 200;

/** See the head of this file. */
export class KeySet {
  readonly #options: KeySetOptions;
  #jwksUri: string | undefined;
  #keys: { readonly find: FindKey; readonly fetchedAt: number } | undefined;
  #nextAttemptAt = Number.NEGATIVE_INFINITY;
  #loading: Promise<void> | undefined;
  #failure: unknown;

  constructor(options: KeySetOptions) {
    this.#options = options;
    this.#jwksUri = options.jwksUri;
  }

  /**
   * The key of a token.
   *
   * @throws {@link VerifierUnavailableError} where there are no keys; an error of `jose` where none fits
   */
  readonly find = async (header: JWSHeaderParameters, token: FlattenedJWSInput): ReturnType<FindKey> => {
    try {
      return await this.#findKnown(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey && this.#mayFetch())) {
        throw error;
      }
    }
    await this.#load();
    return this.#findKnown(header, token);
  };

  /** An unknown key says nothing about a token while newer keys may exist that cannot be fetched. */
  async #findKnown(header: JWSHeaderParameters, token: FlattenedJWSInput): ReturnType<FindKey> {
    const keys = await this.#current();
    try {
      return await keys(header, token);
    } catch (error) {
      throw error instanceof errors.JWKSNoMatchingKey && this.#failure !== undefined ? this.#unavailable() : error;
    }
  }

  async #current(): Promise<FindKey> {
    if (this.#age() >= freshMs && this.#mayFetch()) {
      await this.#load();
    }
    if (this.#keys === undefined || this.#age() >= usableMs) {
      throw this.#unavailable();
    }
    return this.#keys.find;
  }

  #unavailable(): VerifierUnavailableError {
    return new VerifierUnavailableError(`the signing keys of ${this.#options.issuer} could not be fetched`, {
      cause: this.#failure,
    });
  }

  /** Keys from the future, as behind a clock that was set back, are of no known age. */
  #age(): number {
    const ageMs = this.#options.now() - (this.#keys?.fetchedAt ?? Number.NEGATIVE_INFINITY);
    return ageMs < 0 ? freshMs : ageMs;
  }

  /** A fetch that is under way is joined rather than repeated. */
  #mayFetch(): boolean {
    const leftMs = this.#nextAttemptAt - this.#options.now();
    return this.#loading !== undefined || leftMs <= 0 || leftMs > this.#options.cooldownMs + retryMs;
  }

  /** Never rejects: what failed is kept for whoever finds no keys. */
  #load(): Promise<void> {
    this.#loading ??= this.#fetchKeys()
      .catch((error: unknown) => {
        this.#failure = error;
        // The next attempt asks the metadata again: keys may have moved.
        this.#jwksUri = this.#options.jwksUri;
      })
      .finally(() => {
        this.#loading = undefined;
      });
    return this.#loading;
  }

  async #fetchKeys(): Promise<void> {
    const { issuer, cooldownMs, fetch, now } = this.#options;
    this.#nextAttemptAt = now() + Math.min(cooldownMs, retryMs);
    this.#jwksUri ??= readEndpoint(await fetchIssuerMetadata(issuer, fetch), "jwks_uri", issuer);
    const { keys } = await fetchJson(this.#jwksUri, { method: "GET" }, fetch);
    if (!Array.isArray(keys)) {
      throw new VerifierUnavailableError(`expected a key set of ${issuer} with a list of keys, got none`);
    }
    this.#keys = { find: createLocalJWKSet({ keys: keys.slice(0, maxKeys) }), fetchedAt: now() };
    this.#nextAttemptAt = now() + cooldownMs;
    this.#failure = undefined;
  }
}

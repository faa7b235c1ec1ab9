/**
 * Where an authorization server answers questions: read from its metadata when first needed, and again every hour.
 *
 * However many requests wait for it there is one reading at a time and one within a few seconds, also while the server is
 * out of reach. An address that could not be read again stays in use. RFC 8414 section 3.
 */
import type { GuardedFetch } from "../fetch.ts";
import { fetchIssuerMetadata, readEndpoint } from "./issuer.ts";
import { VerifierUnavailableError } from "./verifier.ts";

/** Options of {@link Endpoint}. */
export interface EndpointOptions {
  readonly issuer: string;
  /** The member of the metadata that names it. */
  readonly member: string;
  readonly fetch: GuardedFetch;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** After this time the metadata is read again, in milliseconds. */
const freshMs = 3_600_000;

/** Least time between two readings, in milliseconds. */
const cooldownMs = 5_000;

/** See the head of this file. */
export class Endpoint {
  readonly #options: EndpointOptions;
  #url: string | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #attemptedAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | undefined;
  #failure: unknown;

  constructor(options: EndpointOptions) {
    this.#options = options;
  }

  /**
   * Its address.
   *
   * @throws {@link VerifierUnavailableError} while the metadata cannot be read
   */
  async find(): Promise<string> {
    if (this.#passed(this.#readAt, freshMs) && (this.#reading || this.#passed(this.#attemptedAt, cooldownMs))) {
      await this.#read();
    }
    if (this.#url === undefined) {
      const { issuer, member } = this.#options;
      throw new VerifierUnavailableError(`${member} of ${issuer} could not be found`, { cause: this.#failure });
    }
    return this.#url;
  }

  /** Nothing answers there any more: the metadata is read again as soon as it may be. */
  doubt(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
  }

  /** Behind a clock that was set back nothing is of a known age. */
  #passed(sinceMs: number, limitMs: number): boolean {
    const ageMs = this.#options.now() - sinceMs;
    return ageMs < 0 || ageMs >= limitMs;
  }

  /** Never rejects: what failed is kept for whoever finds no address. */
  #read(): Promise<void> {
    this.#reading ??= this.#readMetadata()
      .catch((error: unknown) => {
        this.#failure = error;
      })
      .finally(() => {
        this.#reading = undefined;
      });
    return this.#reading;
  }

  async #readMetadata(): Promise<void> {
    const { issuer, member, fetch, now } = this.#options;
    this.#attemptedAt = now();
    this.#url = readEndpoint(await fetchIssuerMetadata(issuer, fetch), member, issuer);
    this.#readAt = now();
  }
}

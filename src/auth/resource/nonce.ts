/**
 * Nonces for proofs, made without remembering any: a keyed hash of the time, so that every node with the key agrees.
 *
 * A nonce is good for the window it was made in and the next one. RFC 9449 section 9.
 */
import { encodeBase64Url } from "../../base/base64url.ts";

/** Length of a window, in milliseconds. */
const windowMs = 150_000;

/** Makes nonces and knows its own. */
export class NonceSource {
  readonly #secret: Uint8Array<ArrayBuffer>;
  readonly #now: () => number;

  /**
   * @param secret - the same on all nodes of one resource; random by default
   * @param now - milliseconds since the epoch
   */
  constructor(secret: Uint8Array | undefined, now: () => number) {
    this.#secret = secret === undefined ? crypto.getRandomValues(new Uint8Array(32)) : new Uint8Array(secret);
    this.#now = now;
  }

  /** The nonce of this moment. */
  current(): Promise<string> {
    return this.#compute(this.#window());
  }

  /** Whether a nonce was made here, not long ago. */
  async isFresh(nonce: string): Promise<boolean> {
    const window = this.#window();
    const accepted = await Promise.all([this.#compute(window), this.#compute(window - 1)]);
    return accepted.includes(nonce);
  }

  #window(): number {
    return Math.floor(this.#now() / windowMs);
  }

  async #compute(window: number): Promise<string> {
    const key = await crypto.subtle.importKey("raw", this.#secret, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
    const mac = await crypto.subtle.sign("HMAC", key, new TextEncoder().encode(`dpop-nonce ${window}`));
    return encodeBase64Url(new Uint8Array(mac).subarray(0, 18));
  }
}

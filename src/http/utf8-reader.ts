/**
 * Bytes in chunks to text, the way `TextDecoderStream` does it: a byte-order mark is dropped, a character may be cut
 * anywhere, and what is no UTF-8 becomes U+FFFD. Unlike it, this tells when that happened.
 */

const replacement = "\ufffd";

/** A decoder for one stream. */
export class Utf8Reader {
  readonly #decoder = new TextDecoder();
  readonly #onInvalid: () => void;
  #beforeLast = 0;
  #last = 0;
  #reported = false;

  /** @param onInvalid - called once, at the first bytes that are no UTF-8 */
  constructor(onInvalid: () => void) {
    this.#onInvalid = onInvalid;
  }

  /** The text that is complete with this chunk. */
  decode(chunk: Uint8Array): string {
    const text = this.#decoder.decode(chunk, { stream: true });
    if (!this.#reported) {
      // U+FFFD may also have been sent as itself: only one that was not stands for broken bytes.
      if (text.includes(replacement) && text.split(replacement).length - 1 > this.#countGenuine(chunk)) {
        this.#reported = true;
        this.#onInvalid();
      }
      this.#remember(chunk);
    }
    return text;
  }

  /** How many encoded U+FFFD, the bytes EF BF BD, end in this chunk. */
  #countGenuine(chunk: Uint8Array): number {
    let count = 0;
    let beforeLast = this.#beforeLast;
    let last = this.#last;
    for (const byte of chunk) {
      if (byte === 0xbd && last === 0xbf && beforeLast === 0xef) {
        count += 1;
      }
      beforeLast = last;
      last = byte;
    }
    return count;
  }

  #remember(chunk: Uint8Array): void {
    this.#beforeLast = chunk.at(-2) ?? (chunk.length === 0 ? this.#beforeLast : this.#last);
    this.#last = chunk.at(-1) ?? this.#last;
  }
}

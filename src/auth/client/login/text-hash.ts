/**
 * A short number for a text, the same everywhere and for ever. Spreads names; protects nothing.
 *
 * FNV-1a with 32 bits, with a last round of mixing, since its low bits alone follow the end of the text.
 */

/** An integer from 0 to 2^32 - 1. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

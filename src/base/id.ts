/** Random identifiers from web crypto. */

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-_";

/**
 * A random identifier of letters, digits, `-` and `_`, with six random bits a character.
 *
 * @param length - characters; 27, the default, carry 162 bits
 */
export function createId(length = 27): string {
  let id = "";
  for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
    id += alphabet[byte & 63];
  }
  return id;
}

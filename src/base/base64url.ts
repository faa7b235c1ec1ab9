/**
 * Base64 in the URL-safe alphabet, without padding (RFC 4648, section 5): encode and decode.
 *
 * As strict as base64.ts, on which it stands; padding is refused.
 */

import { decodeBase64, encodeBase64 } from "./base64.ts";

/**
 * Bytes as URL-safe base64 without padding.
 *
 * @param bytes - any number of bytes
 */
export function encodeBase64Url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/**
 * The bytes that a URL-safe base64 text stands for.
 *
 * @param text - URL-safe base64 without padding
 * @returns `undefined` when the text has another character, padding, an impossible length or stray bits
 */
export function decodeBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) {
    return undefined;
  }
  const padding = "=".repeat((4 - (text.length % 4)) % 4);
  return decodeBase64(text.replaceAll("-", "+").replaceAll("_", "/") + padding);
}

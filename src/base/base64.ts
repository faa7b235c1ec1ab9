/**
 * Base64 with padding (RFC 4648, section 4): encode, decode and test, fast enough for megabytes.
 *
 * Strict on purpose: no white space, no missing padding, no stray bits behind the last byte, so that one sequence
 * of bytes has exactly one spelling. The URL-safe alphabet is base64url.ts.
 */

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

const letterCodes = /* @__PURE__ */ Uint8Array.from(alphabet, (letter) => letter.charCodeAt(0));

const letterValues = /* @__PURE__ */ invert(letterCodes);

const paddingCode = 0x3d;

function invert(codes: Uint8Array): Uint8Array {
  const values = new Uint8Array(128);
  codes.forEach((code, value) => {
    values[code] = value;
  });
  return values;
}

/**
 * Whether a text is base64 with padding, and the only spelling of its bytes.
 *
 * @param text - anything received as base64
 */
export function isBase64(text: string): boolean {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) {
    return false;
  }
  const padding = countPadding(text);
  const strayBits = padding === 0 ? 0 : padding === 1 ? 0b11 : 0b1111;
  return ((letterValues[text.charCodeAt(text.length - padding - 1)] ?? 0) & strayBits) === 0;
}

/**
 * Bytes as base64 with padding.
 *
 * @param bytes - any number of bytes
 */
export function encodeBase64(bytes: Uint8Array): string {
  const encoded = new Uint8Array(Math.ceil(bytes.length / 3) * 4);
  let at = 0;
  for (let from = 0; from < bytes.length; from += 3) {
    const triple = ((bytes[from] ?? 0) << 16) | ((bytes[from + 1] ?? 0) << 8) | (bytes[from + 2] ?? 0);
    encoded[at] = letterCodes[triple >> 18] ?? 0;
    encoded[at + 1] = letterCodes[(triple >> 12) & 63] ?? 0;
    encoded[at + 2] = letterCodes[(triple >> 6) & 63] ?? 0;
    encoded[at + 3] = letterCodes[triple & 63] ?? 0;
    at += 4;
  }
  const padding = (3 - (bytes.length % 3)) % 3;
  encoded.fill(paddingCode, encoded.length - padding);
  return new TextDecoder().decode(encoded);
}

/**
 * The bytes that a base64 text stands for.
 *
 * @param text - base64 with padding
 * @returns `undefined` when {@link isBase64} refuses the text
 */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!isBase64(text)) {
    return undefined;
  }
  const bytes = new Uint8Array((text.length / 4) * 3 - countPadding(text));
  let at = 0;
  for (let from = 0; from < text.length; from += 4) {
    const triple =
      (sextet(text, from) << 18) |
      (sextet(text, from + 1) << 12) |
      (sextet(text, from + 2) << 6) |
      sextet(text, from + 3);
    bytes[at] = triple >> 16;
    bytes[at + 1] = triple >> 8;
    bytes[at + 2] = triple;
    at += 3;
  }
  return bytes;
}

function sextet(text: string, index: number): number {
  return letterValues[text.charCodeAt(index)] ?? 0;
}

function countPadding(text: string): number {
  return text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
}

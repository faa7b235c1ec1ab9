/**
 * Page cursors: a position in a list, wrapped so that clients treat it as opaque and made-up cursors are noticed.
 *
 * Neither secret nor signed: a position must hold nothing that its reader may not know or choose.
 * Specification: Server Features > Utilities > Pagination.
 */

import { decodeBase64Url, encodeBase64Url } from "../base/base64url.ts";

/** Most bytes of a position as UTF-8. */
export const maxPositionBytes = 1024;

const tag = 0x70;

/** A position taken out of a cursor, or why there is none. */
export type CursorResult =
  | { readonly ok: true; readonly position: string }
  | { readonly ok: false; readonly problem: string };

/**
 * Wraps a position. The same position always gives the same cursor.
 *
 * @param position - whatever finds the next page again, such as the key of the last item; at most 1,024 bytes of UTF-8
 * @returns `undefined` when the position is too long or is not well-formed Unicode
 */
export function encodeCursor(position: string): string | undefined {
  const bytes = new TextEncoder().encode(position);
  if (bytes.length > maxPositionBytes || /\p{Surrogate}/u.test(position)) {
    return undefined;
  }
  const frame = new Uint8Array(bytes.length + 3);
  const check = checksum(bytes);
  frame.set([tag, check >> 8, check & 0xff]);
  frame.set(bytes, 3);
  return encodeBase64Url(frame);
}

/**
 * Unwraps a position. An unknown cursor is an expected outcome; the server answers it with "invalid params"
 * (PAGE-006).
 *
 * @param cursor - what the client sent
 */
export function decodeCursor(cursor: string): CursorResult {
  const frame = cursor.length > maxPositionBytes * 2 ? undefined : decodeBase64Url(cursor);
  const bytes = frame?.subarray(3);
  if (frame === undefined || bytes === undefined || frame.length < 3 || frame[0] !== tag) {
    return invalid();
  }
  if (checksum(bytes) !== (((frame[1] ?? 0) << 8) | (frame[2] ?? 0))) {
    return invalid();
  }
  try {
    return { ok: true, position: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    // The decoder's message says nothing beyond "not UTF-8", which a made-up cursor may well be.
    return invalid();
  }
}

function invalid(): CursorResult {
  return {
    ok: false,
    problem:
      "Expected a nextCursor of an earlier page of this list, unchanged; this cursor is none. List from the start.",
  };
}

/** Fletcher's sum: tells accidents and guesses from cursors, not forgeries. */
function checksum(bytes: Uint8Array): number {
  let low = 1;
  let high = 0;
  for (const byte of bytes) {
    low = (low + byte) % 255;
    high = (high + low) % 255;
  }
  return (high << 8) | low;
}

/**
 * One value as a header: plain where visible ASCII can hold it, else Base64 of its UTF-8 between two markers.
 *
 * Which values become headers is standard-headers.ts and param-headers.ts; what the headers are called is there too.
 * Specification: Basic > Transports > Streamable HTTP > Request metadata > Value encoding.
 */
import { decodeBase64, encodeBase64 } from "../base/base64.ts";

/** A value that a header can mirror. Numbers are whole and at most 2^53 - 1 either way. */
export type HeaderScalar = string | number | boolean;

/** A text, or why there is none; the problem is written to stand behind the name of what has it. */
export type HeaderValueResult =
  | { readonly ok: true; readonly value: string }
  | { readonly ok: false; readonly problem: string };

/** The headers of a message, or why it cannot be sent with headers. */
export type HeadersResult =
  | { readonly ok: true; readonly headers: { readonly [name: string]: string } }
  | { readonly ok: false; readonly problem: string };

/**
 * Looks up a received header.
 *
 * @param name - in lower case
 * @returns its value, which may be empty, or `undefined` where it was not sent
 */
export type HeaderLookup = (name: string) => string | undefined;

const opening = "=?base64?";
const closing = "?=";

/** Longest part of a value that a message quotes, in characters. */
const maxQuoteLength = 60;

/**
 * A value as it stands in `Mcp-Name` and `Mcp-Param-*` [M-HDR-006] [M-HDR-007] [M-HDR-010].
 *
 * Nothing that comes out can end a header line. Text with half of a surrogate pair is refused because UTF-8 has no
 * bytes for it, so that the header could never match the body.
 *
 * @example
 * ```ts
 * encodeHeaderValue("us-west1"); // { ok: true, value: "us-west1" }
 * encodeHeaderValue(" padded "); // { ok: true, value: "=?base64?IHBhZGRlZCA=?=" }
 * ```
 */
export function encodeHeaderValue(value: HeaderScalar): HeaderValueResult {
  if (typeof value === "number" && !Number.isSafeInteger(value)) {
    return { ok: false, problem: `expected an integer from -(2^53 - 1) to 2^53 - 1, got ${value}` };
  }
  const text = String(value);
  if (isPlain(text)) {
    return { ok: true, value: text };
  }
  if (/\p{Surrogate}/u.test(text)) {
    return { ok: false, problem: `expected text that UTF-8 can hold, got half of a surrogate pair in ${quote(text)}` };
  }
  return { ok: true, value: `${opening}${encodeBase64(new TextEncoder().encode(text))}${closing}` };
}

/**
 * The value that a received header stands for [M-HDR-008] [M-HDR-009].
 *
 * White space around it is not part of it. Tabs inside are taken, as HTTP allows them, though they are never sent.
 *
 * @param text - a header as received
 */
export function decodeHeaderValue(text: string): HeaderValueResult {
  const value = trimHeaderValue(text);
  const strange = /[^\t\x20-\x7e]/u.exec(value);
  if (strange !== null) {
    const found = `${JSON.stringify(strange[0])} at position ${strange.index}`;
    return { ok: false, problem: `expected visible ASCII, with anything else in ${opening}…${closing}, got ${found}` };
  }
  const isEncoded = value.length >= opening.length + closing.length && hasMarkers(value);
  return isEncoded ? decodeMarked(value.slice(opening.length, -closing.length)) : { ok: true, value };
}

/**
 * Compares a received header with the value in the body that it mirrors; integers by their number, so that `42.0`
 * is 42 [M-HDR-003] [M-HDR-009] [M-HDR-020] [M-HDR-021].
 *
 * @param received - the header, `undefined` where it was not sent
 * @param wanted - the value in the body
 * @param source - where in the body that is, for the message
 * @returns what is wrong, to stand behind the header's name, or `undefined` when the two agree
 */
export function checkHeaderValue(
  received: string | undefined,
  wanted: HeaderScalar,
  source: string,
): string | undefined {
  const encoded = encodeHeaderValue(wanted);
  if (!encoded.ok) {
    return `${encoded.problem}, in ${source}`;
  }
  const expectation = `expected ${quote(String(wanted))}, as ${source} says`;
  if (received === undefined) {
    return `${expectation}, got no such header`;
  }
  const decoded = decodeHeaderValue(received);
  if (!decoded.ok) {
    return decoded.problem;
  }
  return isSame(decoded.value, wanted) ? undefined : `${expectation}, got ${quote(decoded.value)}`;
}

/** A header without the spaces and tabs around it, which are no part of its value (RFC 9110, section 5.5). */
export function trimHeaderValue(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text, start)) {
    start += 1;
  }
  while (end > start && isBlank(text, end - 1)) {
    end -= 1;
  }
  return text.slice(start, end);
}

/** The beginning of a value as a message may show it: quoted, control characters escaped. */
export function quote(value: string): string {
  return value.length > maxQuoteLength ? `${JSON.stringify(value.slice(0, maxQuoteLength))}…` : JSON.stringify(value);
}

function isBlank(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code === 0x20 || code === 0x09;
}

function isPlain(text: string): boolean {
  return /^(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?$/.test(text) && !hasMarkers(text);
}

/** Also true where the markers overlap: such text is encoded, to be safe, but never taken as encoded. */
function hasMarkers(text: string): boolean {
  return text.startsWith(opening) && text.endsWith(closing);
}

function decodeMarked(base64: string): HeaderValueResult {
  const bytes = decodeBase64(base64);
  if (bytes === undefined) {
    return { ok: false, problem: `expected Base64 with padding in ${opening}…${closing}, got ${quote(base64)}` };
  }
  try {
    return { ok: true, value: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    // The decoder's error says only that it failed.
    return { ok: false, problem: `expected UTF-8 behind the Base64 ${quote(base64)}, got other bytes` };
  }
}

/** Digits behind the point may only be zeros: a number that is rounded first would hide a difference. */
function isSame(text: string, wanted: HeaderScalar): boolean {
  return typeof wanted === "number"
    ? /^-?(?:0|[1-9]\d*)(?:\.0+)?$/.test(text) && Number(text) === wanted
    : text === String(wanted);
}

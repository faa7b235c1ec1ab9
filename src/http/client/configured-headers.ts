/**
 * The caller's own headers, in any of their usual forms, checked once so that no request fails over them later.
 *
 * Names are lower-cased and several values of one name joined, as HTTP defines it.
 */
import { UsageError } from "../../base/error.ts";

/** Headers as a `Headers` object, as pairs, or as a record. All three mean the same. */
export type HeaderSource = Iterable<readonly [string, string]> | { readonly [name: string]: string };

const tokenPattern = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** What goes over the wire as it is: visible Latin-1, spaces and tabs. */
const valuePattern = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Checks and normalises headers.
 *
 * @throws {@link UsageError} naming the header, never its value, when one cannot be sent
 */
export function resolveHeaders(source: HeaderSource | undefined): { readonly [name: string]: string } {
  const headers = new Map<string, string>();
  for (const [name, value] of toPairs(source ?? {})) {
    assertSendable(name, value);
    const key = name.toLowerCase();
    const earlier = headers.get(key);
    headers.set(key, earlier === undefined ? value.trim() : `${earlier}, ${value.trim()}`);
  }
  return Object.fromEntries(headers);
}

/** Whether a header can carry this value. */
export function isSendable(value: string): boolean {
  return valuePattern.test(value);
}

function toPairs(source: HeaderSource): Iterable<readonly [string, string]> {
  return Symbol.iterator in source ? (source as Iterable<readonly [string, string]>) : Object.entries(source);
}

function assertSendable(name: unknown, value: unknown): asserts value is string {
  if (typeof name !== "string" || !tokenPattern.test(name)) {
    throw new UsageError(`headers: expected a header name of letters, digits and dashes, got ${JSON.stringify(name)}`);
  }
  if (typeof value !== "string") {
    throw new UsageError(`headers: expected the value of ${name} to be a string, got ${typeof value}`);
  }
  if (!isSendable(value)) {
    throw new UsageError(
      `headers: the value of ${name} has characters that HTTP cannot send: encode it first, such as with encodeURIComponent`,
    );
  }
}

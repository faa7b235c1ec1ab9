/**
 * Writes one challenge of a `WWW-Authenticate` header. Reading them is the client's.
 *
 * Every value is written as a quoted string with nothing to escape in it, so that simple readers read it right.
 * RFC 9110 section 11.6.1, RFC 6750 section 3.
 */

/**
 * A scheme with its parameters; those that are `undefined` are left out.
 *
 * @param parameters - by name, in the order they are written
 */
export function encodeChallenge(scheme: string, parameters: { readonly [name: string]: string | undefined }): string {
  const pairs = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}="${toQuotable(value)}"`],
  );
  return pairs.length === 0 ? scheme : `${scheme} ${pairs.join(", ")}`;
}

/** RFC 6750 allows no double quotes, no backslashes and nothing but visible ASCII and spaces in its values. */
function toQuotable(value: string): string {
  return value.replaceAll('"', "'").replace(/[^\x20-\x5b\x5d-\x7e]/g, "?");
}

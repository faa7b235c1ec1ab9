// URI arithmetic for schema identifiers: joining and splitting, no more. Identifiers are names here,
// never addresses to fetch.

/** The base of a document that has no `$id`. Hierarchical, so that relative ids inside it resolve. */
export const rootUri = "schema:///document";

/** A URI reference made absolute against a base, without normalising what is opaque; `undefined` if impossible. */
export function resolveUri(reference: string, base: string): string | undefined {
  try {
    return new URL(reference, base).href;
  } catch {
    // Not a URL by itself and not relative to this base: the caller reports it with its place.
    return undefined;
  }
}

/** The part before `#` and the decoded part after it; both may be empty. */
export function splitFragment(uri: string): [string, string] {
  const hash = uri.indexOf("#");
  if (hash < 0) return [uri, ""];
  const fragment = uri.slice(hash + 1);
  return [uri.slice(0, hash), fragment.includes("%") ? decode(fragment) : fragment];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // A stray percent sign: taken literally, it simply will not be found.
    return text;
  }
}

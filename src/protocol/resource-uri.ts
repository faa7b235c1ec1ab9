/**
 * The check every resource URI passes before it is registered, read or subscribed to: RFC 3986 syntax, any scheme.
 *
 * Not here: whether a value taken out of a URI is a safe path (path-value.ts), and templates (uri-template.ts).
 */

/** Longest URI this library takes apart, in characters. */
export const maxUriLength = 65_536;

/** A URI cut at its scheme, or why it is none. */
export type ResourceUriResult =
  | {
      readonly ok: true;
      /** The scheme in lower case, without the colon. */
      readonly scheme: string;
      /** Everything behind the scheme's colon. */
      readonly rest: string;
    }
  | { readonly ok: false; readonly problem: string };

/**
 * Whether a text is a URI scheme: a letter, then letters, digits, `+`, `-` or `.` (RFC 3986, section 3.1).
 *
 * @param text - a scheme without its colon
 */
export function isUriScheme(text: string): boolean {
  return /^[A-Za-z][A-Za-z0-9+.-]*$/.test(text);
}

/**
 * Checks a resource URI and gives its scheme.
 *
 * Specification: Server Features > Resources > Common URI Schemes > Custom URI Schemes (RES-016).
 *
 * @param text - an absolute URI of at most 65,536 characters; relative references are refused
 *
 * @example
 * ```ts
 * import { parseResourceUri } from "parley-mcp";
 *
 * const uri = parseResourceUri("note+v1://inbox/1");
 * if (!uri.ok) throw new Error(uri.problem);
 * ```
 */
export function parseResourceUri(text: string): ResourceUriResult {
  if (text.length > maxUriLength) {
    return refuse(`A resource URI may have ${maxUriLength} characters; this one has ${text.length}.`);
  }
  const colon = text.indexOf(":");
  if (colon === -1) {
    return refuse(`A resource URI starts with a scheme, as in "file:" or "note:"; ${quote(text)} has none.`);
  }
  const scheme = text.slice(0, colon);
  if (!isUriScheme(scheme)) {
    return refuse(
      `A URI scheme is a letter followed by letters, digits, "+", "-" or "."; ` +
        `${quote(text)} starts with ${quote(scheme)}.`,
    );
  }
  const problem = checkSyntax(text, colon + 1);
  return problem === undefined
    ? { ok: true, scheme: scheme.toLowerCase(), rest: text.slice(colon + 1) }
    : refuse(problem);
}

function checkSyntax(text: string, from: number): string | undefined {
  const strange = /[^A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]/u.exec(text);
  if (strange !== null) {
    return (
      `${quote(text)} has ${JSON.stringify(strange[0])} at position ${strange.index}, ` +
      `which a URI holds only percent-encoded${spelling(strange[0])}.`
    );
  }
  const badEscape = /%(?![0-9A-Fa-f]{2})/.exec(text);
  if (badEscape !== null) {
    return `In a URI "%" starts an escape of two hexadecimal digits; ${quote(text)} has none at position ${badEscape.index}.`;
  }
  const fragment = text.indexOf("#", from);
  if (fragment !== -1 && text.includes("#", fragment + 1)) {
    return `A URI has one "#" at most; ${quote(text)} has a second at position ${text.indexOf("#", fragment + 1)}.`;
  }
  return checkBrackets(text, from);
}

/** Square brackets belong around an IP address in the authority, and nowhere else (RFC 3986, section 3.2.2). */
function checkBrackets(text: string, from: number): string | undefined {
  const hasAuthority = text.startsWith("//", from);
  const authority = hasAuthority ? (/^[^/?#]*/.exec(text.slice(from + 2))?.[0] ?? "") : "";
  const rest = text.slice(from + (hasAuthority ? 2 + authority.length : 0));
  const stray =
    /[[\]]/.test(rest) || (/[[\]]/.test(authority) && !/^[^[\]]*\[[0-9A-Za-z:.]+\](?::\d*)?$/.test(authority));
  return stray
    ? `In a URI "[" and "]" stand only around an IP address as host; ${quote(text)} has one elsewhere.`
    : undefined;
}

function spelling(character: string): string {
  return /\p{Surrogate}/u.test(character) ? "" : `, as ${encodeURIComponent(character)}`;
}

function refuse(problem: string): ResourceUriResult {
  return { ok: false, problem };
}

function quote(text: string): string {
  return JSON.stringify(text.length > 80 ? `${text.slice(0, 80)}…` : text);
}

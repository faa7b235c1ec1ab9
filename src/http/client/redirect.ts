/**
 * Which redirects are followed: within the origin, and only those that keep the method. Tokens, the session id and
 * messages never reach a place that the caller did not name.
 */

/** Redirects one request may take. */
export const maxRedirects = 5;

/** What becomes of a redirect. */
export type Redirect =
  | { readonly follow: true; readonly url: URL }
  | { readonly follow: false; readonly to: string; readonly why: string };

/**
 * Looks at an answer for a redirect.
 *
 * @param from - the URL that was asked
 * @returns `undefined` where the answer is none
 */
export function readRedirect(response: Response, method: string, from: URL): Redirect | undefined {
  if (response.type === "opaqueredirect") {
    return { follow: false, to: "somewhere that this runtime does not tell", why: "where it leads is not known" };
  }
  const location = response.headers.get("location");
  if (![301, 302, 303, 307, 308].includes(response.status) || location === null) {
    return undefined;
  }
  const url = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (url === undefined) {
    return { follow: false, to: "what is no URL", why: "it leads nowhere" };
  }
  const to = `${url.origin}${url.pathname}`;
  if (url.origin !== from.origin) {
    return { follow: false, to, why: "it leads to another origin: connect to that URL if you trust it" };
  }
  if (method !== "GET" && response.status !== 307 && response.status !== 308) {
    return { follow: false, to, why: `a ${method} only follows 307 and 308: connect to that URL` };
  }
  url.hash = "";
  return { follow: true, url };
}

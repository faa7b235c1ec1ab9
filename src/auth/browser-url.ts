/**
 * Whether a person's browser may be sent to an authorization URL. Nothing is opened here.
 *
 * Specification: Basic > Security Best Practices, on malicious authorization URLs.
 */
import { parseStrictUrl } from "./strict-url.ts";

/**
 * What is wrong with a URL that a person is to be sent to: any scheme but `https:` and, to this machine, `http:`; control
 * characters; user info [SEC-024] [SEC-025] [SEC-027].
 *
 * @param text - the URL exactly as it would be opened
 * @returns the problem, or `undefined` where the URL may be opened
 */
export function checkBrowserUrl(text: string): string | undefined {
  const result = parseStrictUrl(text);
  return result.ok ? undefined : result.problem;
}

/**
 * Whether a person's browser may be sent to an authorization URL. Nothing is opened here.
 *
 * Specification: Basic > Security Best Practices, on malicious authorization URLs.
 */
import { UsageError } from "../base/error.ts";
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

/**
 * A URL to open, as the URL standard writes it: without quotes and whatever else is no part of a URL.
 *
 * @throws {@link UsageError} where {@link checkBrowserUrl} finds something wrong
 */
export function toBrowserUrl(text: string): string {
  const problem = checkBrowserUrl(text);
  if (problem !== undefined) {
    throw new UsageError(`url: ${problem}`);
  }
  return new URL(text).href;
}

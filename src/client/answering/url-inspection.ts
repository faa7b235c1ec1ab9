/**
 * What a person should be shown about a URL before agreeing to open it, and what looks wrong with it.
 *
 * Looks at the text only: nothing is fetched or resolved. Specification: Client > Elicitation > Safe URL handling.
 */
import { isLoopbackHost, parseUrl } from "../../base/url.ts";

/** Why a URL deserves a second look. */
export type UrlWarning =
  | "punycode"
  | "mixed-script"
  | "user-info"
  | "ip-address"
  | "unencrypted"
  | "unusual-port"
  | "invisible-characters";

/** A URL taken apart for display. */
export interface InspectedUrl {
  /** The whole URL as it will be opened. Show all of it [ELIC-039]. */
  readonly href: string;
  /** Host with port, as the browser will see it. */
  readonly host: string;
  /** The host without port: the part to highlight [ELIC-041]. */
  readonly domain: string;
  /** What comes before and after the domain, for highlighting: `before + domain + after` is `href`. */
  readonly before: string;
  readonly after: string;
  readonly warnings: readonly UrlWarning[];
}

/**
 * Takes a URL apart.
 *
 * @param text - as the server sent it
 * @returns `undefined` for what no browser should be sent to: no URL, or a scheme other than `https:` and `http:`
 * @example
 * ```ts
 * import { inspectUrl } from "parley-mcp/client";
 *
 * inspectUrl("https://xn--pple-43d.example/login")?.warnings; // ["punycode"]
 * ```
 */
export function inspectUrl(text: string): InspectedUrl | undefined {
  const url = parseUrl(text);
  if (url === undefined || (url.protocol !== "https:" && url.protocol !== "http:")) {
    return undefined;
  }
  const start = url.href.indexOf(url.hostname, url.protocol.length + 2 + userInfoLength(url));
  return {
    href: url.href,
    host: url.host,
    domain: url.hostname,
    before: url.href.slice(0, start),
    after: url.href.slice(start + url.hostname.length),
    warnings: findWarnings(text, url),
  };
}

function findWarnings(text: string, url: URL): UrlWarning[] {
  const labels = url.hostname.split(".");
  const findings: { readonly [name in UrlWarning]: boolean } = {
    punycode: labels.some((label) => label.startsWith("xn--")),
    "mixed-script": mixesScripts(text),
    "user-info": userInfoLength(url) > 0,
    "ip-address": isAddress(url.hostname) && !isLoopbackHost(url.hostname),
    unencrypted: url.protocol === "http:" && !isLoopbackHost(url.hostname),
    "unusual-port": url.port !== "" && !isLoopbackHost(url.hostname),
    "invisible-characters": /[\p{Cf}\p{Cc}\p{Zl}\p{Zp}]/u.test(text),
  };
  return (Object.keys(findings) as UrlWarning[]).filter((name) => findings[name]);
}

/** Latin letters beside Cyrillic or Greek ones in the host as it was written. */
function mixesScripts(text: string): boolean {
  const host = /^[a-z]+:\/\/([^/?#]*)/i.exec(text)?.[1] ?? "";
  return /\p{Script=Latin}/u.test(host) && /[\p{Script=Cyrillic}\p{Script=Greek}]/u.test(host);
}

function isAddress(hostname: string): boolean {
  return hostname.startsWith("[") || /^\d+\.\d+\.\d+\.\d+$/.test(hostname);
}

function userInfoLength({ username, password }: URL): number {
  const secret = password === "" ? 0 : password.length + 1;
  return username.length + secret === 0 ? 0 : username.length + secret + 1;
}

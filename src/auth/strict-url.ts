/**
 * Reads URLs that servers name, and takes only those that mean the same to everybody: `https:`, or `http:` to this machine.
 *
 * An allowlist: whatever is not known to be right is refused. Where a URL may lead is decided in address-policy.ts.
 * Specification: Basic > Security Best Practices > Server-Side Request Forgery, Malicious authorization URLs.
 */
import { isLoopbackHost } from "../base/url.ts";

/** A URL, or what is wrong with the text. */
export type StrictUrl =
  | { readonly ok: true; readonly url: URL }
  | { readonly ok: false; readonly reason: "url" | "scheme"; readonly problem: string };

const maxUrlLength = 8_192;

/**
 * Reads a URL.
 *
 * @param base - what a relative one is relative to; without it, only absolute ones are taken
 * @returns a failure for control and invisible characters, spaces and backslashes, user info, a URL over 8,192 characters,
 * any scheme but `https:`, and `http:` to any host but loopback ones [SEC-015] [SEC-025] [SEC-027]
 */
export function parseStrictUrl(text: string, base?: URL): StrictUrl {
  if (text.length > maxUrlLength) {
    return refuse("url", `expected a URL of at most ${maxUrlLength} characters, got ${text.length}`);
  }
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Z}\\]/u.test(text)) {
    return refuse("url", "expected a URL without control or invisible characters, spaces and backslashes, got some");
  }
  if (!URL.canParse(text, base?.href)) {
    return refuse("url", `expected an absolute URL, got ${JSON.stringify(toShownUrl(text))}`);
  }
  const url = new URL(text, base);
  if (!isConfidential(url)) {
    const came = url.protocol === "http:" ? `http: to ${url.host}` : url.protocol.slice(0, 40);
    return refuse("scheme", `expected https:, or http: to this machine, got ${came}`);
  }
  if (base === undefined && !/^https?:\/\/[^/]/i.test(text)) {
    return refuse("url", "expected two slashes between the scheme and the host, got another number");
  }
  return url.username === "" && url.password === ""
    ? { ok: true, url }
    : refuse("url", `expected a URL without user name and password, got one with them for ${url.host}`);
}

/** Whether nobody on the way can read what is sent to a URL: it goes by `https:`, or by `http:` within this machine. */
export function isConfidential({ protocol, hostname }: URL): boolean {
  return protocol === "https:" || (protocol === "http:" && isLoopbackHost(hostname));
}

/** A URL as a message may show it: without user info, query, fragment and control characters, 200 characters at most. */
export function toShownUrl(text: string): string {
  const [, scheme = "", authority = "", path = ""] = /^(https?:)[/\\]*([^/\\?#]*)([^?#]*)/i.exec(text) ?? [];
  const shown =
    scheme === ""
      ? // What follows another scheme may be a program or a document.
        (/^[a-z][a-z0-9+.-]*:|^[^?#:@]*/i.exec(text)?.[0] ?? "")
      : `${scheme}//${authority.slice(authority.lastIndexOf("@") + 1)}${path}`;
  return shown.slice(0, 200).replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "");
}

function refuse(reason: "url" | "scheme", problem: string): StrictUrl {
  return { ok: false, reason, problem };
}

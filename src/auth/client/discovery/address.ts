/**
 * Addresses that metadata names: what makes one unfit to be asked or opened, told from the text alone.
 *
 * An allowlist, read strictly, because URL parsers repair what they are given [SEC-025] [SEC-027]. Which hosts may be
 * asked is not decided here: that is guarded-fetch.ts. Specification: Basic > Authorization > Communication Security.
 */
import { isLoopbackHost, parseUrl } from "../../../base/url.ts";
import { quote } from "../../../protocol/header-value.ts";

/** Longest address, and longest identifier, in characters. */
export const maxAddressLength = 2048;

/** What is wrong with the address of an endpoint or page, or nothing. */
export function checkAddress(text: string): string | undefined {
  const url = isUriText(text) && /^https?:\/\//i.test(text) ? parseUrl(text) : undefined;
  if (url === undefined) {
    return `expected an https address, got ${quote(text)}`;
  }
  if (url.protocol !== "https:" && !isLoopbackHost(url.hostname)) {
    return `expected https, or http on this machine, got ${quote(text)}`;
  }
  if (url.username !== "" || url.password !== "") {
    return `expected an address without user name and password, got one at ${url.host}`;
  }
  return text.includes("#") ? `expected an address without fragment, got ${quote(text)}` : undefined;
}

/** What is wrong with the identifier of an authorization server, or nothing. RFC 8414 section 2. */
export function checkIssuer(issuer: string): string | undefined {
  return (
    checkAddress(issuer) ??
    (issuer.includes("?") ? `expected an issuer without query, got ${quote(issuer)}` : undefined)
  );
}

/** Whether a text has only characters that a URI may have, and not too many of them. */
export function isUriText(text: string): boolean {
  return text.length <= maxAddressLength && /^[\x21-\x7e]+$/.test(text) && !/[\\"<>^`{|}]/.test(text);
}

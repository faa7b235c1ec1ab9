/**
 * Addresses that metadata and options name: a URL as strict-url.ts takes it, that is also spelled as URIs are, short, and
 * without a fragment [SEC-025] [SEC-027].
 *
 * Which hosts may be asked is not decided here: that is guarded-fetch.ts. Specification: Basic > Authorization > Communication Security.
 */
import { quote } from "../../../protocol/header-value.ts";
import { parseStrictUrl } from "../../strict-url.ts";

/** Longest address, and longest identifier, in characters. */
export const maxAddressLength = 2048;

/** What is wrong with the address of an endpoint or page, or nothing. */
export function checkAddress(text: string): string | undefined {
  if (!isUriText(text)) {
    return `expected an address, got ${quote(text)}`;
  }
  const parsed = parseStrictUrl(text);
  if (!parsed.ok) {
    return parsed.problem;
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

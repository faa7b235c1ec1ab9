/**
 * What a provider's function gives: the part of the options of a protected resource that follows from the provider.
 *
 * Presets are data only: nothing is fetched here, and whatever they say can be overridden by spreading.
 */
import { UsageError } from "../../../base/error.ts";
import { parseUrl } from "../../../base/url.ts";
import { assertSecureUrl } from "../issuer.ts";
import type { TokenChecks } from "../options.ts";

/** Options of `protectResource` that follow from a provider; spread them into it. */
export interface ProviderPreset {
  /** The authorization server, exactly as its tokens name it. */
  readonly issuer: string;
  /** The authorization server as it names itself, where its tokens name another. */
  readonly authorizationServers?: string | undefined;
  /** Names under which tokens are issued for this server. */
  readonly audience: readonly string[];
  /** How its tokens are verified. */
  readonly verify: TokenChecks;
}

/** Values of an option that takes one or several, none missing. */
export function toList(value: string | readonly string[] | undefined): readonly string[] {
  return [value ?? []].flat();
}

/**
 * The address that an option names, with or without `https://`, without a slash at its end.
 *
 * @throws {@link UsageError} for what is none, or has more than host and path
 */
export function toBaseUrl(option: string, text: string): string {
  const url = parseUrl(text.includes("://") ? text : `https://${text}`);
  if (url === undefined || `${url.search}${url.hash}${url.username}${url.password}` !== "") {
    throw new UsageError(`${option}: expected a host name or an https URL, got "${text}"`);
  }
  assertSecureUrl(option, url.href);
  return url.origin + url.pathname.replace(/\/+$/, "");
}

/**
 * The address that an option names, where it must be a host alone.
 *
 * @throws {@link UsageError} for what is none, or has a path
 */
export function toOrigin(option: string, text: string): string {
  const base = toBaseUrl(option, text);
  const { origin } = new URL(base);
  if (base !== origin) {
    throw new UsageError(`${option}: expected a host name without a path, got "${text}"`);
  }
  return origin;
}

/**
 * A name that becomes one part of an address.
 *
 * @throws {@link UsageError} for what would change the address otherwise
 */
export function toSegment(option: string, text: string): string {
  if (!/^[^\s/?#%\\]+$/.test(text) || /^\.+$/.test(text)) {
    throw new UsageError(`${option}: expected a name without slashes and spaces, got "${text}"`);
  }
  return text;
}

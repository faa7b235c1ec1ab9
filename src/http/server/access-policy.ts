/**
 * Who may be addressed and from where: rules on the `Host` and `Origin` of a request, against DNS rebinding and
 * foreign web pages.
 *
 * Lists are compiled once. Authentication is another matter, guard.ts. Specification: Basic > Transports > Security.
 */
import { UsageError } from "../../base/error.ts";
import { isLoopbackHost } from "../../base/url.ts";
import type { AuthInfo } from "../../protocol/types/auth.ts";
import type { HttpRequest } from "../message.ts";

/**
 * Decides about one value of the header.
 *
 * @param value - the header's value in lower case
 * @param request - the request it came with
 * @param auth - who calls; `undefined` for preflights and where nobody is identified
 */
export type AccessPredicate = (
  value: string,
  request: HttpRequest,
  auth: AuthInfo | undefined,
) => boolean | Promise<boolean>;

/**
 * What is allowed: a list of texts and patterns, or a function.
 *
 * Hosts are written `example.com` (any port), `example.com:8443` or `*.example.com`; origins
 * `https://example.com`, `https://*.example.com` or `http://localhost:*` (any port). A pattern is tested against the
 * whole value in lower case: anchor it. An empty list allows nothing. The origin `null`, which is every page that hides
 * its own, is allowed only where a list says `null`, a pattern matches it or a function takes it.
 */
export type AccessPolicy = readonly (string | RegExp)[] | AccessPredicate;

/** A host as a `Host` header or an origin names it. */
export interface Authority {
  /** In lower case, IPv6 addresses in brackets. */
  readonly hostname: string;
  /** Digits, or an empty string. */
  readonly port: string;
}

/** An origin. */
export interface Origin extends Authority {
  /** In lower case, without a colon. */
  readonly scheme: string;
}

/** Tests a value without waiting. */
export type Matcher<T> = (value: T, text: string) => boolean;

const authorityForm = /^(\[[0-9a-f:.]+\]|[a-z0-9._~%-]+)(?::(\d{0,5}))?$/;

/** Reads the value of a `Host` header; `undefined` where it is malformed. */
export function parseAuthority(text: string): Authority | undefined {
  const match = authorityForm.exec(text.toLowerCase());
  return match?.[1] === undefined ? undefined : { hostname: match[1], port: match[2] ?? "" };
}

/** Reads the value of an `Origin` header; `undefined` where it is malformed. A hidden origin has the scheme `null`. */
export function parseOrigin(text: string): Origin | undefined {
  if (text === "null") {
    return { scheme: "null", hostname: "", port: "" };
  }
  const match = /^([a-z][a-z0-9+.-]*):\/\/(.+)$/.exec(text.toLowerCase());
  const authority = match?.[2] === undefined ? undefined : parseAuthority(match[2]);
  return match?.[1] === undefined || authority === undefined ? undefined : { scheme: match[1], ...authority };
}

/** Loopback names, on any port. */
export function isLoopbackAuthority({ hostname }: Authority): boolean {
  return isLoopbackHost(hostname);
}

/** Whether an origin is a web page of this machine, or of the very host it talks to. */
export function isLocalOrigin(origin: Origin, host: Authority): boolean {
  if (origin.scheme !== "http" && origin.scheme !== "https") {
    return false;
  }
  return isLoopbackHost(host.hostname)
    ? isLoopbackHost(origin.hostname)
    : origin.hostname === host.hostname && portOf(origin) === (host.port || portOf({ ...origin, port: "" }));
}

/** Compiles a list of hosts. Throws UsageError for what is none. */
export function compileHosts(list: readonly (string | RegExp)[]): Matcher<Authority> {
  return anyOf(
    list.map((rule) => {
      if (typeof rule !== "string") {
        return matchPattern(rule);
      }
      const wanted = parseAuthority(rule.replace(/^\*\./, "").replace(/:\*$/, ""));
      if (wanted === undefined) {
        throw new UsageError(`allowedHosts: expected a host such as "example.com" or "*.example.com", got "${rule}"`);
      }
      const matchesName = matchName(rule.startsWith("*."), wanted.hostname);
      return ({ hostname, port }) => matchesName(hostname) && (wanted.port === "" || wanted.port === port);
    }),
  );
}

/**
 * Compiles a list of origins. Throws UsageError for what is none.
 *
 * @param option - the option's name, for the message
 */
export function compileOrigins(option: string, list: readonly (string | RegExp)[]): Matcher<Origin> {
  return anyOf(
    list.map((rule) => {
      if (typeof rule !== "string") {
        return matchPattern(rule);
      }
      const anyPort = rule.endsWith(":*");
      const wanted = parseOrigin(rule.replace("://*.", "://").replace(/:\*$/, ""));
      if (wanted === undefined) {
        throw new UsageError(
          `${option}: expected an origin such as "https://example.com" or "http://localhost:*", got "${rule}"`,
        );
      }
      const matchesName = matchName(rule.includes("://*."), wanted.hostname);
      const port = portOf(wanted);
      return (origin) =>
        origin.scheme === wanted.scheme && matchesName(origin.hostname) && (anyPort || portOf(origin) === port);
    }),
  );
}

function portOf({ scheme, port }: Origin): string {
  return port === "" ? (scheme === "https" ? "443" : scheme === "http" ? "80" : "") : port;
}

function matchName(includesSubdomains: boolean, wanted: string): (hostname: string) => boolean {
  const suffix = `.${wanted}`;
  return includesSubdomains ? (hostname) => hostname.endsWith(suffix) : (hostname) => hostname === wanted;
}

function matchPattern<T>(pattern: RegExp): Matcher<T> {
  // Without the flags that make a pattern remember where it stopped.
  const stateless = new RegExp(pattern.source, pattern.flags.replaceAll(/[gy]/g, ""));
  return (_, text) => stateless.test(text.toLowerCase());
}

function anyOf<T>(matchers: readonly Matcher<T>[]): Matcher<T> {
  return (value, text) => matchers.some((matches) => matches(value, text));
}

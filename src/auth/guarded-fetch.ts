/**
 * The one door through which authorization fetches: every address and every redirect is checked before anything is sent,
 * answers are bounded in size and time.
 *
 * It does not look at what the answers say. Pinning names to the addresses they were checked with is pinned-fetch.node.ts.
 * Specification: Basic > Security Best Practices > Server-Side Request Forgery.
 */
import { linkSignals, raceAbort } from "../base/abort.ts";
import { isIpLiteral } from "../base/address.ts";
import { UsageError } from "../base/error.ts";
import { type Clock, systemClock } from "../base/timer.ts";
import { isLoopbackHost } from "../base/url.ts";
import { type AddressPolicy, type AddressPolicyOptions, createAddressPolicy } from "./address-policy.ts";
import { discardBody, readBoundedBody } from "./bounded-body.ts";
import { type Fetch, FetchFailure, type FetchFailureReason, type GuardedFetch, type GuardedRequest } from "./fetch.ts";
import { parseStrictUrl, toShownUrl } from "./strict-url.ts";
import { describeUnreachable } from "./unreachable.ts";

/** What {@link createGuardedFetch} is made from. */
export interface GuardedFetchOptions extends AddressPolicyOptions {
  /** Makes the requests. Default: the global `fetch` at the time of the request. */
  readonly fetch?: Fetch | undefined;
  /** Longest time for one request with its redirects, in milliseconds. Default 10,000. */
  readonly timeoutMs?: number | undefined;
  /** Default: the system's. */
  readonly clock?: Clock | undefined;
  /** Gives the addresses of a name where the platform can tell, so that they are checked too. Default: none are. */
  readonly resolve?: ((hostname: string) => Promise<readonly string[]>) | undefined;
}

const defaultMaxBytes = 262_144;
const maxRedirects = 3;
const redirectStatuses: ReadonlySet<number> = /* @__PURE__ */ new Set([301, 302, 303, 307, 308]);
const bodilessStatuses: ReadonlySet<number> = /* @__PURE__ */ new Set([204, 205, 304]);

/**
 * Makes a guarded fetch [SEC-014] [SEC-017].
 *
 * @throws {@link UsageError} for a limit that is none
 */
export function createGuardedFetch(options: GuardedFetchOptions = {}): GuardedFetch {
  const { timeoutMs = 10_000, clock = systemClock } = options;
  if (!(timeoutMs > 0)) {
    throw new UsageError(`"timeoutMs": expected a number of milliseconds above 0, got ${timeoutMs}`);
  }
  const policy = createAddressPolicy(options);
  return async (url, request) => {
    request.signal?.throwIfAborted();
    const linked = linkSignals(request.signal);
    const cancelTimer = clock.after(timeoutMs, () => {
      const message = `${request.method} ${toShownUrl(url)}: expected an answer within ${timeoutMs} ms, got none`;
      linked.abort(new FetchFailure("timeout", toShownUrl(url), message));
    });
    try {
      return await new Sending(options, policy, url, request, linked.signal).run();
    } finally {
      cancelTimer();
      linked.release();
    }
  };
}

/** Cookies are nobody's business here. Only pages and their workers have any, and not every other platform takes the field. */
const globalFetch: Fetch = (url, init) =>
  globalThis.fetch(url, "location" in globalThis ? { ...init, credentials: "omit" } : init);

/** One request with the redirects it meets. */
class Sending {
  readonly #fetch: Fetch;
  readonly #resolve: GuardedFetchOptions["resolve"];
  readonly #policy: AddressPolicy;
  readonly #start: string;
  readonly #request: GuardedRequest;
  readonly #signal: AbortSignal;

  constructor(
    { fetch = globalFetch, resolve }: GuardedFetchOptions,
    policy: AddressPolicy,
    start: string,
    request: GuardedRequest,
    signal: AbortSignal,
  ) {
    this.#fetch = fetch;
    this.#resolve = resolve;
    this.#policy = policy;
    this.#start = start;
    this.#request = request;
    this.#signal = signal;
  }

  async run(): Promise<Response> {
    let url = await this.#checkTarget(this.#start);
    for (let redirects = 0; ; redirects += 1) {
      const response = await this.#send(url);
      const location = this.#findRedirect(response);
      if (location === undefined) {
        return await this.#keep(response);
      }
      discardBody(response);
      if (redirects === maxRedirects) {
        throw this.#failure("redirect", `expected at most ${maxRedirects} redirects, got another one`);
      }
      url = await this.#follow(location, url);
    }
  }

  /** @throws {@link FetchFailure} for an address that nothing may be sent to */
  async #checkTarget(text: string, base?: URL): Promise<URL> {
    const prefix = base === undefined ? "" : "a redirect: ";
    const parsed = parseStrictUrl(text, base);
    if (!parsed.ok) {
      throw this.#failure(parsed.reason, prefix + parsed.problem);
    }
    const { url } = parsed;
    const problem = this.#policy.check(url) ?? (await this.#checkResolved(url));
    if (problem !== undefined) {
      throw this.#failure("private-address", prefix + problem);
    }
    return url;
  }

  async #checkResolved(url: URL): Promise<string | undefined> {
    const resolve = this.#resolve;
    if (resolve === undefined || isIpLiteral(url.hostname) || isLoopbackHost(url.hostname)) {
      return undefined;
    }
    const addresses = await this.#reach(() => resolve(url.hostname));
    if (addresses.length === 0 || !addresses.every(isIpLiteral)) {
      throw this.#failure("unreachable", `expected ${url.hostname} to resolve to addresses, got none`);
    }
    const problems = addresses.map((address) => this.#policy.check(url, address));
    return problems.find((problem) => problem !== undefined);
  }

  async #send(url: URL): Promise<Response> {
    const { method, headers, body } = this.#request;
    const signal = this.#signal;
    const fetch = this.#fetch;
    const init = { method, headers: { ...headers }, redirect: "manual", signal } as const;
    return await this.#reach(() => {
      const sent = fetch(url.href, body === undefined ? init : { ...init, body });
      // An answer that comes when nobody waits any more.
      sent.then((response) => signal.aborted && discardBody(response)).catch(() => undefined);
      return sent;
    });
  }

  /** Where an answer sends the request on to; `undefined` for any other answer. */
  #findRedirect(response: Response): string | undefined {
    if (response.type === "opaqueredirect") {
      throw this.#failure(
        "redirect",
        "expected an answer, got a redirect, which this platform does not let anyone check",
      );
    }
    const location = redirectStatuses.has(response.status) ? response.headers.get("location") : null;
    return location ?? undefined;
  }

  async #follow(location: string, from: URL): Promise<URL> {
    if (this.#request.method !== "GET") {
      const parsed = parseStrictUrl(location, from);
      const came = parsed.ok ? parsed.url.origin : "an address that is refused";
      throw this.#failure("redirect", `expected an answer, got a redirect to ${came}; only GET is redirected`);
    }
    const target = await this.#checkTarget(location, from);
    if (target.origin !== from.origin) {
      throw this.#failure("redirect", `expected redirects to stay within ${from.origin}, got one to ${target.origin}`);
    }
    return target;
  }

  /** The answer with its body in memory. */
  async #keep(response: Response): Promise<Response> {
    const { status } = response;
    if (status < 200 || status > 599) {
      discardBody(response);
      throw this.#failure("unreachable", `expected an HTTP status of 200 to 599, got ${status}`);
    }
    const { maxBytes = defaultMaxBytes } = this.#request;
    const body = await this.#reach(() => readBoundedBody(response, maxBytes, this.#signal));
    if (body === undefined) {
      throw this.#failure("too-large", `expected at most ${maxBytes} bytes, got more`);
    }
    const headers = new Headers(response.headers);
    // They describe what was on the wire, not what is handed on.
    headers.delete("content-encoding");
    headers.delete("content-length");
    return new Response(bodilessStatuses.has(status) ? null : body, { status, headers });
  }

  /** What the network gives. @throws the signal's reason; {@link FetchFailure} for anything else that goes wrong */
  async #reach<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await raceAbort(work(), this.#signal);
    } catch (error) {
      this.#signal.throwIfAborted();
      throw error instanceof FetchFailure ? error : this.#failure("unreachable", describeUnreachable(error), error);
    }
  }

  #failure(reason: FetchFailureReason, problem: string, cause?: unknown): FetchFailure {
    const url = toShownUrl(this.#start);
    const options = cause === undefined ? undefined : { cause };
    return new FetchFailure(reason, url, `${this.#request.method} ${url}: ${problem}`, options);
  }
}

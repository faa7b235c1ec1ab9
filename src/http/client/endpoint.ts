/**
 * The one URL that a link talks to: sends single HTTP requests with the configured headers, follows safe redirects,
 * and says in one kind of error that no answer came. What an answer means is the business of those above.
 */
import { linkSignals, raceAbort } from "../../base/abort.ts";
import { ClosedError, HttpError, isMcpError } from "../../base/error.ts";
import { sleep } from "../../base/timer.ts";
import type { Hold } from "../../jsonrpc/link.ts";
import { headerNames, parseRetryAfter } from "../headers.ts";
import { eventStreamType, jsonType } from "../media-type.ts";
import { discard, drain } from "./body.ts";
import type { ResolvedHttpOptions } from "./options.ts";
import { maxRedirects, readRedirect } from "./redirect.ts";
import { retryDelay } from "./retry.ts";

/** Headers of one request that belong to the protocol. Names in lower case. */
export type ProtocolHeaders = { readonly [name: string]: string };

/** Characters from which a header's value is taken for a possible secret. */
const shortestSecret = 8;

/** Options of {@link Endpoint.post}. */
export interface PostOptions {
  readonly signal: AbortSignal;
  /** Told when the message is with the server, and when it is not because the server refused it for now. */
  readonly onSent?: ((sent: boolean) => void) | undefined;
}

/** Sends HTTP requests. */
export class Endpoint {
  /** The URL without its query, for messages: a query may hold secrets. */
  readonly label: string;
  /** Given to every `fetch`; `undefined` where nobody waits with a clock. */
  hold: Hold | undefined;
  readonly #options: ResolvedHttpOptions;

  constructor(options: ResolvedHttpOptions) {
    this.#options = options;
    this.label = `${options.url.origin}${options.url.pathname}`;
  }

  /**
   * Sends one message [HTTP-006]. A refusal that says that nothing was done is waited out as the retry policy says.
   *
   * @throws the signal's reason; {@link ClosedError} when no answer came; {@link HttpError} for an unsafe redirect
   */
  async post(body: string, headers: ProtocolHeaders, { signal, onSent }: PostOptions): Promise<Response> {
    const all = {
      [headerNames.accept]: `${jsonType}, ${eventStreamType}`,
      [headerNames.contentType]: jsonType,
      ...headers,
    };
    for (let attempt = 1; ; attempt += 1) {
      onSent?.(true);
      const response = await this.#send("POST", all, signal, body);
      const delayMs = retryDelay(this.#options.retry, response.status, this.retryAfterMs(response), attempt);
      if (delayMs === undefined) {
        return response;
      }
      onSent?.(false);
      await drain(response, this.#options.clock, signal);
      await sleep(this.#options.clock, delayMs, signal);
    }
  }

  /** Asks for an event stream [HTTP-026]. Throws as {@link Endpoint.post} does. */
  async get(headers: ProtocolHeaders, signal: AbortSignal): Promise<Response> {
    return await this.#send("GET", { [headerNames.accept]: eventStreamType, ...headers }, signal);
  }

  /** Ends a session [HTTP-047]. Throws as {@link Endpoint.post} does. */
  async delete(headers: ProtocolHeaders, signal: AbortSignal): Promise<Response> {
    return await this.#send("DELETE", headers, signal);
  }

  /** A text of the server without the values of the configured headers, which may be secrets. */
  redact(text: string): string {
    let redacted = text;
    for (const [name, value] of Object.entries(this.#options.headers)) {
      for (const piece of value.split(" ")) {
        redacted = piece.length < shortestSecret ? redacted : redacted.replaceAll(piece, `[${name}]`);
      }
    }
    return redacted;
  }

  /** The wait that an answer asks for, in milliseconds. */
  retryAfterMs(response: Response): number | undefined {
    return parseRetryAfter(response.headers.get(headerNames.retryAfter), this.#options.clock.now());
  }

  async #send(
    method: "POST" | "GET" | "DELETE",
    headers: ProtocolHeaders,
    signal: AbortSignal,
    body?: string,
  ): Promise<Response> {
    let url = this.#options.url;
    for (let hops = 0; ; hops += 1) {
      const response = await this.#fetch(url, method, headers, signal, body);
      const redirect = readRedirect(response, method, url);
      if (redirect === undefined) {
        return response;
      }
      discard(response);
      if (!redirect.follow || hops === maxRedirects) {
        const { to, why } = redirect.follow
          ? { to: `${redirect.url.origin}${redirect.url.pathname}`, why: `it is redirect number ${hops + 1}` }
          : redirect;
        const message = `${method} ${this.label}: redirected to ${to}, which was not followed because ${why}`;
        throw new HttpError(message, { status: response.status });
      }
      url = redirect.url;
    }
  }

  async #fetch(
    url: URL,
    method: "POST" | "GET" | "DELETE",
    headers: ProtocolHeaders,
    signal: AbortSignal,
    body: string | undefined,
  ): Promise<Response> {
    signal.throwIfAborted();
    // What is behind fetch keeps its listeners for long: it gets a signal of its own, which follows until the answer.
    const linked = linkSignals(signal);
    const pending = this.#call(url, {
      method,
      headers: { ...this.#options.headers, ...headers },
      redirect: "manual",
      signal: linked.signal,
      ...(this.hold === undefined ? undefined : { hold: this.hold }),
      ...(body === undefined ? undefined : { body }),
    });
    try {
      return await raceAbort(pending, signal);
    } catch (cause) {
      if (signal.aborted) {
        // A fetch that does not follow its signal may still answer: nobody reads that.
        pending.then(discard, () => undefined);
        throw signal.reason;
      }
      if (isMcpError(cause)) {
        throw cause;
      }
      throw new ClosedError(`${method} ${this.label}: no answer came: ${describeFault(cause)}`, { cause });
    } finally {
      linked.release();
    }
  }

  /** Turns what a `fetch` throws at once into a rejection. */
  async #call(url: URL, init: Parameters<ResolvedHttpOptions["fetch"]>[1]): Promise<Response> {
    return await this.#options.fetch(url.href, init);
  }
}

/** What broke a connection, in a few words: the code of the system, where `fetch` only says that it failed. */
export function describeFault(fault: unknown): string {
  const cause: unknown = fault instanceof Error ? fault.cause : undefined;
  const code = (cause as { code?: unknown } | undefined)?.code;
  const message = fault instanceof Error ? fault.message : String(fault);
  return typeof code === "string" ? `${message} (${code})` : message;
}

/**
 * The two kinds of `fetch` in authorization: the caller's own one, and the guarded one that all of it goes through.
 *
 * Contracts only: guarded-fetch.ts makes the second of the first.
 */

/** What is used of `fetch`; the global one fits. */
export type Fetch = (url: string, init: FetchInit) => Promise<Response>;

/** What is passed to `fetch`. */
export interface FetchInit {
  readonly method: "GET" | "POST" | "DELETE";
  /** Names in lower case. */
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly redirect: "manual";
  readonly signal: AbortSignal;
  /** Stops the clocks of whoever waits for the answer, as while a person logs in; gives what lets them run again. */
  readonly hold?: (() => () => void) | undefined;
}

/** One request of the authorization traffic: to metadata, registration, token and key addresses. */
export interface GuardedRequest {
  readonly method: "GET" | "POST";
  /** Names in lower case. */
  readonly headers?: Record<string, string> | undefined;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Most bytes of the answer that are taken. Default 256 KiB. */
  readonly maxBytes?: number | undefined;
}

/**
 * Sends one request to an address that came from elsewhere, and gives the answer with its body already read.
 *
 * Implementors promise: nothing is sent to an address whose scheme or host is not allowed; a redirect is followed for GET
 * only, within the origin, and checked like the first address; the body is bounded, and so is the time.
 *
 * @throws {@link FetchFailure} saying which of these did not hold; the signal's reason
 */
export type GuardedFetch = (url: string, request: GuardedRequest) => Promise<Response>;

/** Why a guarded request has no answer. */
export type FetchFailureReason =
  | "url"
  | "scheme"
  | "private-address"
  | "redirect"
  | "too-large"
  | "timeout"
  | "unreachable";

/** A guarded request that has no answer. Whoever asked says what it means; it never reaches the caller of the library. */
export class FetchFailure extends Error {
  readonly reason: FetchFailureReason;
  /** The address asked for, without query and fragment. */
  readonly url: string;

  constructor(reason: FetchFailureReason, url: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = "FetchFailure";
    this.reason = reason;
    this.url = url;
  }
}

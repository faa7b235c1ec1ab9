/**
 * Showing a person a login page through a user agent and waiting for the answer, for so long and no longer.
 *
 * What is on the page and what the answer says is not known here, nor is anything kept.
 */
import { linkSignals, raceAbort } from "../../../base/abort.ts";
import { toMcpError } from "../../../base/error.ts";
import type { Clock } from "../../../base/timer.ts";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import { checkBrowserUrl } from "../../browser-url.ts";
import type { Redirection, UserAgent } from "./user-agent.ts";

/** A page to be shown. */
export interface LoginPage {
  readonly url: string;
  readonly state: string;
  /** Whose page it is. */
  readonly issuer: string;
  /** Whether a browser was sent there already. */
  readonly isOpened: boolean;
  /** How long the person may take, in milliseconds. */
  readonly timeoutMs: number;
}

/** Those who wait for the person. */
export interface LoginWait {
  readonly signal: AbortSignal;
  /** Stops their clocks; gives what lets them run again. */
  readonly hold: () => () => void;
  readonly clock: Clock;
}

/**
 * Gets a user agent ready.
 *
 * @param issuer - whose page it will show
 * @param options - as for {@link UserAgent.prepare}
 * @throws {@link AuthorizationError}; the signal's reason
 */
export async function prepareUserAgent(
  userAgent: UserAgent,
  issuer: string,
  signal: AbortSignal,
  options: Parameters<UserAgent["prepare"]>[1] = {},
): Promise<Redirection> {
  try {
    return await userAgent.prepare(signal, options);
  } catch (error) {
    throw signal.aborted ? signal.reason : toLoginError(error, issuer);
  }
}

/**
 * Shows a page and waits for the answer, while the clocks of those who wait stand still.
 *
 * @returns the address that the browser was sent back to
 * @throws {@link AuthorizationError}, also when time is up; the signal's reason
 */
export async function showPage(
  redirection: Redirection,
  { url, state, issuer, isOpened, timeoutMs }: LoginPage,
  { signal, hold, clock }: LoginWait,
): Promise<string> {
  const problem = checkBrowserUrl(url);
  if (problem !== undefined) {
    throw new AuthorizationError(`nobody was sent to log in at ${issuer}: ${problem}`, {
      stage: "authorization",
      issuer,
    });
  }
  const wait = linkSignals(signal);
  const stopClock = clock.after(timeoutMs, () => wait.abort(toTimeout(issuer, timeoutMs)));
  const release = hold();
  try {
    return await raceAbort(redirection.authorize(url, { isOpened, state, signal: wait.signal }), wait.signal);
  } catch (error) {
    throw signal.aborted ? signal.reason : toLoginError(error, issuer);
  } finally {
    release();
    stopClock();
    wait.release();
  }
}

function toTimeout(issuer: string, timeoutMs: number): AuthorizationError {
  const seconds = Math.round(timeoutMs / 1_000);
  return new AuthorizationError(
    `the login at ${issuer} timed out: nobody finished it within ${seconds} s. Call again to begin another one`,
    { stage: "authorization", issuer },
  );
}

function toLoginError(error: unknown, issuer: string): Error {
  return toMcpError(
    error,
    (message, options) =>
      new AuthorizationError(`the login page of ${issuer} could not be shown: ${message}`, {
        ...options,
        stage: "authorization",
        issuer,
      }),
  );
}

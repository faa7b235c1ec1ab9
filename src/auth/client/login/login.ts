/**
 * A person's login: going on with the one that is in progress or beginning another, waiting for its answer, taking its code.
 *
 * How the page is shown is in login-page.ts, and what the answer says is read by callback.ts.
 */
import { toMcpError } from "../../../base/error.ts";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import { checkBrowserUrl } from "../../browser-url.ts";
import type { Discovery } from "../discovery/discovery.ts";
import type { GrantContext, TokenRequest } from "../grant.ts";
import type { PendingLogin } from "../storage/credential.ts";
import { createLogin, type LoginOptions } from "./authorization-request.ts";
import { findState, readCallback } from "./callback.ts";
import { showPage } from "./login-page.ts";
import type { Redirection } from "./user-agent.ts";

/**
 * Uses up the login that an answer belongs to, unless what is done with it fails before anything came of the login: then
 * the right answer, or a better time, may still come.
 *
 * @param use - what has to succeed; a refusal by the authorization server ends the login too
 * @throws {@link AuthorizationError} where there is no such login, or as `use` does
 */
export async function takeLogin<T>(
  callbackUrl: string,
  { credentials }: Pick<GrantContext, "credentials">,
  use: (login: PendingLogin) => Promise<T>,
): Promise<T> {
  const state = findState(callbackUrl);
  const login = state === undefined ? undefined : await credentials.takePending(state);
  if (login === undefined) {
    throw new AuthorizationError(
      "the answer belongs to no login that is in progress: it was used already, came too late, or is not ours. Begin the login again",
      { stage: "authorization" },
    );
  }
  try {
    return await use(login);
  } catch (error) {
    if (!(error instanceof AuthorizationError && error.oauthError !== undefined)) {
      await credentials.savePending(login);
    }
    throw error;
  }
}

/** Parameters that differ from one login to the next without making it another request. */
const ownParameters = ["state", "code_challenge", "scope"];

/**
 * The login to go through: the one that was begun before, maybe by another process that was ended since, if the same
 * would be asked again; otherwise a new one. Its time starts anew.
 *
 * @throws {@link AuthorizationError} as {@link createLogin} does
 */
export async function beginLogin(options: LoginOptions, context: GrantContext): Promise<PendingLogin> {
  const login = await createLogin(options, context);
  const begun = await context.credentials.findPending(login.server);
  if (begun === undefined || begun.expiresAtMs <= context.clock.now() || !asksTheSame(begun, login)) {
    return login;
  }
  context.record.add("authorization", "ok", "goes on with the login that was begun before");
  return { ...begun, isOpened: begun.isOpened === true, expiresAtMs: login.expiresAtMs };
}

/** Whether the answer to one login is as good as that to another. */
function asksTheSame(begun: PendingLogin, login: PendingLogin): boolean {
  const isSame = (["issuer", "resource", "server", "clientId", "redirectUri"] as const).every(
    (name) => begun[name] === login[name],
  );
  const covers = login.scopes.every((scope) => begun.scopes.includes(scope));
  // The store may hold anything by now.
  const isPage = checkBrowserUrl(begun.url) === undefined;
  const isNarrowed = login.scopes.length === 0 && begun.scopes.length > 0;
  return isSame && covers && !isNarrowed && isPage && toQuestion(begun.url) === toQuestion(login.url);
}

function toQuestion(page: string): string {
  const url = new URL(page);
  for (const name of ownParameters) {
    url.searchParams.delete(name);
  }
  url.searchParams.sort();
  return url.href;
}

/**
 * Shows a person the page of a login and waits for the answer, while the clocks of those who wait stand still.
 *
 * The login is kept as begun before the page is opened, so that whoever comes after opens no second one. It is forgotten
 * where no answer can come any more, and stays where only this waiting was given up.
 *
 * @returns the address that the browser was sent back to
 * @throws {@link AuthorizationError}, also when time is up; the signal's reason
 */
export async function awaitAnswer(
  redirection: Redirection,
  login: PendingLogin,
  { signal, hold }: Pick<TokenRequest, "signal" | "hold">,
  { clock, credentials }: Pick<GrantContext, "clock" | "credentials">,
): Promise<string> {
  await credentials.savePending({ ...login, isOpened: true });
  const { url, state, issuer, isOpened } = login;
  const timeoutMs = Math.max(0, login.expiresAtMs - clock.now());
  try {
    return await showPage(redirection, { url, state, issuer, isOpened, timeoutMs }, { signal, hold, clock });
  } catch (error) {
    if (!signal.aborted) {
      await credentials.takePending(state);
    }
    throw error;
  }
}

/**
 * What a login was begun with is what its code is traded for, even if the server has moved meanwhile [M-AUTH-001].
 *
 * @throws {@link AuthorizationError}
 */
export function assertUnchanged(discovery: Discovery, pending: PendingLogin): void {
  for (const name of ["issuer", "resource"] as const) {
    if (discovery[name] !== pending[name]) {
      throw new AuthorizationError(
        `the ${name} of ${pending.server} was ${pending[name]} when the login began and is ${discovery[name]} now. Begin the login again`,
        { stage: "authorization", issuer: pending.issuer },
      );
    }
  }
}

/**
 * The code of an answer, and a line in the record of how the login went.
 *
 * @throws {@link AuthorizationError} as {@link readCallback} does
 */
export function takeCode(
  callbackUrl: string,
  login: PendingLogin,
  { server }: Discovery,
  { record }: Pick<GrantContext, "record">,
): string {
  try {
    const code = readCallback(callbackUrl, login, server);
    record.add("authorization", "ok", "a person logged in and came back with a code");
    return code;
  } catch (error) {
    record.add("authorization", "failed", toMcpError(error).message);
    throw error;
  }
}

/**
 * What an authorization server sends a browser back with, read against the login that it has to belong to.
 *
 * Whose answer it is comes first: nothing of one from elsewhere is acted on or shown. Nothing is sent from here.
 * Specification: Basic > Authorization > Authorization Response Validation; OAuth 2.1 section 4.1.2, RFC 9207.
 */
import type { AuthorizationServer } from "oauth4webapi";
import { parseUrl } from "../../../base/url.ts";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import type { PendingLogin } from "../storage/credential.ts";
import { toShown } from "../tokens/shown-text.ts";

/** What of a login its answer is checked against. */
export type ExpectedAnswer = Pick<PendingLogin, "state" | "issuer" | "redirectUri">;

/** Parameters that an answer may have once each. */
const singleParameters = ["code", "state", "iss", "error", "error_description", "error_uri", "response"];

/** The `state` of an answer, by which its login is found; `undefined` where it has none, or several. */
export function findState(callbackUrl: string): string | undefined {
  const states = parseUrl(callbackUrl)?.searchParams.getAll("state") ?? [];
  return states.length === 1 ? states[0] : undefined;
}

/**
 * The authorization code of an answer.
 *
 * @param callbackUrl - the address that the browser was sent back to, with everything that was appended
 * @param login - the login it has to belong to
 * @param server - metadata of the server that the person was sent to
 * @throws {@link AuthorizationError} where the answer is another one's [M-AUTH-002] [AUTH-050], malformed, or an error,
 * whose code is then `oauthError`: `access_denied` is a person's refusal
 */
export function readCallback(callbackUrl: string, login: ExpectedAnswer, server: AuthorizationServer): string {
  const fail = (message: string, oauthError?: string): never => {
    throw new AuthorizationError(message, { stage: "authorization", issuer: login.issuer, oauthError });
  };
  const parameters =
    readParameters(callbackUrl, login.redirectUri) ??
    fail("the answer to the login came to another address than the redirect URI; it was not used");
  const problem = checkOrigin(parameters, login, server);
  if (problem !== undefined) {
    fail(`${problem}; the answer was not used. Begin the login again`);
  }
  const error = parameters.get("error");
  if (error !== null) {
    fail(describeRefusal(parameters, login.issuer), toOauthError(error));
  }
  return parameters.get("code") || fail(`the answer of ${login.issuer} has neither a code nor an error`);
}

/** The query of an answer; `undefined` where it came to another address, or lacks what the redirect URI has itself. */
function readParameters(callbackUrl: string, redirectUri: string): URLSearchParams | undefined {
  const [url, expected] = [parseUrl(callbackUrl), parseUrl(redirectUri)];
  if (url === undefined || expected === undefined) {
    return undefined;
  }
  const isThere =
    url.protocol === expected.protocol && url.host === expected.host && url.pathname === expected.pathname;
  const hasOwn = [...expected.searchParams].every(([name, value]) => url.searchParams.getAll(name).includes(value));
  return isThere && hasOwn ? url.searchParams : undefined;
}

/** What speaks against an answer's being the one to this login, without a word of the answer itself [M-AUTH-006]. */
function checkOrigin(
  parameters: URLSearchParams,
  { issuer, state }: ExpectedAnswer,
  server: AuthorizationServer,
): string | undefined {
  const twice = singleParameters.find((name) => parameters.getAll(name).length > 1);
  if (twice !== undefined) {
    return `the answer to the login has the parameter "${twice}" more than once`;
  }
  // Compared as plain text, also where the server did not promise it [M-AUTH-002] [M-AUTH-004].
  const iss = parameters.get("iss");
  if (iss !== null && iss !== issuer) {
    return `the answer to the login was expected from ${issuer}, and says that it is from another server`;
  }
  if (iss === null && server.authorization_response_iss_parameter_supported === true) {
    return `${issuer} promises to name itself in its answers, and this one has no "iss"`;
  }
  if (parameters.get("state") !== state) {
    return "the answer does not belong to this login: its state is missing or another one";
  }
  return undefined;
}

function describeRefusal(parameters: URLSearchParams, issuer: string): string {
  const description = toShown(parameters.get("error_description") ?? "");
  const code = toOauthError(parameters.get("error") ?? "");
  const what = code === "access_denied" ? "access was denied" : `the login failed with ${code}`;
  return `${what} at ${issuer}${description === "" ? "" : `: ${description}`}`;
}

/** An error code as the standard allows it; anything else is not repeated. */
function toOauthError(text: string): string {
  return /^[\x20\x21\x23-\x5b\x5d-\x7e]{1,64}$/.test(text) ? text : "unknown_error";
}

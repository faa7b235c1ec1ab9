/**
 * The error for a request that the server goes on refusing: what it said, without anything secret [PP-095].
 */
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import type { AuthChallenge } from "../../challenge.ts";
import type { TokenSet } from "../storage/credential.ts";

/** Most characters of a server's text that are shown. */
const maxTextLength = 300;

/**
 * Makes the error.
 *
 * @param tokens - those that the request carried
 * @param what - what came of it, for the message
 */
export function createRefusalError(
  challenge: AuthChallenge | undefined,
  tokens: TokenSet | undefined,
  what = "the server refused a token that was only just issued",
): AuthorizationError {
  return new AuthorizationError(`${what}${describeChallenge(challenge, tokens)}`, {
    stage: "access",
    issuer: tokens?.issuer,
    oauthError: challenge?.error,
  });
}

/** What a challenge says, to stand at the end of a sentence. */
function describeChallenge(challenge: AuthChallenge | undefined, tokens: TokenSet | undefined): string {
  const said = [challenge?.error, challenge?.errorDescription].filter((text) => text !== undefined && text !== "");
  const scopes = challenge?.scopes ?? [];
  const wants = scopes.length === 0 ? [] : [`it wants the scopes ${scopes.join(" ")}`];
  const text = [...said, ...wants].join(": ");
  const shown = tokens === undefined ? text : text.replaceAll(tokens.accessToken, "[token]");
  return shown === "" ? "" : `: ${shown.slice(0, maxTextLength)}`;
}

/** The errors for requests that cannot be helped by other tokens: what happened and what to do, without anything secret. */
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import type { AuthChallenge } from "../../challenge.ts";
import type { TokenSet } from "../storage/credential.ts";
import { toShown } from "../tokens/shown-text.ts";

/** Most characters of a server's text that are looked at. Fewer are shown. */
const maxTextLength = 1_000;
/** Shortest piece of a token that is hidden, in characters. */
const minPieceLength = 16;

/**
 * The error for a request that the server goes on refusing: what it said [PP-095].
 *
 * @param tokens - those that the request carried
 * @param what - what came of it, for the message
 */
export function createRefusalError(
  challenge: AuthChallenge | undefined,
  tokens: TokenSet | undefined,
  what = "the server refused a token that was only just issued",
): AuthorizationError {
  const show = (text: string): string => showText(text, tokens?.accessToken ?? "");
  return new AuthorizationError(`${what}${describeChallenge(challenge, show)}`, {
    stage: "access",
    issuer: tokens?.issuer,
    oauthError: challenge?.error === undefined ? undefined : show(challenge.error),
  });
}

/** The error for a server that wants a token where others on the way could read it. */
export function createExposureError(server: string): AuthorizationError {
  return new AuthorizationError(
    `${server} wants authorization, but a token sent over plain http can be read on the way: nobody was asked to log in, and no token was sent. Use its https: address, or a tunnel that begins on this machine (http://localhost)`,
    { stage: "access" },
  );
}

/** What a challenge says, to stand at the end of a sentence. */
function describeChallenge(challenge: AuthChallenge | undefined, show: (text: string) => string): string {
  const said = [challenge?.error, challenge?.errorDescription].filter((text) => text !== undefined && text !== "");
  const scopes = challenge?.scopes ?? [];
  const wants = scopes.length === 0 ? [] : [`it wants the scopes ${scopes.join(" ")}`];
  const shown = show([...said, ...wants].join(": "));
  return shown === "" ? "" : `: ${shown}`;
}

/** Text of a server. The token goes first, since what is cut off a text may be the end of it. */
function showText(text: string, token: string): string {
  return toShown(hideToken(text.slice(0, maxTextLength), token));
}

/** Hides a token, and every piece of it that is of use: whoever cut the text may have cut the token. */
function hideToken(text: string, token: string): string {
  const least = Math.min(minPieceLength, token.length);
  let shown = "";
  for (let start = 0; start < text.length; ) {
    const length = least === 0 ? 0 : measurePiece(text, start, least, token);
    shown += length === 0 ? text.charAt(start) : "[token]";
    start += Math.max(length, 1);
  }
  return shown;
}

/** How long the piece of a token is that begins at a place; 0 where none of some length does. */
function measurePiece(text: string, start: number, least: number, token: string): number {
  let end = start + least;
  if (end > text.length || !token.includes(text.slice(start, end))) {
    return 0;
  }
  while (end < text.length && token.includes(text.slice(start, end + 1))) {
    end += 1;
  }
  return end - start;
}

/** Says in words why a request got no answer, as far as the platform tells. What was sent is never part of it. */

/** How deep causes are looked into: they may go in circles. */
const maxCauses = 5;

/** All that the engines of browsers, and `fetch` of Node without a cause, say of a connection that came to nothing. */
const silentMessage = /^(?:Failed to fetch|NetworkError|Load failed|fetch failed|Network request failed|$)/i;

/**
 * Why `fetch` failed. Browsers say nothing, so that a page learns nothing about other machines; then all that can be told
 * is what it may have been [PP-085].
 *
 * @param error - what `fetch` threw
 */
export function describeUnreachable(error: unknown): string {
  const detail = findDetail(error);
  if (detail !== undefined) {
    return `expected an answer, got none: ${detail}`;
  }
  return (
    "expected an answer, got none and no reason: the server may be out of reach or, in a browser, may not allow this " +
    "page to read its answers (CORS)"
  );
}

/** The code or the message of the innermost cause; `undefined` where there is only the general error of `fetch`. */
function findDetail(error: unknown, depth = 0): string | undefined {
  if (!(error instanceof Error)) {
    return undefined;
  }
  if (error.cause instanceof Error && depth < maxCauses) {
    return findDetail(error.cause, depth + 1) ?? error.cause.name;
  }
  if ("code" in error && typeof error.code === "string") {
    return error.code.slice(0, 80);
  }
  if (error instanceof TypeError) {
    // Any other message is about what was to be sent, and may show it.
    return silentMessage.test(error.message) ? undefined : "the request could not be made (TypeError)";
  }
  return error.message === "" ? undefined : error.message.slice(0, 200);
}

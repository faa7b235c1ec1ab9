/** Response bodies: read in chunks, read whole within a limit, or read away so that the connection can be used again. */
import { linkSignals, onAbort } from "../../base/abort.ts";
import { PeerError } from "../../base/error.ts";
import type { Clock } from "../../base/timer.ts";
import { MessageTooLargeError } from "../../jsonrpc/too-large.ts";

/** What is read of a body that nobody wants, in bytes, before it is cut off. */
const drainLimitBytes = 65_536;

/** How long a body may go on that nobody waits for, in milliseconds, before it is cut off. */
export const lingerMs = 1_000;

/**
 * Reads a body to its end.
 *
 * @param onChunk - gets every chunk; what it throws ends the reading
 * @throws the signal's reason, untouched, or what broke the connection; the body is let go in each case
 */
export async function readChunks(
  response: Response,
  signal: AbortSignal,
  onChunk: (chunk: Uint8Array) => void,
): Promise<void> {
  if (response.body === null) {
    return;
  }
  const reader = response.body.getReader();
  // Cancelling makes a waiting read return, whether or not the body itself follows the signal.
  const release = onAbort(signal, (reason) => letGo(reader.cancel(reason)));
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal.throwIfAborted();
      if (done) {
        return;
      }
      onChunk(value);
    }
  } catch (error) {
    letGo(reader.cancel(error));
    signal.throwIfAborted();
    throw error;
  } finally {
    release();
  }
}

/**
 * Reads a whole body as text.
 *
 * @param limitBytes - largest body that is taken
 * @throws {@link MessageTooLargeError} over the limit; {@link PeerError} when it is not UTF-8
 */
export async function readText(response: Response, limitBytes: number, signal: AbortSignal): Promise<string> {
  const announced = Number(response.headers.get("content-length"));
  if (announced > limitBytes) {
    discard(response);
    throw new MessageTooLargeError(announced, limitBytes);
  }
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const decode = (chunk?: Uint8Array): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch (cause) {
      throw new PeerError("expected a body in UTF-8, got bytes that are none", { cause });
    }
  };
  let text = "";
  let size = 0;
  await readChunks(response, signal, (chunk) => {
    size += chunk.byteLength;
    if (size > limitBytes) {
      throw new MessageTooLargeError(size, limitBytes);
    }
    text += decode(chunk);
  });
  return text + decode();
}

/**
 * The beginning of a body as text, for error messages and for finding an error object in it. Broken characters and
 * broken connections do not matter here.
 */
export async function readBeginning(response: Response, signal: AbortSignal): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  try {
    await readChunks(response, signal, (chunk) => {
      size += chunk.byteLength;
      text += decoder.decode(chunk, { stream: true });
      if (size > drainLimitBytes) {
        throw new Error("the beginning is enough");
      }
    });
  } catch {
    signal.throwIfAborted();
    // Whatever cut the body short, its beginning is all there is: the status is what the error will be about.
  }
  return text;
}

/**
 * Reads a body away, so that its connection can be used again; one that is long or does not end is cut off.
 * Resolves in any case.
 */
export async function drain(response: Response, clock: Clock, signal: AbortSignal): Promise<void> {
  const linked = linkSignals(signal);
  const cancel = clock.after(lingerMs, () => linked.abort(new Error("nobody reads this body")));
  let size = 0;
  try {
    await readChunks(response, linked.signal, (chunk) => {
      size += chunk.byteLength;
      if (size > drainLimitBytes) {
        linked.abort(new Error("nobody reads this body"));
      }
    });
  } catch {
    // The body was let go: there is nothing in it that anybody waits for.
  } finally {
    cancel();
    linked.release();
  }
}

/** Lets a body go unread. */
export function discard(response: Response): void {
  if (response.body !== null && !response.body.locked) {
    letGo(response.body.cancel());
  }
}

function letGo(cancelled: Promise<void>): void {
  // A body that is already broken cannot be cancelled, and need not be.
  cancelled.catch(() => undefined);
}

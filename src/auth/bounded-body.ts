/** Reads the body of an answer whole, up to a limit of bytes; lets go of it in every other case. */
import { onAbort } from "../base/abort.ts";

/**
 * The whole body.
 *
 * @returns `undefined` where it is larger than `maxBytes`, announced or not; then it is let go
 * @throws the signal's reason, or what broke the connection
 */
export async function readBoundedBody(
  response: Response,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (Number(response.headers.get("content-length")) > maxBytes) {
    discardBody(response);
    return undefined;
  }
  const reader = response.body?.getReader();
  if (reader === undefined) {
    return new Uint8Array();
  }
  // Cancelling makes a waiting read return, whether or not the body itself follows the signal.
  const release = onAbort(signal, (reason) => letGo(reader.cancel(reason)));
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      size += next.value.byteLength;
      if (size > maxBytes) {
        letGo(reader.cancel());
        return undefined;
      }
      chunks.push(next.value);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    release();
  }
  signal.throwIfAborted();
  return concat(chunks, size);
}

/** Lets a body go unread. */
export function discardBody(response: Response): void {
  if (response.body !== null && !response.body.locked) {
    letGo(response.body.cancel());
  }
}

function concat(chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.byteLength;
  }
  return bytes;
}

function letGo(cancelled: Promise<void>): void {
  // A body that is already broken cannot be cancelled, and need not be.
  cancelled.catch(() => undefined);
}

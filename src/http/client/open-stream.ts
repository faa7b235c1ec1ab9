/**
 * Opening an event stream with GET, for the first time or where one broke, and telling what a refusal means.
 *
 * Used for the answer to a request and for the standing stream alike. Nothing is ever POSTed a second time [HTTP-036].
 * Specification: Basic > Transports > Listening for messages, Resumability and redelivery.
 */
import { ClosedError, HttpError, isMcpError, type McpError } from "../../base/error.ts";
import { headerNames } from "../headers.ts";
import { eventStreamType, isMediaType } from "../media-type.ts";
import { isSendable } from "./configured-headers.ts";
import type { Endpoint, ProtocolHeaders } from "./endpoint.ts";
import { createTypeError, readRefusal } from "./refusal.ts";
import type { HttpSession } from "./session.ts";

/** What a stream is opened for. */
export interface StreamRequest {
  readonly endpoint: Endpoint;
  readonly session: HttpSession;
  /** For error messages, such as `GET to resume tools/call`. */
  readonly what: string;
  readonly lastEventId: string | undefined;
  /** Whether a 404 ends the session, as it does for everything but the optional standing stream [PP-007]. */
  readonly endsSession: boolean;
  readonly signal: AbortSignal;
}

/** An open stream, or why there is none. */
export type OpenedStream =
  | { readonly ok: true; readonly response: Response }
  | { readonly ok: false; readonly fault: McpError; readonly status: number | undefined; readonly transient: boolean };

/** Refusals of a server that is busy, starting, or still holds the stream that broke [PP-007]. */
const transientStatuses: ReadonlySet<number> = /* @__PURE__ */ new Set([408, 409, 425, 429]);

/**
 * Asks for a stream.
 *
 * @throws the signal's reason; nothing else
 */
export async function openStream(request: StreamRequest): Promise<OpenedStream> {
  const { endpoint, session, signal, lastEventId } = request;
  const inSession = session.hasId && request.endsSession;
  try {
    const response = await endpoint.get({ ...session.headers, ...resumptionHeader(lastEventId) }, signal);
    const refused = { endpoint, session, what: request.what, inSession, signal };
    if (response.ok) {
      return isMediaType(response.headers.get(headerNames.contentType), eventStreamType)
        ? { ok: true, response }
        : refuse(createTypeError(response, eventStreamType, refused), response.status, false);
    }
    const { status } = response;
    return refuse(await readRefusal(response, refused), status, status >= 500 || transientStatuses.has(status));
  } catch (error) {
    signal.throwIfAborted();
    // What is not ours cannot come out of the endpoint; a lost connection is the one thing that may mend by itself.
    const fault = isMcpError(error) ? error : new ClosedError(String(error), { cause: error });
    return refuse(fault, fault instanceof HttpError ? fault.status : undefined, fault instanceof ClosedError);
  }
}

/**
 * The wait before the next attempt that the server asked for, in milliseconds.
 *
 * @param retryMs - from the event stream
 * @param fault - what became of the last attempt, which may ask for more
 */
export function askedDelayMs(retryMs: number | undefined, fault: McpError | undefined): number | undefined {
  const retryAfterMs = fault instanceof HttpError ? fault.retryAfterMs : undefined;
  return retryMs === undefined || retryAfterMs === undefined
    ? (retryMs ?? retryAfterMs)
    : Math.max(retryMs, retryAfterMs);
}

/** Whether a stream with this id can be asked for: an id goes back as the UTF-8 that it came as. */
export function isResumable(lastEventId: string | undefined): lastEventId is string {
  return lastEventId !== undefined && isSendable(toHeaderText(lastEventId));
}

function resumptionHeader(lastEventId: string | undefined): ProtocolHeaders {
  return lastEventId === undefined ? {} : { [headerNames.lastEventId]: toHeaderText(lastEventId) };
}

/** Header values are bytes: each character stands for one. */
function toHeaderText(text: string): string {
  return /^[\x20-\x7e]*$/.test(text) ? text : String.fromCharCode(...new TextEncoder().encode(text));
}

function refuse(fault: McpError, status: number | undefined, transient: boolean): OpenedStream {
  return { ok: false, fault, status, transient };
}

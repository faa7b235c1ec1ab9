/**
 * Messages that get no answer: notifications, among them cancellations, and answers to the server's own requests.
 *
 * Specification: Basic > Transports > Sending messages.
 */
import { ClosedError, toMcpError } from "../../base/error.ts";
import { encodeMessage } from "../../jsonrpc/codec.ts";
import type { Call } from "../../jsonrpc/link.ts";
import { type JsonRpcMessage, toNotification } from "../../jsonrpc/message.ts";
import { mcpCancellation } from "../../protocol/cancellation.ts";
import { drain } from "./body.ts";
import type { Endpoint, ProtocolHeaders } from "./endpoint.ts";
import type { Lifetime } from "./lifetime.ts";
import type { ResolvedHttpOptions } from "./options.ts";
import { readRefusal } from "./refusal.ts";
import type { HttpSession } from "./session.ts";

/** How long the server may take to accept a cancellation, in milliseconds. */
const cancelTimeoutMs = 10_000;

/** Where a message goes, and with what. */
export interface Outlet {
  readonly endpoint: Endpoint;
  readonly options: ResolvedHttpOptions;
  readonly headers: ProtocolHeaders;
  /** Whose end is the end of the message too. */
  readonly lifetime: Lifetime;
  /** The session it is sent in; `undefined` where it stands for itself. */
  readonly session: HttpSession | undefined;
}

/**
 * POSTs a message and waits until it is accepted, as any status from 200 to 299 says, whatever the body [PP-110].
 *
 * @param what - for error messages
 */
export async function tell(
  outlet: Outlet,
  message: JsonRpcMessage,
  what: string,
  own = outlet.lifetime.follow(),
): Promise<void> {
  const { endpoint, options, session, headers } = outlet;
  const { signal, release } = own;
  const inSession = session?.hasId ?? false;
  try {
    const response = await endpoint.post(encodeMessage(message), headers, { signal });
    if (!response.ok) {
      throw await readRefusal(response, { endpoint, session, what: `POST of ${what} to`, inSession, signal });
    }
    void drain(response, options.clock, signal).finally(release);
  } catch (error) {
    release();
    throw error;
  }
}

/** Tells the server that a request was given up, where it can be. A failure is reported. */
export function tellCancelled(outlet: Outlet, id: number, call: Call, reason: unknown): void {
  const { lifetime, options } = outlet;
  const notification = mcpCancellation.toNotification(id, call, reason);
  if (notification === undefined || lifetime.signal.aborted) {
    return;
  }
  const own = lifetime.follow();
  const late = (): void => own.abort(new ClosedError(`not accepted within ${cancelTimeoutMs} ms`));
  const stop = options.clock.after(cancelTimeoutMs, late);
  void tell(outlet, toNotification(notification), notification.method, own)
    .catch((error: unknown) => {
      const message = `the cancellation of ${call.method} did not reach the server: ${toMcpError(error).message}`;
      options.report({ code: "MCP_D_CANCEL_UNSENT", message, detail: error });
    })
    .finally(stop);
}

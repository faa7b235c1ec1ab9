/**
 * The farewell of a session: DELETE with its id, so that the server need not wait for it to expire.
 *
 * Specification: Basic > Transports > Session management [HTTP-047].
 */
import { ClosedError, toMcpError } from "../../base/error.ts";
import { drain } from "./body.ts";
import type { Endpoint } from "./endpoint.ts";
import type { ResolvedHttpOptions } from "./options.ts";
import { readRefusal } from "./refusal.ts";
import type { HttpSession } from "./session.ts";

/** Statuses that are as good as success: sessions cannot be ended by clients [HTTP-048], or this one has ended. */
const alsoFine: ReadonlySet<number> = /* @__PURE__ */ new Set([404, 405]);

/** Ends a session on the server, within the time the options give. A failure is reported; never rejects. */
export async function terminateSession(
  session: HttpSession,
  endpoint: Endpoint,
  options: ResolvedHttpOptions,
): Promise<void> {
  const { clock, terminateTimeoutMs } = options;
  const controller = new AbortController();
  const late = (): void => controller.abort(new ClosedError(`no answer within ${terminateTimeoutMs} ms`));
  const stop = clock.after(terminateTimeoutMs, late);
  const { signal } = controller;
  try {
    const response = await endpoint.delete(session.headers, signal);
    if (response.ok || alsoFine.has(response.status)) {
      await drain(response, clock, signal);
    } else {
      throw await readRefusal(response, {
        endpoint,
        session,
        what: "DELETE of the session at",
        inSession: false,
        signal,
      });
    }
  } catch (error) {
    const message = `the session was left to expire on the server: ${toMcpError(error).message}`;
    options.report({ code: "MCP_D_SESSION_LEFT", message, detail: error });
  } finally {
    stop();
  }
}

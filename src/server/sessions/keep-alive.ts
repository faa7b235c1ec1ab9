/**
 * Pings at an interval, and word when they stay unanswered. Specification: Basic > Utilities > Ping.
 *
 * Off unless asked for: a pipe tells of its end by itself, most of the time.
 */
import type { OnDiagnostic } from "../../base/diagnostic.ts";
import type { Clock } from "../../base/timer.ts";
import type { KeepAliveOptions } from "./serve-options.ts";
import type { ServerSession } from "./session.ts";

/**
 * Starts pinging; stops with the session.
 *
 * @param close - ends the session
 */
export function keepAlive(
  session: ServerSession,
  options: KeepAliveOptions,
  { clock, onDiagnostic, close }: { clock: Clock; onDiagnostic: OnDiagnostic; close: () => void },
): void {
  const { intervalMs, timeoutMs = 10_000, maxFailures = 3, onDead = close } = options;
  let failures = 0;
  const next = (): void => {
    if (session.signal.aborted) {
      return;
    }
    const cancel = clock.after(intervalMs, () => {
      session.signal.removeEventListener("abort", cancel);
      void beat();
    });
    session.signal.addEventListener("abort", cancel, { once: true });
  };
  const beat = async (): Promise<void> => {
    if (session.revision === undefined) {
      // Without a handshake the client may be one that takes no requests.
      next();
      return;
    }
    try {
      await session.ping({ idleTimeoutMs: timeoutMs, totalTimeoutMs: timeoutMs });
      failures = 0;
    } catch (error) {
      if (session.signal.aborted) {
        return;
      }
      failures += 1;
      const message = `session ${session.id} did not answer a ping within ${timeoutMs} ms (${failures} of ${maxFailures})`;
      onDiagnostic({ code: "MCP_D_PING", message, detail: error });
    }
    if (failures >= maxFailures) {
      onDead(session);
    } else {
      next();
    }
  };
  next();
}

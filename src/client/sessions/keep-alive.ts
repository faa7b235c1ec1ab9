/**
 * Pings at an interval. A ping that fails is reported; too many in a row end the session.
 *
 * Specification: Basic > Utilities > Ping.
 */
import { type McpError, toMcpError } from "../../base/error.ts";
import type { Clock } from "../../base/timer.ts";

/** How a session is kept alive, and how its end is noticed. */
export interface KeepAliveOptions {
  /** Time between the end of one ping and the next, in milliseconds, at least 1 [PING-003]. */
  intervalMs: number;
  /** How long an answer may take, in milliseconds. Default 10 000 [PING-004]. */
  timeoutMs?: number | undefined;
  /** Failures in a row that end the session. Default 3; `Infinity` never ends it [PING-002]. */
  maxFailures?: number | undefined;
  /** Told of every ping that failed. Failures are diagnostics as well. */
  onFailure?: ((failure: KeepAliveFailure) => void) | undefined;
}

/** One failed ping. */
export interface KeepAliveFailure {
  readonly error: McpError;
  /** How many have failed in a row, this one included. */
  readonly failures: number;
  /** Whether the session is being closed because of it. */
  readonly closing: boolean;
}

/** The options with their defaults. */
export interface KeepAliveSettings {
  readonly intervalMs: number;
  readonly timeoutMs: number;
  readonly maxFailures: number;
  readonly onFailure: KeepAliveOptions["onFailure"];
}

/** Fills in the defaults. */
export function resolveKeepAlive(options: KeepAliveOptions | undefined): KeepAliveSettings | undefined {
  return options === undefined
    ? undefined
    : {
        intervalMs: Math.max(1, options.intervalMs),
        timeoutMs: options.timeoutMs ?? 10_000,
        maxFailures: options.maxFailures ?? 3,
        onFailure: options.onFailure,
      };
}

/** What a keep-alive works on. */
export interface KeepAliveTarget {
  readonly clock: Clock;
  ping(timeoutMs: number): Promise<void>;
  /** Told of every failure. */
  onFailure(failure: KeepAliveFailure): void;
  /** Ends the session. */
  end(fault: McpError): void;
}

/**
 * Starts pinging.
 *
 * @returns stops it, leaving no timer
 */
export function startKeepAlive(settings: KeepAliveSettings, target: KeepAliveTarget): () => void {
  let stopped = false;
  let failures = 0;
  let cancel: (() => void) | undefined;
  const schedule = (): void => {
    cancel = target.clock.after(settings.intervalMs, () => void beat());
  };
  const beat = async (): Promise<void> => {
    try {
      await target.ping(settings.timeoutMs);
      failures = 0;
    } catch (caught) {
      if (!stopped) {
        failures += 1;
        const error = toMcpError(caught);
        const closing = failures >= settings.maxFailures;
        target.onFailure({ error, failures, closing });
        if (closing) {
          stopped = true;
          target.end(error);
        }
      }
    }
    if (!stopped) {
      schedule();
    }
  };
  schedule();
  return () => {
    stopped = true;
    cancel?.();
  };
}

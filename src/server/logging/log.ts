/** Writing log messages, as authors see it: the functions, the options. What becomes of a message is logging.ts. */
import type { LoggingLevel } from "../../protocol/types/logging.ts";

/** One message on its way to a client. */
export interface LogEntry {
  readonly level: LoggingLevel;
  readonly data: unknown;
  readonly logger?: string | undefined;
}

/** Options of logging. */
export interface LoggingOptions {
  /** Sent before a session asks for a level, and where there is no session: this one and all above. Default `info`. */
  level?: LoggingLevel | undefined;
  /** Messages per second and session; as many may come at once. Default 100. The rest is counted and summed up. */
  maxPerSecond?: number | undefined;
  /** The name that messages carry which name no logger themselves. */
  logger?: string | undefined;
  /**
   * Last look at a message; `undefined` keeps it from being sent. The default masks what stands under names such as
   * `password` or `token`; the result must be plain JSON.
   */
  redact?: ((entry: LogEntry) => LogEntry | undefined) | undefined;
}

/** A function per level. Writing never throws and never waits. */
export type Log = { readonly [Level in LoggingLevel]: (data: unknown, logger?: string) => void };

/** The functions an author writes messages with. */
export function createLog(write: (entry: LogEntry) => void): Log {
  const at =
    (level: LoggingLevel) =>
    (data: unknown, logger?: string): void =>
      write({ level, data, logger });
  return {
    debug: at("debug"),
    info: at("info"),
    notice: at("notice"),
    warning: at("warning"),
    error: at("error"),
    critical: at("critical"),
    alert: at("alert"),
    emergency: at("emergency"),
  };
}

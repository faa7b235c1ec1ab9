/**
 * Checks of log levels and log messages.
 */
import type { Check, CheckOf } from "../check.ts";
import type { LoggingLevel, LoggingMessageNotificationParams, SetLevelRequestParams } from "../types/logging.ts";
import { requestMeta } from "./metadata.ts";

/** The levels by rising severity. Specification: Server > Utilities > Logging > Log Levels [LOG-003]. */
export const loggingLevels = [
  "debug",
  "info",
  "notice",
  "warning",
  "error",
  "critical",
  "alert",
  "emergency",
] as const satisfies readonly LoggingLevel[];

/** The name of a level. */
export const loggingLevel: Check = { choices: loggingLevels };

/** Specification: Server > Utilities > Logging > Setting Log Level [LOG-007]. */
export const setLevelParams: CheckOf<SetLevelRequestParams> = {
  required: { level: loggingLevel },
  optional: { _meta: requestMeta },
};

/** Specification: Server > Utilities > Logging > Log Message Notifications [LOG-002]. */
export const loggingMessageParams: CheckOf<LoggingMessageNotificationParams> = {
  required: { level: loggingLevel, data: "any" },
  optional: { _meta: "object", logger: "string" },
};

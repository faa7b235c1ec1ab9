/**
 * Log messages from server to client. Choosing which are sent is up to the server.
 */
import type { NotificationParams, RequestParams } from "./message.ts";

/** Severities of RFC 5424, `debug` the least and `emergency` the most severe. Specification: Server > Utilities > Logging > Log Levels. */
export type LoggingLevel = "debug" | "info" | "notice" | "warning" | "error" | "critical" | "alert" | "emergency";

/** Params of `logging/setLevel`. Specification: Server > Utilities > Logging > Setting Log Level. */
export interface SetLevelRequestParams extends RequestParams {
  level: LoggingLevel;
}

/** A log message; its data is any JSON value. Specification: Server > Utilities > Logging > Log Message Notifications. */
export interface LoggingMessageNotificationParams extends NotificationParams {
  level: LoggingLevel;
  logger?: string;
  data: unknown;
}

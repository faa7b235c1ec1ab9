/**
 * Log messages to the client: the level a session asked for, a limit on floods, and a hook that keeps secrets in.
 *
 * Before any `logging/setLevel` messages from `info` on are sent, unless the options say another level [LOG-006].
 * Specification: Server > Utilities > Logging.
 */
import { UsageError } from "../../base/error.ts";
import { TokenBucket } from "../../base/token-bucket.ts";
import type { Call } from "../../jsonrpc/link.ts";
import { loggingLevels } from "../../protocol/checks/logging.ts";
import type { LoggingLevel } from "../../protocol/types/logging.ts";
import type { LogEntry, LoggingOptions } from "./log.ts";
import { redactSecrets } from "./redact.ts";

/** What is known of the receiver of messages. */
export interface LogTarget {
  /** The level it asked for. */
  readonly level: LoggingLevel | undefined;
  /** Its share; made by {@link LogPolicy.createShare}. */
  readonly share: LogShare;
  send(call: Call): void;
}

/** How much one receiver may still get, and what was withheld from it. */
export interface LogShare {
  readonly bucket: TokenBucket;
  withheld: number;
}

/** The resolved options, and what follows from them. */
export class LogPolicy {
  readonly #level: number;
  readonly #maxPerSecond: number;
  readonly #logger: string | undefined;
  readonly #redact: (entry: LogEntry) => LogEntry | undefined;
  readonly #now: () => number;

  /** @throws UsageError for an unknown level */
  constructor(options: LoggingOptions, now: () => number) {
    const level = options.level ?? "info";
    this.#level = loggingLevels.indexOf(level);
    if (this.#level === -1) {
      throw new UsageError(`logging.level: expected one of ${loggingLevels.join(", ")}, got ${JSON.stringify(level)}`);
    }
    this.#maxPerSecond = options.maxPerSecond ?? 100;
    this.#logger = options.logger;
    this.#redact = options.redact ?? ((entry) => ({ ...entry, data: redactSecrets(entry.data) }));
    this.#now = now;
  }

  /** A fresh share for a receiver. */
  createShare(): LogShare {
    return { bucket: new TokenBucket(this.#maxPerSecond, this.#maxPerSecond, this.#now), withheld: 0 };
  }

  /** Sends a message if its level is wanted and the share allows it [LOG-005, LOG-009]. */
  write(target: LogTarget, entry: LogEntry): void {
    const wanted = target.level === undefined ? this.#level : loggingLevels.indexOf(target.level);
    if (loggingLevels.indexOf(entry.level) < wanted) {
      return;
    }
    const { share } = target;
    if (!share.bucket.take()) {
      share.withheld += 1;
      return;
    }
    if (share.withheld > 0) {
      const data = `${share.withheld} log messages were withheld: more than ${this.#maxPerSecond} in a second`;
      share.withheld = 0;
      target.send(toCall({ level: "warning", data }, this.#logger));
    }
    const redacted = this.#redact(entry);
    if (redacted !== undefined) {
      target.send(toCall(redacted, this.#logger));
    }
  }
}

function toCall({ level, data, logger }: LogEntry, fallback: string | undefined): Call {
  const name = logger ?? fallback;
  return {
    method: "notifications/message",
    params: { level, ...(name === undefined ? undefined : { logger: name }), data },
  };
}

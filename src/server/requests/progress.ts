/**
 * Progress of one request: strictly increasing, throttled with the last step kept, silent after the answer.
 *
 * Specification: Basic > Utilities > Progress.
 */
import type { OnDiagnostic } from "../../base/diagnostic.ts";
import { UsageError } from "../../base/error.ts";
import type { Clock } from "../../base/timer.ts";
import { TokenBucket } from "../../base/token-bucket.ts";
import type { Call } from "../../jsonrpc/link.ts";
import type { ProgressToken } from "../../protocol/types/metadata.ts";

/** Steps sent without delay, and how many per second once they are used up [PROG-009]. */
const burst = 1_000;
const perSecond = 100;

/** What a reporter needs of its request. */
export interface ProgressHost {
  readonly clock: Clock;
  readonly onDiagnostic: OnDiagnostic;
  /** Sends a notification that belongs to the request. */
  send(call: Call): void;
}

/** See the head of this file. */
export class ProgressReporter {
  readonly #token: ProgressToken;
  readonly #host: ProgressHost;
  readonly #bucket: TokenBucket;
  #last = Number.NEGATIVE_INFINITY;
  #waiting: Call | undefined;
  #cancelTimer: (() => void) | undefined;
  #ended = false;

  constructor(token: ProgressToken, host: ProgressHost) {
    this.#token = token;
    this.#host = host;
    this.#bucket = new TokenBucket(burst, perSecond, host.clock.now);
  }

  /**
   * Reports one step. One that is not further than the last is dropped and reported [PROG-004].
   *
   * @throws UsageError when a number is not finite
   */
  report(progress: number, total: number | undefined, message: string | undefined): void {
    if (!Number.isFinite(progress) || (total !== undefined && !Number.isFinite(total))) {
      throw new UsageError(`progress: expected finite numbers, got ${progress} of ${total ?? "an unknown total"}`);
    }
    if (this.#ended || progress <= this.#last) {
      const why = this.#ended ? "the request has been answered" : `it is not further than ${this.#last}`;
      this.#host.onDiagnostic({ code: "MCP_D_PROGRESS", message: `progress ${progress} was not sent: ${why}` });
      return;
    }
    this.#last = progress;
    const params = {
      progressToken: this.#token,
      progress,
      ...(total === undefined ? undefined : { total }),
      ...(message === undefined ? undefined : { message }),
    };
    const call = { method: "notifications/progress", params };
    if (this.#waiting === undefined && this.#bucket.take()) {
      this.#host.send(call);
      return;
    }
    this.#waiting = call;
    this.#cancelTimer ??= this.#host.clock.after(this.#bucket.waitMs, () => this.#flush());
  }

  /** Sends the last step that waits, then nothing more [PROG-006]. Called right before the answer. */
  end(): void {
    this.#cancelTimer?.();
    this.#flush();
    this.#ended = true;
  }

  #flush(): void {
    this.#cancelTimer = undefined;
    const call = this.#waiting;
    this.#waiting = undefined;
    if (call !== undefined) {
      this.#bucket.take();
      this.#host.send(call);
    }
  }
}

/**
 * Outgoing requests of either role: their two deadlines, and the progress that arrives for them.
 *
 * One object per connection. Links carry, this waits. Specification: Basic > Lifecycle > Timeouts, Utilities > Progress.
 */
import { linkSignals, onAbort } from "../base/abort.ts";
import { type Deadline, startDeadline } from "../base/deadline.ts";
import type { OnDiagnostic } from "../base/diagnostic.ts";
import { type Clock, systemClock } from "../base/timer.ts";
import type { Call, LinkRequestOptions } from "../jsonrpc/link.ts";
import type { JsonObject, JsonRpcNotification } from "../jsonrpc/message.ts";
import { metaKeys, withMeta } from "./meta.ts";
import type { ProgressToken } from "./types/metadata.ts";

/** One step of a request that takes a while. */
export interface Progress {
  /** How much is done; grows with every step. */
  readonly progress: number;
  /** How much there is to do, where known. */
  readonly total?: number;
  /** For people. */
  readonly message?: string;
}

/** Options of every outgoing request. */
export interface RequestOptions {
  /** Gives the request up: the peer is told, and the promise rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Longest silence, in milliseconds; progress and log messages of the request start it anew. Default 60 000. */
  idleTimeoutMs?: number | undefined;
  /** Longest wait altogether, in milliseconds. Default 1 800 000, half an hour. */
  totalTimeoutMs?: number | undefined;
  /** Called for every step the peer reports. */
  onProgress?: ((progress: Progress) => void) | undefined;
}

/** Options of one request inside this library. */
export interface OutgoingRequestOptions extends RequestOptions {
  /** Its progress goes on beyond its result, as that of a task does, until this aborts. */
  progressUntil?: AbortSignal | undefined;
}

/** Options of {@link Outgoing}. */
export interface OutgoingOptions {
  /** Default for requests that do not say, in milliseconds. Default 60 000. */
  idleTimeoutMs?: number | undefined;
  /** Default for requests that do not say, in milliseconds. Default 1 800 000. */
  totalTimeoutMs?: number | undefined;
  clock?: Clock | undefined;
  onDiagnostic?: OnDiagnostic | undefined;
}

/** Longest wait of a request that does not say otherwise, in milliseconds. */
export const defaultTotalTimeoutMs = 1_800_000;

/** Sends one request over whatever link there is. */
export type Send = (call: Call, options: LinkRequestOptions) => Promise<JsonObject>;

interface Waiting {
  readonly deadline: Deadline;
  readonly onProgress: ((progress: Progress) => void) | undefined;
}

/** Requests that must not carry a progress token: they are not work that can take steps. */
const withoutProgress: ReadonlySet<string> = /* @__PURE__ */ new Set(["initialize", "ping"]);

/** See the head of this file. */
export class Outgoing {
  readonly #idleTimeoutMs: number;
  readonly #totalTimeoutMs: number;
  readonly #clock: Clock;
  readonly #onDiagnostic: OnDiagnostic | undefined;
  readonly #waiting = new Map<ProgressToken, Waiting>();
  /** Of work that takes several requests. */
  readonly #limits = new Set<Deadline>();
  #lastToken = 0;
  #pauses = 0;
  #pausedAt = 0;
  #pausedMs = 0;

  constructor(options: OutgoingOptions = {}) {
    this.#idleTimeoutMs = options.idleTimeoutMs ?? 60_000;
    this.#totalTimeoutMs = options.totalTimeoutMs ?? defaultTotalTimeoutMs;
    this.#clock = options.clock ?? systemClock;
    this.#onDiagnostic = options.onDiagnostic;
  }

  /**
   * Sends a request and waits for its result within its limits.
   *
   * @param onRelated - receives notifications that the link ties to this request, progress excepted
   * @throws {@link TimeoutError} when a limit passes; the signal's reason when it aborts; what the link throws
   */
  async request(
    send: Send,
    call: Call,
    options: OutgoingRequestOptions = {},
    onRelated?: (notification: JsonRpcNotification) => void,
  ): Promise<JsonObject> {
    const { signal } = options;
    signal?.throwIfAborted();
    const controller = new AbortController();
    const release = signal === undefined ? undefined : onAbort(signal, (reason) => controller.abort(reason));
    const limits = {
      idleTimeoutMs: options.idleTimeoutMs ?? this.#idleTimeoutMs,
      totalTimeoutMs: options.totalTimeoutMs ?? this.#totalTimeoutMs,
    };
    const deadline = startDeadline(this.#clock, limits, call.method, (error) => controller.abort(error));
    this.#lastToken += 1;
    const token = this.#lastToken;
    this.#waiting.set(token, { deadline, onProgress: options.onProgress });
    const tokened = withoutProgress.has(call.method)
      ? call
      : { method: call.method, params: withMeta(call.params, metaKeys.progressToken, token) };
    try {
      return await send(tokened, {
        signal: controller.signal,
        onRelated: (notification) => {
          if (!this.receiveProgress(notification)) {
            deadline.touch();
            onRelated?.(notification);
          }
        },
      });
    } finally {
      deadline.clear();
      release?.();
      const forget = (): boolean => this.#waiting.delete(token);
      if (options.progressUntil === undefined) {
        forget();
      } else {
        onAbort(options.progressUntil, forget);
      }
    }
  }

  /**
   * Does work that takes several requests, within one limit that stands still while the person is asked.
   *
   * @param what - as the error names it
   * @throws {@link TimeoutError} when the limit passes; the signal's reason when it aborts; what the work throws
   */
  async within<T>(
    what: string,
    { signal, totalTimeoutMs }: { readonly signal?: AbortSignal | undefined; readonly totalTimeoutMs: number },
    work: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    signal?.throwIfAborted();
    const linked = linkSignals(signal);
    const limits = { idleTimeoutMs: Number.POSITIVE_INFINITY, totalTimeoutMs };
    const deadline = startDeadline(this.#clock, limits, what, (error) => linked.abort(error));
    this.#limits.add(deadline);
    try {
      return await work(linked.signal);
    } finally {
      this.#limits.delete(deadline);
      deadline.clear();
      linked.release();
    }
  }

  /** Whose time it is. */
  get clock(): Clock {
    return this.#clock;
  }

  /** Milliseconds of a clock that stands still while a person is asked. Only differences mean something. */
  get activeMs(): number {
    return (this.#pauses === 0 ? this.#clock.now() : this.#pausedAt) - this.#pausedMs;
  }

  /**
   * Takes a progress notification to the request it belongs to. What comes late is dropped, what was never asked for
   * is reported [PROG-008].
   *
   * @returns whether it was a progress notification
   */
  receiveProgress({ method, params }: JsonRpcNotification): boolean {
    if (method !== "notifications/progress") {
      return false;
    }
    const token = params?.progressToken;
    const waiting = typeof token === "number" ? this.#waiting.get(token) : undefined;
    if (waiting !== undefined && typeof params?.progress === "number") {
      waiting.deadline.touch();
      this.#tell(waiting.onProgress, toProgress(params.progress, params));
    } else if (waiting !== undefined || !this.#wasIssued(token)) {
      const what = waiting === undefined ? "for a token that was never issued" : "without a number as progress";
      this.#onDiagnostic?.({ code: "MCP_D_PROGRESS", message: `a progress notification ${what} was dropped` });
    }
    return true;
  }

  /**
   * Stops every clock, as while a person is being asked on behalf of one of these requests.
   *
   * @returns lets them run again
   */
  pause(): () => void {
    const deadlines = [...[...this.#waiting.values()].map(({ deadline }) => deadline), ...this.#limits];
    const resumes = deadlines.map((deadline) => deadline.pause());
    this.#pausedAt = this.#pauses === 0 ? this.#clock.now() : this.#pausedAt;
    this.#pauses += 1;
    let isOver = false;
    return () => {
      if (isOver) {
        return;
      }
      isOver = true;
      this.#pauses -= 1;
      this.#pausedMs += this.#pauses === 0 ? this.#clock.now() - this.#pausedAt : 0;
      for (const resume of resumes) {
        resume();
      }
    };
  }

  /** The caller's own callback must not break the link that delivers to it. */
  #tell(onProgress: Waiting["onProgress"], progress: Progress): void {
    try {
      onProgress?.(progress);
    } catch (error) {
      this.#onDiagnostic?.({ code: "MCP_D_CALLBACK_FAULT", message: "an onProgress callback threw", detail: error });
    }
  }

  #wasIssued(token: unknown): boolean {
    return typeof token === "number" && token >= 1 && token <= this.#lastToken;
  }
}

function toProgress(progress: number, params: JsonObject): Progress {
  return {
    progress,
    ...(typeof params.total === "number" ? { total: params.total } : undefined),
    ...(typeof params.message === "string" ? { message: params.message } : undefined),
  };
}

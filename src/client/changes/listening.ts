/**
 * A subscription that is kept open: opened again when it is lost, and with another filter when what is wanted changes.
 *
 * Another filter means another stream; the old one is closed once the new one is acknowledged, so that nothing is missed
 * in between. What was missed after a loss is for others to fetch. Specification: Basic > Utilities > Subscriptions.
 */
import { linkSignals, onAbort } from "../../base/abort.ts";
import { type BackoffOptions, backoffDelay } from "../../base/backoff.ts";
import { createDeferred, type Deferred } from "../../base/deferred.ts";
import { isMcpError, PeerError, TimeoutError } from "../../base/error.ts";
import type { Clock } from "../../base/timer.ts";
import { rpcCodes } from "../../jsonrpc/error.ts";
import type { LinkRequestOptions } from "../../jsonrpc/link.ts";
import type { JsonObject, JsonRpcNotification } from "../../jsonrpc/message.ts";
import { checkParams } from "../../protocol/params.ts";
import type { SubscriptionFilter } from "../../protocol/types/subscriptions.ts";
import { isRpcError } from "../requests/rpc-error.ts";

const acknowledgedMethod = "notifications/subscriptions/acknowledged";

/** What a {@link Listening} works with. */
export interface ListenHost {
  /** Sends `subscriptions/listen`; settles when the stream ends. */
  open(
    filter: SubscriptionFilter,
    options: Pick<LinkRequestOptions, "signal" | "onRelated"> & { signal: AbortSignal },
  ): Promise<JsonObject>;
  readonly clock: Clock;
  /** Aborts when the session ends. */
  readonly signal: AbortSignal;
  /** How long the acknowledgement may take, in milliseconds. */
  readonly acknowledgeTimeoutMs: number;
  /** How long to wait before a lost stream is opened again. One that the server ended waits for the longest delay. */
  readonly backoff: BackoffOptions;
}

/** Why a stream is no more: the server ended it in order, or it broke off. */
export type ListenEnding = { readonly kind: "ended" } | { readonly kind: "lost"; readonly error: unknown };

/** Who hears what happens. None of these may throw. */
export interface ListenHooks {
  /** Told of every notification of the stream. */
  onNotification(notification: JsonRpcNotification): void;
  /** Told what the server agreed to, each time a stream is open. */
  onOpen(honoured: SubscriptionFilter, filter: SubscriptionFilter): void;
  /** Told that a stream is no more, and whether another one will be opened. */
  onEnd(ending: ListenEnding, reopens: boolean): void;
  /** Told once a stream is open again: in between, changes may have been missed [M-SUB-014]. */
  onGap(): void;
}

/** One stream. */
interface Stream {
  readonly filter: SubscriptionFilter;
  readonly acknowledged: Promise<SubscriptionFilter>;
  readonly ended: Promise<ListenEnding>;
  close(reason: unknown): void;
}

interface Waiter {
  readonly version: number;
  readonly outcome: Deferred<SubscriptionFilter>;
}

/** See the head of this file. */
export class Listening {
  readonly #host: ListenHost;
  readonly #hooks: ListenHooks;
  #wanted: SubscriptionFilter = {};
  /** Counts the changes of what is wanted. */
  #version = 0;
  #waiters: Waiter[] = [];
  /** Resolves at the next change. */
  #changed = createDeferred();
  #current: Stream | undefined;
  /** What is not acknowledged yet. */
  #opening: Stream | undefined;
  #isRunning = false;
  /** Whether a stream is no more in whose place no other one is open yet. */
  #hasGap = false;
  #isClosed = false;

  constructor(host: ListenHost, hooks: ListenHooks) {
    this.#host = host;
    this.#hooks = hooks;
  }

  /**
   * Says what is wanted from now on; an empty filter closes the stream.
   *
   * @returns what the server agreed to of it
   * @throws what the request threw, or that nothing was acknowledged; unless the server refused, it is tried again
   */
  want(filter: SubscriptionFilter): Promise<SubscriptionFilter> {
    this.#wanted = filter;
    this.#version += 1;
    const outcome = createDeferred<SubscriptionFilter>();
    this.#waiters.push({ version: this.#version, outcome });
    this.#changed.resolve();
    this.#changed = createDeferred();
    if (isEmpty(filter)) {
      this.#opening?.close(superseded);
    }
    if (!this.#isRunning) {
      this.#isRunning = true;
      // A turn later, so that changes of the same turn count as one.
      queueMicrotask(() => void this.#run().finally(() => this.#stop()));
    }
    return outcome.promise;
  }

  /** Ends the stream for good. */
  close(): void {
    this.#isClosed = true;
    void this.want({}).catch(() => undefined);
  }

  async #run(): Promise<void> {
    let failures = 0;
    while (!this.#host.signal.aborted && !isEmpty(this.#wanted)) {
      const version = this.#version;
      const changed = this.#changed.promise;
      const ending = await this.#follow(version, changed, () => {
        failures = 0;
      });
      if (ending === "changed") {
        continue;
      }
      const isOver = this.#host.signal.aborted || isFinal(ending);
      if (ending.kind === "lost") {
        failures += 1;
        this.#settle(version, (waiter) => waiter.reject(ending.error));
      }
      this.#hasGap = true;
      this.#hooks.onEnd(ending, !isOver);
      if (isOver && (this.#host.signal.aborted || version === this.#version)) {
        return;
      }
      const { maxDelayMs = 30_000 } = this.#host.backoff;
      const delayMs =
        ending.kind === "lost"
          ? backoffDelay(failures, this.#host.backoff)
          : backoffDelay(1, { ...this.#host.backoff, initialDelayMs: maxDelayMs });
      await this.#wait(delayMs, changed);
    }
  }

  /** Has a stream with the wanted filter until it ends, or until something else is wanted. */
  async #follow(version: number, changed: Promise<void>, onOpen: () => void): Promise<ListenEnding | "changed"> {
    let stream = this.#current;
    if (stream === undefined || !isSame(stream.filter, this.#wanted)) {
      stream = this.#open(this.#wanted);
      this.#opening = stream;
      const opened = await Promise.race([stream.acknowledged.then(() => undefined), stream.ended]);
      this.#opening = undefined;
      if (opened !== undefined && isEmpty(this.#wanted)) {
        return "changed";
      }
      if (opened !== undefined) {
        return opened.kind === "lost" ? opened : { kind: "lost", error: new PeerError(unacknowledged) };
      }
      this.#current?.close(superseded);
      this.#current = stream;
      onOpen();
    }
    const honoured = await stream.acknowledged;
    this.#settle(version, (waiter) => waiter.resolve(honoured));
    if (this.#hasGap) {
      this.#hasGap = false;
      this.#hooks.onGap();
    }
    const ending = await Promise.race([stream.ended, changed.then(() => "changed" as const)]);
    if (ending !== "changed") {
      this.#current = undefined;
    }
    return ending;
  }

  #open(filter: SubscriptionFilter): Stream {
    const { clock, acknowledgeTimeoutMs: timeoutMs, signal } = this.#host;
    const linked = linkSignals(signal);
    const acknowledged = createDeferred<SubscriptionFilter>();
    const stop = clock.after(timeoutMs, () => {
      const message = `subscriptions/listen: no acknowledgement after ${timeoutMs} ms`;
      linked.abort(new TimeoutError(message, { limit: "idle", timeoutMs }));
    });
    const onRelated = (notification: JsonRpcNotification): void => {
      if (linked.signal.aborted) {
        return;
      }
      if (notification.method !== acknowledgedMethod) {
        this.#hooks.onNotification(notification);
        return;
      }
      stop();
      const fault = checkParams(acknowledgedMethod, notification.params);
      if (fault !== undefined) {
        linked.abort(new PeerError(`${acknowledgedMethod}: ${fault}`));
        return;
      }
      const honoured = notification.params?.notifications as SubscriptionFilter;
      this.#hooks.onOpen(honoured, filter);
      acknowledged.resolve(honoured);
    };
    const ended = this.#host.open(filter, { signal: linked.signal, onRelated }).then(
      (): ListenEnding => ({ kind: "ended" }),
      (error: unknown): ListenEnding => ({ kind: "lost", error }),
    );
    void ended.then(() => {
      stop();
      linked.release();
    });
    return { filter, acknowledged: acknowledged.promise, ended, close: (reason) => linked.abort(reason) };
  }

  /** Waits, but not when something else is wanted or the session ends. */
  #wait(delayMs: number, changed: Promise<void>): Promise<void> {
    const { clock, signal } = this.#host;
    const over = createDeferred();
    const stop = clock.after(delayMs, () => over.resolve());
    const release = onAbort(signal, () => over.resolve());
    void changed.then(() => over.resolve());
    return over.promise.then(() => {
      stop();
      release();
    });
  }

  /** Nothing is wanted, or nothing more can be had. */
  #stop(): void {
    this.#isRunning = false;
    const { signal } = this.#host;
    if (isEmpty(this.#wanted) || signal.aborted) {
      this.#hasGap = false;
      this.#current?.close(superseded);
      this.#current = undefined;
      const settle = (waiter: Waiter["outcome"]): void =>
        signal.aborted && !this.#isClosed ? waiter.reject(signal.reason) : waiter.resolve({});
      this.#settle(this.#version, settle);
    }
  }

  #settle(version: number, settle: (waiter: Waiter["outcome"]) => void): void {
    const due = this.#waiters.filter((waiter) => waiter.version <= version);
    this.#waiters = this.#waiters.filter((waiter) => waiter.version > version);
    for (const { outcome } of due) {
      settle(outcome);
    }
  }
}

/** Why a stream is given up in whose place another one is open, or none is wanted. */
const superseded = "no longer needed";

const unacknowledged = "subscriptions/listen: expected an acknowledgement first, got the end";

/** Whether it makes no sense to ask for the same again: the server, or we ourselves, said no. */
function isFinal(ending: ListenEnding): boolean {
  if (ending.kind === "ended" || !isMcpError(ending.error)) {
    return false;
  }
  const { error } = ending;
  return isRpcError(error) ? error.rpcCode !== rpcCodes.internalError : error.code === "MCP_USAGE";
}

function isEmpty(filter: SubscriptionFilter): boolean {
  return Object.values(filter).every((value) => value === undefined || value === false || isEmptyList(value));
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function isSame(first: SubscriptionFilter, second: SubscriptionFilter): boolean {
  return toKey(first) === toKey(second);
}

function toKey({ resourceSubscriptions = [], taskIds = [], ...kinds }: SubscriptionFilter): string {
  const wanted = Object.entries(kinds).flatMap(([kind, value]) => (value ? [kind] : []));
  return JSON.stringify([wanted.sort(), [...resourceSubscriptions].sort(), [...taskIds].sort()]);
}

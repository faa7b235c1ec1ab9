/**
 * How fast a peer is asked about one task: at the pace it names, and more slowly while it is out of reach or says that it
 * was asked too often.
 */
import { backoffDelay } from "../base/backoff.ts";
import { type HttpError, isMcpError } from "../base/error.ts";
import { isObject } from "../base/json.ts";
import { type RpcError, rpcCodes } from "../jsonrpc/error.ts";
import type { Task } from "../protocol/types/tasks.ts";

/** How long to wait between two looks where the peer does not say, in milliseconds. */
const defaultIntervalMs = 1_000;

/** However short an interval the peer names, it is not asked more often, in milliseconds. */
const minIntervalMs = 50;

/** Attempts in a row that may fail before the task is given up. With their delays they take about a minute and a half. */
const maxFailures = 8;

/** How long to wait between two looks at a task, in milliseconds. */
export function toInterval(task: Task | undefined): number {
  return Math.max(task?.pollIntervalMs ?? defaultIntervalMs, minIntervalMs);
}

/** Counts what fails. */
export class Pace {
  #failures = 0;
  /** Refusals in a row because of the pace alone; they never make a task fail [X-TASK-024]. */
  #refusals = 0;

  /** An attempt got through. */
  succeed(): void {
    this.#failures = 0;
    this.#refusals = 0;
  }

  /**
   * An attempt failed.
   *
   * @returns how long to wait before the next one, in milliseconds
   * @throws the error itself, where another attempt would not help or there have been enough of them
   */
  fail(error: unknown): number {
    const refusal = readRefusal(error);
    if (refusal !== undefined) {
      this.#refusals += 1;
      return Math.max(
        refusal.retryAfterMs,
        backoffDelay(this.#refusals, { initialDelayMs: 2_000, maxDelayMs: 60_000 }),
      );
    }
    this.#failures += 1;
    if (!isPassing(error) || this.#failures >= maxFailures) {
      throw error;
    }
    return backoffDelay(this.#failures, { initialDelayMs: 1_000 });
  }
}

/** The answer of a peer that was asked too often. */
function readRefusal(error: unknown): { readonly retryAfterMs: number } | undefined {
  if (!isMcpError(error)) {
    return undefined;
  }
  if (error.code === "MCP_HTTP") {
    const { status, retryAfterMs } = error as HttpError;
    return status === 429 ? { retryAfterMs: retryAfterMs ?? 0 } : undefined;
  }
  const data = error.code === "MCP_RPC" ? (error as RpcError).data : undefined;
  const hint = isObject(data) ? data.retryAfterMs : undefined;
  return typeof hint === "number" ? { retryAfterMs: hint } : undefined;
}

/** Whether the same request may get through later: the peer is out of reach, overloaded or being replaced. */
function isPassing(error: unknown): boolean {
  if (!isMcpError(error)) {
    return false;
  }
  switch (error.code) {
    case "MCP_TIMEOUT":
    case "MCP_CLOSED":
    case "MCP_SESSION_EXPIRED":
      return true;
    case "MCP_HTTP": {
      const { status } = error as HttpError;
      return status === 408 || status >= 500;
    }
    case "MCP_RPC": {
      const { rpcCode } = error as RpcError;
      // The codes that JSON-RPC leaves to implementations, of which those with a meaning have classes of their own.
      return rpcCode === rpcCodes.internalError || (rpcCode >= -32_099 && rpcCode <= -32_000);
    }
    default:
      return false;
  }
}

/** Why a task gave no result, where that is no error of the request itself: it was cancelled, or it is not there any more. */
import { isMcpError, McpError, type McpErrorOptions } from "../base/error.ts";
import { type RpcError, rpcCodes } from "../jsonrpc/error.ts";
import type { Task } from "../protocol/types/tasks.ts";

/** What became of a task. */
export type TaskFailure =
  /** Somebody cancelled it, or the peer did. */
  | "cancelled"
  /** Its lifetime is over, and the peer keeps it no longer. */
  | "expired"
  /** The peer knows no such task, or not for this caller. */
  | "gone";

/**
 * A task ended without a result of its request. Specification: Extensions > Tasks; Basic > Utilities > Tasks.
 *
 * @example
 * ```ts
 * import { type ClientSession, TaskError } from "parley-mcp/client";
 *
 * export async function resume(session: ClientSession, storedId: string): Promise<unknown> {
 *   try {
 *     return await session.tasks.follow(storedId).result();
 *   } catch (error) {
 *     if (error instanceof TaskError && error.reason !== "cancelled") {
 *       return session.callTool("report"); // it is too late for the old one
 *     }
 *     throw error;
 *   }
 * }
 * ```
 */
export class TaskError extends McpError {
  readonly code = "MCP_TASK";
  readonly reason: TaskFailure;
  /** The task, by the id that its receiver gave it. */
  readonly taskId: string;

  constructor(message: string, details: McpErrorOptions & { reason: TaskFailure; taskId: string }) {
    super(message, details);
    this.reason = details.reason;
    this.taskId = details.taskId;
  }
}

/** Whether an error is a peer's JSON-RPC error, or one of ours that would become one. */
export function isRpcError(error: unknown): error is RpcError {
  return isMcpError(error) && "rpcCode" in error;
}

/** Whether an error refuses an id that is unknown, expired or somebody else's [TASK-049] [X-TASK-034]. */
export function isUnknownTask(error: unknown): boolean {
  return isRpcError(error) && error.remote && error.rpcCode === rpcCodes.invalidParams;
}

/**
 * What it means that the holder of a task does not know it, or no longer; `undefined` for any other error.
 *
 * @param task - as it was last seen
 * @param now - milliseconds since the epoch
 */
export function toTaskLoss(cause: unknown, taskId: string, task?: Task, now = 0): TaskError | undefined {
  if (!isUnknownTask(cause)) {
    return undefined;
  }
  const ttlMs = task?.ttlMs ?? undefined;
  const isExpired = task !== undefined && ttlMs !== undefined && Date.parse(task.createdAt) + ttlMs <= now;
  return isExpired
    ? new TaskError(`${taskId}: the task was kept for ${ttlMs} ms, and is kept no longer`, {
        reason: "expired",
        taskId,
        cause,
      })
    : new TaskError(`${taskId}: the task is not known, or not for this caller`, { reason: "gone", taskId, cause });
}

/**
 * A task as its requestor sees it, whichever of the two forms it is spoken of in.
 *
 * That the values have the shape of one of the forms has been checked by then; here they must have that of the right one.
 */
import { PeerError } from "../base/error.ts";
import type { JsonObject, JsonRpcErrorObject } from "../jsonrpc/message.ts";
import type { InputRequests } from "../protocol/types/input.ts";
import type { CoreTask, Task, TaskStatus } from "../protocol/types/tasks.ts";

/** How tasks are spoken of: as the extension has them, or as 2025-11-25 has them in its core. */
export type TaskForm = "core" | "extension";

/** What is known of a task. */
export interface TaskState {
  readonly task: Task;
  /** What the peer wants to know before it goes on; said by the extension only. */
  readonly inputRequests?: InputRequests | undefined;
  /** What the request gave; said by the extension only. */
  readonly result?: JsonObject | undefined;
  /** What the request failed with; said by the extension only. */
  readonly error?: JsonRpcErrorObject | undefined;
}

/** Whether a status is one that never changes. */
export function isFinalStatus(status: TaskStatus): boolean {
  return status === "completed" || status === "failed" || status === "cancelled";
}

/** Whether nothing is missing to know what came of a task; in the core form that is asked for afterwards. */
export function isSettled({ task, result, error }: TaskState, form: TaskForm): boolean {
  const isComplete = form === "core" || task.status === "cancelled" || result !== undefined || error !== undefined;
  return isFinalStatus(task.status) && isComplete;
}

/** A task of the core form with the names of the extension. */
export function toTask({ ttl, pollInterval, ...rest }: CoreTask): Task {
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt } = rest;
  return {
    taskId,
    status,
    ...(statusMessage === undefined ? undefined : { statusMessage }),
    createdAt,
    lastUpdatedAt,
    ttlMs: ttl,
    ...(pollInterval === undefined ? undefined : { pollIntervalMs: pollInterval }),
  };
}

/**
 * Reads what a peer says of a task.
 *
 * @throws {@link PeerError} for the words of the other form, which have no meaning here [X-TASK-008]
 */
export function readTaskState(value: JsonObject, form: TaskForm): TaskState {
  const lifetime = form === "core" ? "ttl" : "ttlMs";
  if (!(lifetime in value)) {
    throw new PeerError(`task: expected ${lifetime}, as the ${form} form of tasks has it, got no such member`);
  }
  if (form === "core") {
    return { task: toTask(value as JsonObject & CoreTask) };
  }
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } = value as JsonObject & Task;
  return {
    task: {
      taskId,
      status,
      ...(statusMessage === undefined ? undefined : { statusMessage }),
      createdAt,
      lastUpdatedAt,
      ttlMs,
      ...(pollIntervalMs === undefined ? undefined : { pollIntervalMs }),
    },
    inputRequests: value.inputRequests as InputRequests | undefined,
    result: value.result as JsonObject | undefined,
    error: value.error as JsonRpcErrorObject | undefined,
  };
}

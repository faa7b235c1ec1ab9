/**
 * Tasks, in both forms: the extension (a server hands out a task instead of a result) and the older core
 * form (the requestor asks for one, either side may hold tasks), whose names start with `Core`.
 */
import type { InputRequests, InputResponses } from "./input.ts";
import type { FinalResult, NotificationParams, PaginatedResult, RequestParams, Result } from "./message.ts";

/** Where a task stands; the last three are final. Specification: Extensions > Tasks > Task Status. */
export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";

interface TaskRecord {
  taskId: string;
  status: TaskStatus;
  /** For people: what is going on, or what went wrong. */
  statusMessage?: string;
  /** An ISO 8601 moment. */
  createdAt: string;
  /** An ISO 8601 moment. */
  lastUpdatedAt: string;
}

/** A task of the extension. Specification: Extensions > Tasks > Task. */
export interface Task extends TaskRecord {
  /** How long the task is kept from its creation, in milliseconds; null means forever. */
  ttlMs: number | null;
  /** How long to wait between polls, in milliseconds. */
  pollIntervalMs?: number;
}

/** A task of the core form. Specification: Basic > Utilities > Tasks > Data Types. */
export interface CoreTask extends TaskRecord {
  /** How long the task is kept from its creation, in milliseconds; null means forever. */
  ttl: number | null;
  /** How long to wait between polls, in milliseconds. */
  pollInterval?: number;
}

/** A task with what belongs to its status. Specification: Extensions > Tasks > Polling. */
export type DetailedTask = Task &
  (
    | { status: "working" | "cancelled" }
    | { status: "input_required"; inputRequests: InputRequests }
    | { status: "completed"; result: { [key: string]: unknown } }
    | { status: "failed"; error: { code: number; message: string; data?: unknown } }
  );

/** A task handed out instead of a result. Specification: Extensions > Tasks > Task Creation. */
export type CreateTaskResult = Result & Task & { resultType: "task" };

/** The core form of a task handed out because it was asked for. Specification: Basic > Utilities > Tasks > Creating Tasks. */
export interface CreateCoreTaskResult extends FinalResult {
  task: CoreTask;
}

/** Names the task a message belongs to, in its `_meta`. Specification: Basic > Utilities > Tasks > Associating Messages. */
export interface RelatedTaskMetadata {
  taskId: string;
}

/** Params of `tasks/get`. Specification: Extensions > Tasks > Polling. */
export interface GetTaskRequestParams extends RequestParams {
  taskId: string;
}

/** Result of `tasks/get`. Specification: Extensions > Tasks > Polling. */
export type GetTaskResult = FinalResult & DetailedTask;

/** Result of `tasks/get` in the core form. Specification: Basic > Utilities > Tasks > Getting Tasks. */
export type GetCoreTaskResult = FinalResult & CoreTask;

/** Params of `tasks/update`: answers to what the task asked. Specification: Extensions > Tasks > Input. */
export interface UpdateTaskRequestParams extends RequestParams {
  taskId: string;
  inputResponses: InputResponses;
}

/** Params of `tasks/cancel`. Specification: Extensions > Tasks > Cancellation. */
export interface CancelTaskRequestParams extends RequestParams {
  taskId: string;
}

/** Result of `tasks/cancel`: an acknowledgement, in the core form with the task. Specification: Extensions > Tasks > Cancellation. */
export type CancelTaskResult = FinalResult & Partial<CoreTask>;

/** Params of `tasks/result`. Specification: Basic > Utilities > Tasks > Retrieving Task Results. */
export interface GetTaskPayloadRequestParams extends RequestParams {
  taskId: string;
}

/** Result of `tasks/result`: whatever the request without a task would have given. Specification: Basic > Utilities > Tasks > Retrieving Task Results. */
export type GetTaskPayloadResult = Result;

/** Result of `tasks/list`. Specification: Basic > Utilities > Tasks > Listing Tasks. */
export interface ListTasksResult extends PaginatedResult {
  tasks: CoreTask[];
}

/** A task of the extension changed. Specification: Extensions > Tasks > Notifications. */
export type TaskNotificationParams = NotificationParams & DetailedTask;

/** A task of the core form changed. Specification: Basic > Utilities > Tasks > Status Notifications. */
export type TaskStatusNotificationParams = NotificationParams & CoreTask;

/**
 * Checks of tasks in both forms. The forms differ in how they name their lifetime (`ttlMs` or `ttl`) and
 * in whether a task carries its outcome.
 */
import { isObject } from "../../base/json.ts";
import { type Check, type CheckFunction, type CheckOf, expected, findFault } from "../check.ts";
import type { CoreTask, ListTasksResult, Task, TaskStatus, UpdateTaskRequestParams } from "../types/tasks.ts";
import { inputRequests } from "./input.ts";
import { page, requestMeta } from "./metadata.ts";

const statuses = [
  "working",
  "input_required",
  "completed",
  "failed",
  "cancelled",
] as const satisfies readonly TaskStatus[];

const record = {
  taskId: "string",
  status: { choices: statuses },
  createdAt: "string",
  lastUpdatedAt: "string",
} as const;

/** Specification: Basic > Utilities > Tasks > Data Types. */
export const coreTask: CheckOf<CoreTask> = {
  required: { ...record, ttl: { nullable: "integer" } },
  optional: { statusMessage: "string", pollInterval: "integer" },
};

/** Specification: Extensions > Tasks > Task. */
const task: CheckOf<Task> = {
  required: { ...record, ttlMs: { nullable: "integer" } },
  optional: { statusMessage: "string", pollIntervalMs: "integer" },
};

const outcomes: { readonly [status in TaskStatus]?: Check } = {
  input_required: { required: { inputRequests } },
  completed: { required: { result: "object" } },
  failed: { required: { error: { required: { code: "integer", message: "string" } } } },
};

const detailedTask: CheckFunction = (value) => {
  const fault = findFault(task, value);
  if (fault !== undefined) {
    return fault;
  }
  const outcome = outcomes[(value as Task).status];
  return outcome === undefined ? undefined : findFault(outcome, value);
};

const isCoreForm = (value: unknown): boolean => isObject(value) && "ttl" in value && !("ttlMs" in value);

/** A polled task of either form. Specification: Extensions > Tasks > Polling. */
export const taskState: CheckFunction = (value) =>
  isCoreForm(value) ? findFault(coreTask, value) : detailedTask(value);

/** A task just handed out, of either form. Specification: Extensions > Tasks > Task Creation. */
export const createdTask: CheckFunction = (value) => {
  if (!isObject(value)) {
    return expected("an object", value);
  }
  return value.task === undefined ? findFault(task, value) : findFault({ required: { task: coreTask } }, value);
};

/** An acknowledgement, in the core form with the task. Specification: Extensions > Tasks > Cancellation. */
export const cancelTaskResult: CheckFunction = (value) =>
  isCoreForm(value) ? findFault(coreTask, value) : findFault("object", value);

/** Params of every request about one task. */
export const taskIdParams: Check = { required: { taskId: "string" }, optional: { _meta: requestMeta } };

/** Specification: Extensions > Tasks > Input. */
export const updateTaskParams: CheckOf<UpdateTaskRequestParams> = {
  required: { taskId: "string", inputResponses: { values: "object" } },
  optional: { _meta: requestMeta },
};

/** Specification: Basic > Utilities > Tasks > Listing Tasks. */
export const listTasksResult: CheckOf<ListTasksResult> = {
  required: { tasks: { each: coreTask } },
  optional: page,
};

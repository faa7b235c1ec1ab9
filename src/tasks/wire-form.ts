/**
 * A task as it is sent, in either form, made from the one record. The forms differ in names, in where the outcome is
 * found, and in what a result with `isError` makes of a task.
 *
 * Specification: Basic > Utilities > Tasks > Data Types; Extensions > Tasks > Tasks.
 */
import { isObject } from "../base/json.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { InputRequests } from "../protocol/types/input.ts";
import type { CoreTask, DetailedTask, Task, TaskStatus } from "../protocol/types/tasks.ts";
import type { TaskRecord } from "./record.ts";

/**
 * A task of the core form.
 *
 * A tool's result with `isError` has made the task fail there, with the result's own words as the reason [TASK-023].
 */
export function toCoreTask(record: TaskRecord): CoreTask {
  const { ttlMs, pollIntervalMs } = record;
  const status = record.status === "completed" && record.result?.isError === true ? "failed" : record.status;
  const statusMessage = record.statusMessage ?? (status === "failed" ? describeFailure(record.result) : undefined);
  return {
    ...toFields(record, status, statusMessage),
    ttl: ttlMs,
    ...(pollIntervalMs === undefined ? undefined : { pollInterval: pollIntervalMs }),
  };
}

/** A task of the extension, without what belongs to its status. */
export function toTask(record: TaskRecord): Task {
  const { status, statusMessage, ttlMs, pollIntervalMs } = record;
  return {
    ...toFields(record, status, statusMessage),
    ttlMs,
    ...(pollIntervalMs === undefined ? undefined : { pollIntervalMs }),
  };
}

/**
 * A task of the extension with what belongs to its status: its questions, its result or its error [X-TASK-020].
 *
 * @param encode - puts the result into the form in which the request would have been answered [X-TASK-021]
 */
export function toDetailedTask(record: TaskRecord, encode: (result: JsonObject) => JsonObject): DetailedTask {
  const { status, questions, result = {}, error } = record;
  const task = toTask(record);
  switch (status) {
    case "input_required":
      return { ...task, status, inputRequests: toInputRequests(questions) };
    case "completed":
      return { ...task, status, result: encode(result) };
    case "failed":
      return { ...task, status, error: error ?? { code: -32_603, message: "internal error" } };
    default:
      return { ...task, status };
  }
}

function toFields(record: TaskRecord, status: TaskStatus, statusMessage: string | undefined): Omit<Task, "ttlMs"> {
  return {
    taskId: record.taskId,
    status,
    ...(statusMessage === undefined ? undefined : { statusMessage }),
    createdAt: new Date(record.createdAtMs).toISOString(),
    lastUpdatedAt: new Date(record.updatedAtMs).toISOString(),
  };
}

function toInputRequests(questions: TaskRecord["questions"]): InputRequests {
  const requests = Object.entries(questions).map(([key, { method, params }]) => [
    key,
    params === undefined ? { method } : { method, params },
  ]);
  return Object.fromEntries(requests) as InputRequests;
}

function describeFailure(result: JsonObject | undefined): string {
  const content: readonly unknown[] = Array.isArray(result?.content) ? result.content : [];
  const block = content.find((item) => isObject(item) && item.type === "text");
  const text = isObject(block) && typeof block.text === "string" ? block.text : "";
  return text === "" ? "the tool reported an error" : text.slice(0, 500);
}

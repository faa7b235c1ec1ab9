/** What a follower needs of whoever follows: a way to the holder of the task, time, and answers to what is asked. */
import type { Clock } from "../base/timer.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import type { InputRequest } from "../protocol/types/input.ts";
import type { Task } from "../protocol/types/tasks.ts";
import type { TaskForm } from "./follower-state.ts";

/** Limits of one request about a task; without them, those of any request hold. */
export interface TaskRequestOptions {
  /** Gives up waiting for the answer. */
  readonly signal?: AbortSignal | undefined;
  /** In milliseconds. */
  readonly idleTimeoutMs?: number | undefined;
  /** In milliseconds. */
  readonly totalTimeoutMs?: number | undefined;
}

/** Where a task is, and who is told of it. */
export interface FollowerHost {
  readonly form: TaskForm;
  readonly clock: Clock;
  /** Sends a request to the holder of the task; its result has been checked. */
  request(method: string, params: JsonObject, options?: TaskRequestOptions): Promise<JsonObject>;
  /**
   * Answers what the task asks in its state, as the extension has it. What it rejects with ends the following. In the
   * core form questions are requests like any others.
   */
  answer?(key: string, question: InputRequest, signal: AbortSignal): Promise<JsonObject>;
  /** Told of every change that is seen. Must not throw. */
  onChange?(task: Task): void;
}

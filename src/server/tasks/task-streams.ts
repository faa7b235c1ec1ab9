/**
 * Tasks on streams of changes: which of those that were asked for a caller may watch, and what is told of them.
 *
 * Specification: Extensions > Tasks > Task Status Notifications.
 */

import type { JsonObject } from "../../jsonrpc/message.ts";
import { InvalidParamsError } from "../../protocol/errors.ts";
import type { TaskReceiver } from "../../tasks/receiver.ts";
import type { TaskRecord } from "../../tasks/record.ts";
import type { RequestContext } from "../requests/request-context.ts";
import { isRpcError } from "../requests/sent-error.ts";
import { declaresTasks, lacksTasks } from "./extension.ts";
import { toTaskCaller } from "./task-caller.ts";

/** What telling needs of its server. */
export interface TaskStreamsHost {
  readonly receiver: TaskReceiver;
  /** Most tasks on one stream. */
  readonly maxTasks: number;
  /** A task as `tasks/get` gives it. */
  toState(record: TaskRecord, ctx: RequestContext): JsonObject;
}

/** See the head of this file. */
export class TaskStreams {
  readonly #host: TaskStreamsHost;

  constructor(host: TaskStreamsHost) {
    this.#host = host;
  }

  /**
   * The tasks of these that are the caller's; of others nothing is said [X-TASK-038].
   *
   * @throws MissingCapabilityError for a client that does not know tasks [X-TASK-040]; InvalidParamsError for too many
   */
  async honour(taskIds: readonly string[], ctx: RequestContext): Promise<string[]> {
    if (!declaresTasks(ctx.client.capabilities)) {
      throw lacksTasks("params.notifications.taskIds");
    }
    const { maxTasks, receiver } = this.#host;
    if (taskIds.length > maxTasks) {
      throw new InvalidParamsError(
        `params.notifications.taskIds: expected at most ${maxTasks} tasks, got ${taskIds.length}`,
      );
    }
    const { owner } = toTaskCaller(ctx.scope.exchange.context);
    const honoured: string[] = [];
    for (const taskId of new Set(taskIds)) {
      try {
        await receiver.get(taskId, owner);
        honoured.push(taskId);
      } catch (error) {
        if (!isRpcError(error)) {
          throw error;
        }
      }
    }
    return honoured;
  }

  /**
   * Tells of tasks: what each is now, then every change, in full [X-TASK-039].
   *
   * @returns stops, at once
   */
  async follow(
    taskIds: readonly string[],
    ctx: RequestContext,
    tell: (state: JsonObject) => void,
  ): Promise<() => void> {
    const { receiver, toState } = this.#host;
    const { owner } = toTaskCaller(ctx.scope.exchange.context);
    const stops: (() => void)[] = [];
    for (const taskId of taskIds) {
      let last = "";
      const changed = (record: TaskRecord): void => {
        const state = toState(record, ctx);
        const text = JSON.stringify(state);
        if (text !== last) {
          last = text;
          tell(state);
        }
      };
      try {
        stops.push(await receiver.watch(taskId, owner, { changed, gone: () => undefined }));
      } catch (error) {
        if (!isRpcError(error)) {
          throw error;
        }
        // Its time came to an end meanwhile.
      }
    }
    return () => {
      for (const stop of stops) {
        stop();
      }
    };
  }
}

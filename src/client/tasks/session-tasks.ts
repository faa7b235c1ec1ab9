/** The tasks of a server by hand: beginning one, going on with one that was begun before, looking, listing, cancelling. */
import type { JsonObject } from "../../jsonrpc/message.ts";
import type { RequestOptions } from "../../protocol/outgoing.ts";
import type { ToolArguments, ToolName, ToolOutput } from "../../protocol/types/definition.ts";
import type { ListTasksResult, Task } from "../../protocol/types/tasks.ts";
import { toTaskLoss } from "../../tasks/follower-error.ts";
import { readTaskState, toTask } from "../../tasks/follower-state.ts";
import { ItemList, type ListOptions, type Page } from "../lists/lists.ts";
import type { Connection } from "../requests/connection.ts";
import type { ToolCalls } from "../tools/tool-calls.ts";
import type { CallArguments } from "../tools/typed-tools.ts";
import type { TaskFollowing } from "./task-following.ts";
import { TaskHandle } from "./task-handle.ts";
import { createTaskSource, readImmediateResponse } from "./task-source.ts";

/** What tasks by hand work with. */
export interface SessionTasksParts {
  readonly connection: Connection;
  readonly tasks: TaskFollowing;
  readonly toolCalls: ToolCalls;
}

/**
 * The tasks of a session's server, by hand; calls that simply wait for their result need none of this.
 *
 * Everything throws a {@link MissingCapabilityError} in a revision without tasks, and what requests throw.
 *
 * @example
 * ```ts
 * import type { ClientSession } from "parley-mcp/client";
 *
 * export async function cancelAll(session: ClientSession, storedIds: readonly string[]): Promise<void> {
 *   await Promise.all(storedIds.map((id) => session.tasks.cancel(id)));
 * }
 * ```
 */
export class SessionTasks<App = unknown> {
  readonly #parts: SessionTasksParts;

  constructor(parts: SessionTasksParts) {
    this.#parts = parts;
  }

  /**
   * Calls a tool as a task, and hands it out at once. Where the server alone decides, the handle may come with the result
   * and without a task. Specification: Basic > Utilities > Tasks > Creating Tasks; Extensions > Tasks > Task Creation.
   *
   * @throws {@link MissingCapabilityError} where server or tool allow no task, with nothing sent
   */
  async call<Name extends ToolName<App>>(
    name: Name,
    ...[args, options = {}]: CallArguments<ToolArguments<App, Name>>
  ): Promise<TaskHandle<ToolOutput<App, Name>>> {
    const handle = await this.#parts.toolCalls.start(name, args as JsonObject | undefined, options);
    return handle as TaskHandle<ToolOutput<App, Name>>;
  }

  /**
   * Goes on with a task by its id, also one that another process began for the same user. Nothing is sent before
   * something is wanted of the handle.
   */
  follow(id: string): TaskHandle {
    const { tasks } = this.#parts;
    const followed = tasks.open({ id, call: { method: "tools/call" } });
    return new TaskHandle(createTaskSource(tasks, followed, readImmediateResponse(undefined, "the call")));
  }

  /**
   * Looks at a task once.
   *
   * @throws {@link TaskError} for one that the server does not know, or not for this user
   */
  async get(id: string, options?: RequestOptions): Promise<Task> {
    const { tasks, connection } = this.#parts;
    const { form } = tasks;
    try {
      return readTaskState(await connection.request("tasks/get", { taskId: id }, options), form).task;
    } catch (error) {
      throw toTaskLoss(error, id) ?? error;
    }
  }

  /**
   * All tasks of this user that the server keeps. The extension has no such list: keep the ids.
   * Specification: Basic > Utilities > Tasks > Listing Tasks.
   */
  list(options: ListOptions & RequestOptions = {}): ItemList<Task> {
    const { tasks, connection } = this.#parts;
    const { maxPages, maxItems, ...rest } = options;
    const fetch = async (cursor: string | undefined): Promise<Page<Task>> => {
      tasks.assertOffered("list");
      const params = cursor === undefined ? {} : { cursor };
      const result = await connection.request("tasks/list", params, { ...rest, canResend: cursor === undefined });
      const { tasks: items, nextCursor } = result as ListTasksResult;
      return { items: items.map(toTask), nextCursor };
    };
    return new ItemList({ what: "tasks/list", fetch }, { maxPages, maxItems });
  }

  /**
   * Asks for a task to be cancelled, which the server may do, or not. In the core form one that is over is refused.
   * Specification: Basic > Utilities > Tasks > Cancelling Tasks; Extensions > Tasks > Task Cancellation.
   *
   * @throws {@link TaskError} for one that the server does not know; {@link MissingCapabilityError} where it cancels none
   */
  async cancel(id: string, options?: RequestOptions): Promise<void> {
    const { tasks, connection } = this.#parts;
    tasks.assertOffered("cancel");
    try {
      await connection.request("tasks/cancel", { taskId: id }, options);
    } catch (error) {
      throw (tasks.form === "extension" ? toTaskLoss(error, id) : undefined) ?? error;
    }
  }
}

/** What task handles show: a task that is followed, or a result that was there at once. */
import { raceAbort } from "../../base/abort.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { readMeta } from "../../protocol/meta.ts";
import type { CallToolResult } from "../../protocol/types/tools.ts";
import type { FollowedTask } from "./followed-task.ts";
import type { TaskFollowing } from "./task-following.ts";
import type { TaskHandleSource } from "./task-handle.ts";

/** What a server wants the model to be told while the task goes on. */
const immediateResponseKey = "io.modelcontextprotocol/model-immediate-response";

/** What to tell the model of a call that has become a task: the server's words, or ours where it has none [TASK-015]. */
export function readImmediateResponse(created: JsonObject | undefined, what: string): string {
  const text = readMeta(created)?.[immediateResponseKey];
  return typeof text === "string"
    ? text
    : `${what} takes a while and goes on in the background; its result will follow.`;
}

/** A task. */
export function createTaskSource(
  tasks: TaskFollowing,
  followed: FollowedTask,
  immediateResponse: string,
): TaskHandleSource {
  const { follower } = followed;
  return {
    id: follower.taskId,
    immediateResponse,
    task: () => follower.task,
    wait: async ({ signal }) => (await followed.wait(signal)) as CallToolResult,
    watch: (onChange, onEnd) => followed.watch(onChange, onEnd),
    cancel: () => tasks.cancel(follower),
    onUnfollowed: (error) => tasks.reportUnfollowed(follower.taskId, error),
  };
}

/** A result without a task. */
export function createSettledSource(what: string, result: CallToolResult): TaskHandleSource {
  return {
    id: undefined,
    immediateResponse: `${what} is done.`,
    task: () => undefined,
    wait: ({ signal }) => raceAbort(Promise.resolve(result), signal),
    watch: (_onChange, onEnd) => {
      queueMicrotask(() => onEnd());
      return () => undefined;
    },
    cancel: () => Promise.resolve(),
    onUnfollowed: () => undefined,
  };
}

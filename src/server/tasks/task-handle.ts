/** A task as the handler that works on it sees it. */
import { UsageError } from "../../base/error.ts";
import type { TaskRun } from "../../tasks/run.ts";
import { findNonJson } from "../requests/memo.ts";

/**
 * The task that a handler works on.
 *
 * @example
 * ```ts
 * import { tool } from "parley-mcp/server";
 *
 * export const count = tool(
 *   { description: "Counts to a hundred", task: { support: "required", resumable: true } },
 *   async (_args, ctx) => {
 *     let done = typeof ctx.task?.checkpoint === "number" ? ctx.task.checkpoint : 0;
 *     for (; done < 100; done += 10) {
 *       await ctx.task?.save(done);
 *       await ctx.task?.status(`${done} of 100`);
 *     }
 *     return `counted to ${done}`;
 *   },
 * );
 * ```
 */
export interface TaskHandle {
  readonly id: string;
  /** How long it is kept from its creation, in milliseconds; `null` for ever. */
  readonly ttlMs: number | null;
  /** What was saved last, by this run of the handler or by one on another process; `undefined` where nothing was. */
  readonly checkpoint: unknown;
  /**
   * Says what is going on, for people who look at the task.
   *
   * @throws the reason of `ctx.signal`, where nobody wants the work any more
   */
  status(message: string): Promise<void>;
  /**
   * Keeps how far the work is, for a process that has to go on with it. Matters where the tool is `resumable`.
   *
   * @param checkpoint - JSON
   * @throws UsageError where it is not JSON; the reason of `ctx.signal`
   */
  save(checkpoint: unknown): Promise<void>;
}

/** The handle of a task that is being worked on here. */
export function createTaskHandle(run: TaskRun): TaskHandle {
  return {
    id: run.record.taskId,
    ttlMs: run.record.ttlMs,
    get checkpoint() {
      const { checkpoint } = run.record;
      return checkpoint === undefined ? undefined : structuredClone(checkpoint);
    },
    status: (message) => run.describe(message),
    save: async (checkpoint) => {
      const fault = findNonJson(checkpoint, "checkpoint", 0);
      if (fault !== undefined) {
        throw new UsageError(`task.save: ${fault}`);
      }
      await run.save(checkpoint);
    },
  };
}

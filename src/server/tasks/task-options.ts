/** What authors may say about tasks: of a tool, and of a server. How a call becomes one is tool-tasks.ts. */
import { UsageError } from "../../base/error.ts";
import type { TaskLimits } from "../../tasks/limits.ts";

/**
 * Whether a tool's calls may be tasks, which are polled for, or must be. Clients without tasks get a plain answer from a
 * tool where they are optional, and an error where they are required.
 */
export type TaskSupport = "forbidden" | "optional" | "required";

/** How a tool's calls become tasks. Specification: Basic > Utilities > Tasks; Extensions > Tasks. */
export interface ToolTaskOptions {
  support: TaskSupport;
  /**
   * Where the server decides whether a call becomes a task, when it does: `call`, by itself, at once where tasks are
   * required and otherwise when the call takes long; `handler`, when the handler says so with `ctx.beginTask()`, so that
   * questions before that are asked in the call itself. Default `call`.
   */
  begin?: "call" | "handler" | undefined;
  /**
   * Whether another process may run the handler again, from its beginning, when the one that ran it is gone. It then
   * finds in `ctx.task.checkpoint` what it saved last; what it did with `ctx.once` is not done again, and what was
   * answered is not asked again. Middleware does not run again, and `ctx.auth` has no token then. Default false: such a
   * task fails.
   */
  resumable?: boolean | undefined;
  /** How long the task is kept from its creation, in milliseconds, unless its requestor says. Default: the server's. */
  ttlMs?: number | undefined;
  /** How often to ask for it, in milliseconds. Default: the server's. */
  pollIntervalMs?: number | undefined;
  /** How long a call may take before it becomes a task, in milliseconds; 0 for at once. Default: the server's. */
  afterMs?: number | undefined;
  /** What a host may tell its model while the task goes on. Default: hosts have words of their own. */
  immediateResponse?: string | undefined;
}

/** Options of a server about its tasks. */
export interface TaskOptions extends TaskLimits {
  /**
   * How long a call of a tool with optional tasks may take before it becomes one, in milliseconds, for clients that leave
   * that to the server. Default 1 000.
   */
  afterMs?: number | undefined;
  /** How long after its last sign of life a process counts as dead, in milliseconds. Default 10 000. */
  leaseMs?: number | undefined;
}

/** The options of a tool with every question answered. */
export interface ResolvedToolTask extends ToolTaskOptions {
  readonly begin: "call" | "handler";
  readonly resumable: boolean;
}

const supports: ReadonlySet<unknown> = /* @__PURE__ */ new Set<TaskSupport>(["forbidden", "optional", "required"]);

/**
 * What a tool says of tasks; `undefined` where it has none [TASK-012].
 *
 * @throws UsageError for what is no option
 */
export function resolveToolTask(task: TaskSupport | ToolTaskOptions | undefined): ResolvedToolTask | undefined {
  if (task === undefined || task === "forbidden") {
    return undefined;
  }
  const options: ToolTaskOptions = typeof task === "string" ? { support: task } : task;
  const { support, begin = "call", resumable = false } = options;
  if (!supports.has(support)) {
    throw new UsageError(`task: expected "forbidden", "optional" or "required", got ${JSON.stringify(support)}`);
  }
  if (begin !== "call" && begin !== "handler") {
    throw new UsageError(`task.begin: expected "call" or "handler", got ${JSON.stringify(begin)}`);
  }
  for (const name of ["ttlMs", "pollIntervalMs", "afterMs"] as const) {
    const value = options[name];
    if (value !== undefined && !(value > 0 || (name === "afterMs" && value === 0))) {
      throw new UsageError(`task.${name}: expected a number of milliseconds above 0, got ${value}`);
    }
  }
  return support === "forbidden" ? undefined : { ...options, begin, resumable };
}

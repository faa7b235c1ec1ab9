/** How a client deals with tasks, as options and with every default filled in. */
import type { ClientTasksCapability } from "../../protocol/types/lifecycle.ts";
import { resolveTaskLimits, type TaskLimits } from "../../tasks/limits.ts";

/** Options of tasks: those that servers make of calls, and those that servers ask this client for. */
export interface ClientTaskOptions {
  /**
   * Whether servers are asked to tell of changes of the tasks that are followed, on a stream that stays open for that, so
   * that results come sooner than the next look. Tasks are looked at in any case. Default false.
   */
  listen?: boolean | undefined;
  /** How many tasks a server may have this client work on, and how long they are kept [TASK-053]. */
  limits?: TaskLimits | undefined;
}

/** The same with defaults. */
export interface ClientTaskSettings {
  readonly limits: TaskLimits;
  /** Whether calls may become tasks. */
  readonly areUsed: boolean;
  readonly listen: boolean;
}

/**
 * Fills in the defaults.
 *
 * @throws {@link UsageError} for limits that are none
 */
export function resolveTaskOptions(options: ClientTaskOptions | false = {}): ClientTaskSettings {
  const { listen = false, limits = {} } = options === false ? {} : options;
  resolveTaskLimits(limits);
  return { areUsed: options !== false, listen, limits };
}

/**
 * Whether servers may ask for something as a task, which they can look at and fetch later; `"required"` takes it in no
 * other way. Only 2025-11-25 has that.
 */
export type TaskAcceptance = boolean | "required";

/** What is announced of the tasks that servers may ask for; nothing where there are none [TASK-001] [TASK-002]. */
export function toTasksCapability(accepted: {
  readonly sampling: TaskAcceptance | undefined;
  readonly elicitation: TaskAcceptance | undefined;
}): { readonly tasks?: ClientTasksCapability } {
  const requests = {
    ...(accepted.sampling ? { sampling: { createMessage: {} } } : undefined),
    ...(accepted.elicitation ? { elicitation: { create: {} } } : undefined),
  };
  return Object.keys(requests).length === 0 ? {} : { tasks: { list: {}, cancel: {}, requests } };
}

/** How one call is made. */
export interface TaskWish {
  /** How long the server should keep the task from its beginning, in milliseconds; the server decides. */
  ttlMs?: number | undefined;
}

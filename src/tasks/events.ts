/** What happens to tasks, told to whoever keeps an eye on it. Specification: Basic > Utilities > Tasks > Audit and Logging. */

/** What happened; `refused` is a request about a task that is unknown or somebody else's [TASK-054]. */
export type TaskEventKind =
  | "created"
  | "retrieved"
  | "listed"
  | "answered"
  | "resumed"
  | "completed"
  | "failed"
  | "cancelled"
  | "refused";

/** Something that happened to a task, or was to happen. */
export interface TaskEvent {
  readonly kind: TaskEventKind;
  /** As the requestor named it, where it was refused; empty for a list. */
  readonly taskId: string;
  /** Who did it, or whose task it is where the work did: a key of the user, `undefined` where nobody is identified. */
  readonly owner: string | undefined;
  /** The method that the task answers, where the task is known. */
  readonly method?: string | undefined;
  /** What that is about, such as the tool. */
  readonly name?: string | undefined;
}

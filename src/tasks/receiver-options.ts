/** What a receiver of tasks is given: where they are kept, how many there may be, who is told. Its work is receiver.ts. */
import type { OnDiagnostic } from "../base/diagnostic.ts";
import type { Clock } from "../base/timer.ts";
import type { Store } from "../store/contracts.ts";
import type { AskRequestor } from "./asking.ts";
import type { TaskEvent } from "./events.ts";
import type { TaskLimits } from "./limits.ts";
import type { TaskRecord } from "./record.ts";
import type { TaskWork } from "./run.ts";

/** Options of a receiver. */
export interface TaskReceiverOptions {
  /** Where tasks are kept. */
  readonly store: Store;
  /** Sets these tasks apart from others in the same store. Default `tasks`. */
  readonly prefix?: string | undefined;
  readonly clock?: Clock | undefined;
  /** How long after its last sign of life a process counts as dead, in milliseconds. Default 10 000. */
  readonly leaseMs?: number | undefined;
  readonly limits?: TaskLimits | undefined;
  /** Goes on with work that another process began, from the record it is given. Without it such work fails. */
  readonly resume?: TaskWork | undefined;
  /** Told of everything that happens to tasks. Must not throw. */
  readonly onEvent?: ((event: TaskEvent) => void) | undefined;
  readonly onDiagnostic: OnDiagnostic;
}

/** A task that is to begin. */
export interface TaskBeginning {
  /** Whose task it is; `undefined` where the requestor is not identified. */
  readonly owner: string | undefined;
  /** The method of the request that the task answers. */
  readonly method: string;
  /** What the request is about, such as the tool. */
  readonly name?: string | undefined;
  /** How long it is to be kept, in milliseconds. Default and upper bound: the limits'. */
  readonly ttlMs?: number | undefined;
  /** Default: the limits'. */
  readonly pollIntervalMs?: number | undefined;
  /** What another process needs to go on with the work, as JSON. Without it the work fails with its process. */
  readonly origin?: TaskRecord["origin"];
  /** Results of what was done once before the task began. */
  readonly memories?: TaskRecord["memories"] | undefined;
  /** Told whenever the status or its message changes, as far as this process does the work. Must not throw. */
  readonly onChange?: ((record: TaskRecord) => void) | undefined;
}

/** A page of a list. */
export interface TaskPage {
  readonly tasks: readonly TaskRecord[];
  readonly nextCursor?: string | undefined;
}

/** Options of waiting for the end of a task. */
export interface TaskWaitOptions {
  /** Ends the waiting, not the task. */
  readonly signal?: AbortSignal | undefined;
  /** Asks the requestor what the task wants to know, in the course of the exchange that waits. Default: nobody asks. */
  readonly ask?: AskRequestor | undefined;
}

/** Who is told of a task. Must not throw. */
export interface TaskListener {
  /** Once as the task is now, then at every change of it. */
  changed(record: TaskRecord): void;
  /** Its time is over. Nothing more is told. */
  gone(): void;
}

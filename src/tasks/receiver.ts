/**
 * Whoever accepts work as tasks, server or client: begins tasks, answers for them, and sees to it that each comes to an
 * end, on whichever process. What is asked and how the work is done is said by those above.
 *
 * Nothing is begun before it is used: no timer runs and the store is not asked. Specification: Basic > Utilities > Tasks;
 * Extensions > Tasks.
 */
import { onAbort } from "../base/abort.ts";
import { createDeferred } from "../base/deferred.ts";
import { ClosedError } from "../base/error.ts";
import { decodeCursor, encodeCursor } from "../protocol/cursor.ts";
import { InvalidParamsError } from "../protocol/errors.ts";
import { parseAnswers } from "./answers.ts";
import { TaskAsking } from "./asking.ts";
import type {
  TaskBeginning,
  TaskListener,
  TaskPage,
  TaskReceiverOptions,
  TaskWaitOptions,
} from "./receiver-options.ts";
import { answer, cancel, isOver, type TaskRecord } from "./record.ts";
import type { TaskWork } from "./run.ts";
import { TaskRuns } from "./runs.ts";

/** See the head of this file. */
export class TaskReceiver {
  readonly #runs: TaskRuns;

  /** @throws UsageError for limits that are none */
  constructor(options: TaskReceiverOptions) {
    this.#runs = new TaskRuns(options);
  }

  /** How many tasks this process works on. */
  get runningTasks(): number {
    return this.#runs.size;
  }

  /**
   * Looks after tasks that other processes leave behind, from now on. Everything below does so by itself; call it where
   * nothing may be asked of this process for a while.
   */
  start(): Promise<void> {
    return this.#runs.start();
  }

  /**
   * Begins a task. It is kept when this resolves, and its work begins right after [X-TASK-015].
   *
   * @returns the task as it is announced: working
   * @throws RpcError for one more than there may be; ClosedError when the receiver was closed; what the store rejects with
   */
  begin(beginning: TaskBeginning, work: TaskWork): Promise<TaskRecord> {
    return this.#runs.begin(beginning, work);
  }

  /**
   * A task [TASK-025, X-TASK-020].
   *
   * @param owner - who asks
   * @throws InvalidParamsError where it is unknown, has expired, or is somebody else's [TASK-049, TASK-050, X-TASK-034]
   */
  async get(taskId: string, owner: string | undefined): Promise<TaskRecord> {
    const record = await this.#read(taskId, owner);
    this.#runs.emit("retrieved", taskId, owner, record);
    return record;
  }

  /**
   * A task at its end, however long that takes [TASK-029].
   *
   * @throws as {@link get}, also when the task's time ends while this waits; the signal's reason
   */
  async whenOver(taskId: string, owner: string | undefined, options: TaskWaitOptions = {}): Promise<TaskRecord> {
    const { signal, ask } = options;
    const first = await this.#read(taskId, owner);
    this.#runs.emit("retrieved", taskId, owner, first);
    if (isOver(first)) {
      return first;
    }
    signal?.throwIfAborted();
    const over = createDeferred<TaskRecord>();
    const asking = ask && new TaskAsking(this.#runs.host, ask);
    const release = signal && onAbort(signal, over.reject);
    const stop = await this.#runs.table.watch(taskId, {
      changed: ({ record }) => (isOver(record) ? over.resolve(record) : asking?.consider(record)),
      gone: () => over.reject(unknown()),
      failed: (error) => this.#runs.report(error),
    });
    try {
      return await over.promise;
    } finally {
      release?.();
      stop();
      asking?.end(new ClosedError("the request for the result has ended"));
    }
  }

  /**
   * Tells of a task from now on.
   *
   * @returns stops, at once
   * @throws as {@link get}
   */
  async watch(taskId: string, owner: string | undefined, listener: TaskListener): Promise<() => void> {
    await this.#read(taskId, owner);
    return this.#runs.table.watch(taskId, {
      changed: ({ record }) => listener.changed(record),
      gone: () => listener.gone(),
      failed: (error) => this.#runs.report(error),
    });
  }

  /**
   * Takes answers of the requestor; those to nothing that is asked are ignored [X-TASK-030].
   *
   * @param responses - results by the keys of their questions
   * @throws as {@link get}; InvalidParamsError for an answer that is none to its question
   */
  async answer(
    taskId: string,
    owner: string | undefined,
    responses: { readonly [key: string]: unknown },
  ): Promise<void> {
    const record = await this.#read(taskId, owner);
    const answers = parseAnswers(record.questions, responses);
    await this.#runs.table.update(taskId, (newest) => answer(newest, answers, this.#runs.clock.now()));
    this.#runs.emit("answered", taskId, owner, record);
  }

  /**
   * Cancels a task. It is cancelled when this resolves; its work is told, wherever it is done [TASK-046].
   *
   * @returns the task as it is now; one that was over stays as it was, and `isChanged` is false [TASK-022]
   * @throws as {@link get}
   */
  async cancel(
    taskId: string,
    owner: string | undefined,
  ): Promise<{ readonly record: TaskRecord; readonly isChanged: boolean }> {
    await this.#read(taskId, owner);
    const cancelled = await this.#runs.table.update(taskId, (record) => cancel(record, this.#runs.clock.now()));
    if (cancelled === undefined) {
      throw unknown();
    }
    if (cancelled.isChanged) {
      this.#runs.index.ended(taskId);
      this.#runs.emit("cancelled", taskId, owner, cancelled.record);
    }
    return cancelled;
  }

  /**
   * The tasks of a requestor, oldest first [TASK-043, TASK-051].
   *
   * @param limit - tasks on a page
   * @throws InvalidParamsError for a cursor that is none
   */
  async list(owner: string, cursor: string | undefined, limit: number): Promise<TaskPage> {
    const { entries } = await this.#runs.index.read(owner, parsePlace(cursor));
    this.#runs.emit("listed", "", owner);
    const tasks: TaskRecord[] = [];
    let last = 0;
    for (let index = 0; index < entries.length && tasks.length < limit; ) {
      const part = entries.slice(index, index + limit - tasks.length);
      const read = await Promise.all(part.map(({ taskId }) => this.#runs.table.read(taskId)));
      tasks.push(...read.flatMap((stored) => (stored === undefined ? [] : [stored.record])));
      last = part.at(-1)?.place ?? last;
      index += part.length;
    }
    const nextCursor = (entries.at(-1)?.place ?? 0) > last ? encodeCursor(`task ${last}`) : undefined;
    return nextCursor === undefined ? { tasks } : { tasks, nextCursor };
  }

  /** Work that can be resumed is left to other processes, other work fails, and nothing is begun any more. */
  close(): Promise<void> {
    return this.#runs.close();
  }

  async #read(taskId: string, owner: string | undefined): Promise<TaskRecord> {
    const stored = await this.#runs.table.read(taskId);
    if (stored === undefined || stored.record.owner !== owner) {
      this.#runs.emit("refused", taskId, owner);
      throw unknown();
    }
    const record = await this.#runs.check(stored.record);
    if (record === undefined) {
      throw unknown();
    }
    return record;
  }
}

/** The same for every task that the requestor may not see, so that nobody learns which ones there are. */
function unknown(): InvalidParamsError {
  return new InvalidParamsError("params.taskId: there is no such task, or it has expired");
}

function parsePlace(cursor: string | undefined): number {
  if (cursor === undefined) {
    return 0;
  }
  const decoded = decodeCursor(cursor);
  const match = decoded.ok ? /^task (\d{1,15})$/.exec(decoded.position) : null;
  if (match === null) {
    throw new InvalidParamsError(
      `params.cursor: ${decoded.ok ? "expected a nextCursor of an earlier page of this list" : decoded.problem}`,
    );
  }
  return Number(match[1]);
}

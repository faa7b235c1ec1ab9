/**
 * The tasks that this process works on, and those it takes over: begun, run, ended, and left in order when it stops.
 */
import type { OnDiagnostic } from "../base/diagnostic.ts";
import { ClosedError } from "../base/error.ts";
import { type Clock, systemClock } from "../base/timer.ts";
import { rpcCodes } from "../jsonrpc/error.ts";
import { Presence } from "../store/presence.ts";
import type { TaskEventKind } from "./events.ts";
import { type ResolvedTaskLimits, resolveTaskLimits, toTtl } from "./limits.ts";
import { NodeLists } from "./node-lists.ts";
import { OwnerIndex } from "./owner-index.ts";
import type { TaskBeginning, TaskReceiverOptions } from "./receiver-options.ts";
import { createRecord, expiryOf, isOver, type TaskRecord } from "./record.ts";
import { RunningTask, type TaskWork } from "./run.ts";
import { TaskTable } from "./table.ts";
import { Takeover } from "./takeover.ts";

/** See the head of this file. */
export class TaskRuns {
  readonly limits: ResolvedTaskLimits;
  readonly clock: Clock;
  readonly table: TaskTable;
  readonly presence: Presence;
  readonly index: OwnerIndex;
  readonly #options: TaskReceiverOptions;
  readonly #lists: NodeLists;
  readonly #takeover: Takeover;
  readonly #running = new Map<string, RunningTask>();
  #started: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: TaskReceiverOptions) {
    const { store, prefix = "tasks", clock = systemClock, leaseMs, resume } = options;
    const limits = resolveTaskLimits(options.limits);
    const table = new TaskTable(store, prefix, clock);
    const presence = new Presence(store, { leaseMs, clock });
    const lists = new NodeLists(store, prefix, presence.id);
    this.#options = options;
    this.limits = limits;
    this.clock = clock;
    this.table = table;
    this.presence = presence;
    this.#lists = lists;
    const isKnownOver = async (taskId: string): Promise<boolean> => {
      const stored = await table.read(taskId);
      return stored === undefined || isOver(stored.record);
    };
    this.index = new OwnerIndex({ store, prefix, clock, limits, isOver: isKnownOver });
    this.#takeover = new Takeover({
      store,
      prefix,
      clock,
      table,
      presence,
      lists,
      maxRuns: limits.maxRuns,
      onDiagnostic: options.onDiagnostic,
      resume: resume && ((record) => this.#resume(record, resume)),
      ended: (record) => this.emit("failed", record.taskId, record.owner, record),
    });
  }

  /** How many tasks this process works on. */
  get size(): number {
    return this.#running.size;
  }

  /** For what reads and asks. */
  get host(): { table: TaskTable; clock: Clock; presence: Presence; onDiagnostic: OnDiagnostic } {
    return { table: this.table, clock: this.clock, presence: this.presence, onDiagnostic: this.#options.onDiagnostic };
  }

  /** Looks after tasks that other processes leave behind, from now on. */
  start(): Promise<void> {
    this.#started ??= this.#start().catch((error: unknown) => {
      this.#started = undefined;
      throw error;
    });
    return this.#started;
  }

  /** Begins a task; see {@link TaskReceiver.begin}. */
  async begin(beginning: TaskBeginning, work: TaskWork): Promise<TaskRecord> {
    this.#assertOpen();
    await this.start();
    const record = this.#createRecord(beginning);
    const { taskId, owner } = record;
    await this.index.add(owner, taskId, expiryOf(record));
    const task = new RunningTask(this.host, record, beginning.onChange);
    try {
      await this.#lists.add(taskId);
      await this.table.create(record);
      await task.open();
    } catch (error) {
      await Promise.allSettled([this.#lists.remove(taskId), this.index.remove(owner, taskId)]);
      throw error;
    }
    this.emit("created", taskId, owner, record);
    this.#run(task, work);
    return record;
  }

  /** A task somebody asks for, after its process was found alive or the task taken care of; `undefined` where it is gone. */
  async check(record: TaskRecord): Promise<TaskRecord | undefined> {
    if (isOver(record) || record.node === this.presence.id || this.#isClosed) {
      return record;
    }
    await this.start();
    return (await this.#takeover.check(record)) ? (await this.table.read(record.taskId))?.record : record;
  }

  /** Work that can be resumed is left to other processes, other work fails, and nothing is begun any more. */
  async close(): Promise<void> {
    const started = this.#started;
    this.#isClosed = true;
    this.#takeover.stop();
    if (started === undefined) {
      return;
    }
    await started.catch(() => undefined);
    this.#takeover.stop();
    await Promise.allSettled([...this.#running.values()].map((task) => this.#leave(task)));
    const leavesWork = this.#lists.isNeeded;
    if (!leavesWork) {
      await this.#lists.forget(this.presence.id);
    }
    await this.presence.end();
    if (leavesWork) {
      await this.#takeover.announce();
    }
  }

  /** Tells of something that happened. */
  emit(kind: TaskEventKind, taskId: string, owner: string | undefined, record?: TaskRecord): void {
    this.#options.onEvent?.({ kind, taskId, owner, method: record?.method, name: record?.name });
  }

  /** Tells of a store that failed where nobody waits for it. */
  report(error: unknown): void {
    const message = "the store of tasks failed; it is asked again when there is need";
    this.#options.onDiagnostic({ code: "MCP_D_TASK_STORE", message, detail: error });
  }

  async #start(): Promise<void> {
    this.#assertOpen();
    await this.presence.begin();
    this.#assertOpen();
    await this.#takeover.start();
  }

  #assertOpen(): void {
    if (this.#isClosed) {
      throw new ClosedError("tasks are no longer accepted: the process is stopping");
    }
  }

  #createRecord({ ttlMs, pollIntervalMs, onChange: _onChange, ...seed }: TaskBeginning): TaskRecord {
    const { limits } = this;
    return createRecord(
      {
        ...seed,
        name: seed.name,
        origin: seed.origin,
        ttlMs: toTtl(ttlMs, limits),
        pollIntervalMs: Math.ceil(pollIntervalMs ?? limits.pollIntervalMs),
        node: this.presence.id,
        isResumable: seed.origin !== undefined,
      },
      this.clock.now(),
    );
  }

  async #resume(record: TaskRecord, resume: TaskWork): Promise<void> {
    const task = new RunningTask(this.host, record, undefined);
    this.emit("resumed", record.taskId, record.owner, record);
    try {
      await task.open();
      this.#run(task, resume);
    } catch (error) {
      // It is this process's by now, and must come to an end.
      this.#run(task, () => Promise.reject(error));
    }
  }

  /** Has the work done; whoever asked for the task does not wait for it to begin. */
  #run(task: RunningTask, work: TaskWork): void {
    const { taskId } = task.record;
    this.#running.set(taskId, task);
    const run = async (): Promise<void> => {
      await undefined;
      const ended = await task.run(work);
      if (ended !== undefined) {
        this.emit(ended.status === "failed" ? "failed" : "completed", taskId, ended.owner, ended);
      }
    };
    run()
      .catch((error: unknown) => this.report(error))
      .finally(() => this.#ended(task));
  }

  #ended(task: RunningTask): void {
    const { taskId, isResumable } = task.record;
    task.close();
    this.#running.delete(taskId);
    this.index.ended(taskId);
    if (!this.#isClosed || !isResumable) {
      this.#lists.remove(taskId).catch((error: unknown) => this.report(error));
    }
  }

  async #leave(task: RunningTask): Promise<void> {
    task.stop(new ClosedError("the process that works on the task is stopping"));
    if (!task.record.isResumable) {
      const message = "the process that worked on the task was stopped before it was done";
      await task.end({ error: { code: rpcCodes.internalError, message } });
      await this.#lists.remove(task.record.taskId);
    }
  }
}

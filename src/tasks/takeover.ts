/**
 * What becomes of tasks whose process died, or stopped: work that can be resumed goes on here, other work is over.
 *
 * Processes are looked at once in every lease, one by one as soon as somebody asks for a task of theirs, and at once when
 * one says that it leaves. Of all that look, one succeeds in each task: by compare-and-set.
 */
import type { OnDiagnostic } from "../base/diagnostic.ts";
import type { Clock } from "../base/timer.ts";
import { rpcCodes } from "../jsonrpc/error.ts";
import type { BusListener, Store } from "../store/contracts.ts";
import type { Presence } from "../store/presence.ts";
import type { NodeLists } from "./node-lists.ts";
import { adopt, finish, isOver, type TaskRecord } from "./record.ts";
import type { TaskTable } from "./table.ts";

/** What taking over needs of those around it. */
export interface TakeoverHost {
  readonly store: Store;
  readonly prefix: string;
  readonly clock: Clock;
  readonly table: TaskTable;
  readonly presence: Presence;
  readonly lists: NodeLists;
  readonly maxRuns: number;
  readonly onDiagnostic: OnDiagnostic;
  /** Goes on with the work of a task that is this process's now; `undefined` where this process cannot. */
  readonly resume: ((record: TaskRecord) => Promise<void>) | undefined;
  /** A task was ended here because nobody can go on with it. */
  ended(record: TaskRecord): void;
}

/** See the head of this file. */
export class Takeover implements BusListener {
  readonly #host: TakeoverHost;
  #cancelTimer: () => void = () => undefined;
  #unsubscribe: () => void = () => undefined;
  #isStopped = false;
  /** The look at all processes that is going on; those who want one meanwhile wait for the next. */
  #looking: Promise<void> = Promise.resolve();

  constructor(host: TakeoverHost) {
    this.#host = host;
  }

  /** Looks now, and from now on. */
  async start(): Promise<void> {
    this.#unsubscribe = await this.#host.store.subscribe(this.#topic, this);
    this.#look();
  }

  /** Looks no more. */
  stop(): void {
    this.#isStopped = true;
    this.#cancelTimer();
    this.#unsubscribe();
  }

  /** Says that this process leaves tasks behind. */
  async announce(): Promise<void> {
    await this.#host.store.publish(this.#topic, this.#host.presence.id);
  }

  message(node: string): void {
    if (node !== this.#host.presence.id) {
      this.#look();
    }
  }

  missed(): void {
    this.#look();
  }

  /**
   * Sees to a task that somebody asked for, should its process be dead.
   *
   * @returns whether it was, so that the task is to be read again
   */
  async check({ taskId, node, status }: TaskRecord): Promise<boolean> {
    const { presence } = this.#host;
    if (isOver({ status }) || node === presence.id || this.#isStopped || (await presence.isAlive(node))) {
      return false;
    }
    await this.#take(taskId, node);
    return true;
  }

  #look(): void {
    this.#cancelTimer();
    if (this.#isStopped) {
      return;
    }
    const { clock, presence } = this.#host;
    this.#cancelTimer = clock.after(presence.leaseMs, () => this.#look());
    this.#looking = this.#looking
      .then(() => this.#lookAtAll())
      .catch((error: unknown) => {
        const message = "tasks of other processes could not be looked at; it is tried again";
        this.#host.onDiagnostic({ code: "MCP_D_TASK_STORE", message, detail: error });
      });
  }

  async #lookAtAll(): Promise<void> {
    const { lists, presence } = this.#host;
    const nodes = await lists.nodes();
    if (lists.isNeeded && !nodes.includes(presence.id)) {
      // Somebody counted this process out while it slept.
      await lists.join();
    }
    for (const node of nodes) {
      if (this.#isStopped) {
        return;
      }
      if (node !== presence.id && !(await presence.isAlive(node))) {
        for (const taskId of await lists.tasksOf(node)) {
          await this.#take(taskId, node);
        }
        if (!this.#isStopped) {
          await lists.forget(node);
        }
      }
    }
  }

  async #take(taskId: string, from: string): Promise<void> {
    const { table, presence, clock, lists } = this.#host;
    let isResumed = false;
    if (this.#isStopped) {
      return;
    }
    await lists.add(taskId);
    const taken = await table.update(taskId, (record) => {
      isResumed = this.#resumes(record);
      if (record.node !== from) {
        return undefined;
      }
      return isResumed ? adopt(record, presence.id, clock.now()) : finish(record, this.#why(record), clock.now());
    });
    if (taken?.isChanged === true && isResumed) {
      await this.#host.resume?.(taken.record);
      return;
    }
    await lists.remove(taskId);
    if (taken?.isChanged === true) {
      this.#host.ended(taken.record);
    }
  }

  #resumes(record: TaskRecord): boolean {
    return record.isResumable && record.runs < this.#host.maxRuns && this.#host.resume !== undefined;
  }

  #why({ isResumable, runs }: TaskRecord): { error: { code: number; message: string } } {
    const why =
      isResumable && runs >= this.#host.maxRuns
        ? `each of the ${runs} processes that worked on the task ended before it was done`
        : "the process that worked on the task ended before it was done, and the work cannot be resumed";
    return { error: { code: rpcCodes.internalError, message: why } };
  }

  get #topic(): string {
    return `${this.#host.prefix}-nodes`;
  }
}

/**
 * The work of a task, from one beginning to its end on this process: what it asks, saves and says goes into the record,
 * and what others write there (answers, a cancellation, a new owner of the work) comes back to it.
 *
 * The record decides. Work that was cancelled, has run out of time or was taken over is told by its signal, and whatever
 * it still does changes nothing.
 */
import { linkSignals, onAbort } from "../base/abort.ts";
import { createDeferred, type Deferred } from "../base/deferred.ts";
import type { OnDiagnostic } from "../base/diagnostic.ts";
import { ClosedError } from "../base/error.ts";
import { type Clock, sleep } from "../base/timer.ts";
import { RpcError, rpcCodes } from "../jsonrpc/error.ts";
import type { Call } from "../jsonrpc/link.ts";
import type { JsonObject } from "../jsonrpc/message.ts";
import {
  ask,
  describe,
  expiryOf,
  finish,
  forget,
  isOver,
  remember,
  save,
  type TaskOutcome,
  type TaskRecord,
  withdraw,
} from "./record.ts";
import type { TaskTable } from "./table.ts";
import type { StoredTask, TaskWatcher } from "./watch.ts";

/** What the work of a task has of it. */
export interface TaskRun {
  /** The task as last seen. */
  readonly record: TaskRecord;
  /** Aborts when nobody wants the work any more: cancelled, expired, taken over, or the process stops. */
  readonly signal: AbortSignal;
  /**
   * Asks the requestor. Work that is run again gets the answers that had come already.
   *
   * @param kind - names the question; the same in every run, so that an answer finds the question it belongs to
   * @param signal - takes the question back
   * @throws RpcError the requestor's error; the reason of either signal
   */
  ask(call: Call, kind: string, signal?: AbortSignal): Promise<JsonObject>;
  /** Says what the work is doing. */
  describe(statusMessage: string): Promise<void>;
  /** Keeps how far the work is, for whoever goes on with it. */
  save(checkpoint: unknown): Promise<void>;
  /** Keeps results of what is done once. */
  remember(memories: TaskRecord["memories"]): Promise<void>;
}

/** Does the work of a task. A rejection is a fault: the requestor gets an internal error. */
export type TaskWork = (run: TaskRun) => Promise<TaskOutcome>;

/** What running needs of those around it. */
export interface RunHost {
  readonly table: TaskTable;
  readonly clock: Clock;
  readonly onDiagnostic: OnDiagnostic;
}

/** Longest pause between two attempts to write an outcome, in milliseconds. */
const maxPauseMs = 30_000;

/** See the head of this file. */
export class RunningTask implements TaskRun, TaskWatcher {
  readonly #host: RunHost;
  readonly #onChange: ((record: TaskRecord) => void) | undefined;
  readonly #link = linkSignals();
  readonly #occurrences = new Map<string, number>();
  readonly #waiting = new Map<string, Deferred<TaskOutcome>>();
  /** Answers that the work has got. */
  readonly #taken = new Set<string>();
  #record: TaskRecord;
  #stopWatching: () => void = () => undefined;
  /** Whether what is written from now on is nothing to the work. */
  #isDone = false;

  /** @param onChange - told whenever the status or its message changes */
  constructor(host: RunHost, record: TaskRecord, onChange: ((record: TaskRecord) => void) | undefined) {
    this.#host = host;
    this.#record = record;
    this.#onChange = onChange;
  }

  get record(): TaskRecord {
    return this.#record;
  }

  get signal(): AbortSignal {
    return this.#link.signal;
  }

  /** Listens to what others write. */
  async open(): Promise<void> {
    this.#stopWatching = await this.#host.table.watch(this.#record.taskId, this);
  }

  /**
   * Does the work and keeps its outcome.
   *
   * @returns the task, where this was its end; `undefined` where it had ended already, or is somebody else's by now
   */
  async run(work: TaskWork): Promise<TaskRecord | undefined> {
    const outcome = await this.#attempt(work);
    return outcome === undefined || this.signal.aborted ? undefined : this.end(outcome);
  }

  /** Keeps an outcome, whatever the work does; tried again for as long as the task has time. */
  async end(outcome: TaskOutcome): Promise<TaskRecord | undefined> {
    const { table, clock } = this.#host;
    this.close();
    const ended = await this.#insist(() =>
      table.update(this.#record.taskId, (record) =>
        this.#isMine(record) ? finish(record, outcome, clock.now()) : undefined,
      ),
    );
    if (ended === undefined || !this.#isMine(ended.record)) {
      return undefined;
    }
    this.#take(ended.record);
    return ended.isChanged ? ended.record : undefined;
  }

  /** Listens no more. */
  close(): void {
    this.#isDone = true;
    this.#stopWatching();
  }

  /** Stops the work and leaves the task as it is. */
  stop(reason: unknown): void {
    this.close();
    this.#link.abort(reason);
  }

  async ask(call: Call, kind: string, signal?: AbortSignal): Promise<JsonObject> {
    this.signal.throwIfAborted();
    signal?.throwIfAborted();
    const key = this.#nextKey(kind);
    const known = this.#record.answers[key];
    if (known !== undefined) {
      this.#taken.add(key);
      return open(known);
    }
    const waiting = createDeferred<TaskOutcome>();
    // A signal may abort while the question is still being written.
    waiting.promise.catch(() => undefined);
    this.#waiting.set(key, waiting);
    const release = [this.signal, ...(signal === undefined ? [] : [signal])].map((source) =>
      onAbort(source, waiting.reject),
    );
    try {
      if (!Object.hasOwn(this.#record.questions, key)) {
        await this.#change((record, now) =>
          Object.hasOwn(record.answers, key) ? record : ask(record, key, call, now),
        );
      }
      return open(await waiting.promise);
    } catch (error) {
      if (signal?.aborted === true && !this.signal.aborted) {
        await this.#change((record, now) => withdraw(record, key, now) ?? record);
      }
      throw error;
    } finally {
      this.#waiting.delete(key);
      for (const stop of release) {
        stop();
      }
    }
  }

  async describe(statusMessage: string): Promise<void> {
    await this.#change((record, now) => describe(record, statusMessage, now));
  }

  async save(checkpoint: unknown): Promise<void> {
    await this.#change((record) => {
      const saved = save(record, checkpoint);
      return saved && forget(saved, this.#taken);
    });
  }

  async remember(memories: TaskRecord["memories"]): Promise<void> {
    await this.#change((record) => remember(record, memories));
  }

  changed(stored: StoredTask): void {
    this.#see(stored);
  }

  gone(): void {
    this.stop(new ClosedError("the task's time is over"));
  }

  failed(error: unknown): void {
    this.#report("the state of a task could not be read; its work goes on", error);
  }

  async #attempt(work: TaskWork): Promise<TaskOutcome | undefined> {
    try {
      return await work(this);
    } catch (error) {
      if (this.signal.aborted) {
        return undefined;
      }
      this.#host.onDiagnostic({ code: "MCP_D_TASK_FAULT", message: "the work of a task failed", detail: error });
      return { error: { code: rpcCodes.internalError, message: "internal error" } };
    }
  }

  /** Changes the record as long as the work is this process's. */
  async #change(change: (record: TaskRecord, now: number) => TaskRecord | undefined): Promise<void> {
    this.signal.throwIfAborted();
    const { table, clock } = this.#host;
    const changed = await table.update(this.#record.taskId, (record) => {
      const next = this.#isMine(record) ? change(record, clock.now()) : undefined;
      return next === undefined || record.isResumable ? next : forget(next, this.#taken);
    });
    if (changed === undefined) {
      this.gone();
    } else {
      this.#see(changed);
    }
    this.signal.throwIfAborted();
  }

  #isMine({ node, runs }: TaskRecord): boolean {
    return node === this.#record.node && runs === this.#record.runs;
  }

  /** Takes note of the newest state, whoever wrote it. */
  #see({ record }: StoredTask): void {
    if (this.#isDone || record.writes <= this.#record.writes) {
      return;
    }
    if (!this.#isMine(record)) {
      this.stop(new ClosedError("another process has taken the task over"));
      return;
    }
    this.#take(record);
    for (const [key, waiting] of this.#waiting) {
      const answer = record.answers[key];
      if (answer !== undefined) {
        this.#taken.add(key);
        waiting.resolve(answer);
      }
    }
    if (isOver(record)) {
      this.stop(new ClosedError(record.statusMessage ?? `the task is ${record.status}`));
    }
  }

  #take(record: TaskRecord): void {
    const last = this.#record;
    this.#record = record;
    if (record.status !== last.status || record.statusMessage !== last.statusMessage) {
      this.#onChange?.(record);
    }
  }

  #nextKey(kind: string): string {
    const { epoch } = this.#record;
    const place = `${kind}.${epoch}`;
    const occurrence = (this.#occurrences.get(place) ?? 0) + 1;
    this.#occurrences.set(place, occurrence);
    return `${place}.${occurrence}`;
  }

  async #insist<T>(write: () => Promise<T>): Promise<T | undefined> {
    const { clock } = this.#host;
    for (let pauseMs = 1_000; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
      try {
        return await write();
      } catch (error) {
        this.#report("the outcome of a task could not be kept; it is tried again", error);
        if (clock.now() + pauseMs >= expiryOf(this.#record)) {
          return undefined;
        }
        await sleep(clock, pauseMs);
      }
    }
  }

  #report(message: string, error: unknown): void {
    this.#host.onDiagnostic({ code: "MCP_D_TASK_STORE", message, detail: error });
  }
}

function open(outcome: TaskOutcome): JsonObject {
  if ("result" in outcome) {
    return structuredClone(outcome.result);
  }
  const { code, message, data } = outcome.error;
  throw new RpcError(code, message, { data, remote: true });
}

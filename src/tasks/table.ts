/**
 * Tasks in a store: written, changed by compare-and-set, and watched.
 *
 * Every write is told over the bus, so whoever watches reads when there is something to read and at no other time;
 * where the bus was away, it reads once it is back.
 */
import { isObject, parseJson } from "../base/json.ts";
import type { Clock } from "../base/timer.ts";
import type { Store } from "../store/contracts.ts";
import { expiryOf, type TaskRecord } from "./record.ts";
import { type StoredTask, type TaskWatcher, Watch } from "./watch.ts";

/** A task after a change. */
export interface ChangedTask extends StoredTask {
  /** Whether anything was written. */
  readonly isChanged: boolean;
}

/** Ids as this library makes them, and anything that looks alike; whatever else is asked for is unknown. */
const idPattern = /^[A-Za-z0-9_-]{1,64}$/;

/** See the head of this file. */
export class TaskTable {
  readonly #store: Store;
  readonly #prefix: string;
  readonly #clock: Clock;

  /** @param prefix - sets these tasks apart from others in the same store */
  constructor(store: Store, prefix: string, clock: Clock) {
    this.#store = store;
    this.#prefix = prefix;
    this.#clock = clock;
  }

  /** Keeps a new task; it can be read by anybody once this resolves [X-TASK-015]. */
  async create(record: TaskRecord): Promise<StoredTask> {
    const version = await this.#write(record, null);
    if (version === undefined) {
      throw new Error("a task with this id exists already");
    }
    return { record, version };
  }

  /** The task; `undefined` where it is unknown or has expired. */
  async read(taskId: string): Promise<StoredTask | undefined> {
    if (!idPattern.test(taskId)) {
      return undefined;
    }
    const stored = await this.#store.get(this.#keyOf(taskId));
    const parsed = stored === undefined ? undefined : parseJson(stored.value, Number.POSITIVE_INFINITY);
    return stored === undefined || parsed?.ok !== true || !isRecord(parsed.value)
      ? undefined
      : { record: parsed.value, version: stored.version };
  }

  /**
   * Changes a task, on the newest record there is.
   *
   * @param change - pure; `undefined` leaves the task as it is
   * @returns the task as it is now; `undefined` where there is none
   */
  async update(
    taskId: string,
    change: (record: TaskRecord) => TaskRecord | undefined,
  ): Promise<ChangedTask | undefined> {
    for (;;) {
      const stored = await this.read(taskId);
      const changed = stored && change(stored.record);
      if (stored === undefined || changed === undefined || changed === stored.record) {
        return stored && { ...stored, isChanged: false };
      }
      const record = { ...changed, writes: stored.record.writes + 1 };
      const version = await this.#write(record, stored.version);
      if (version !== undefined) {
        return { record, version, isChanged: true };
      }
    }
  }

  /**
   * Tells what the task is now, then every change, and the end of its time.
   *
   * @returns stops, at once
   */
  async watch(taskId: string, watcher: TaskWatcher): Promise<() => void> {
    const watch = new Watch(() => this.read(taskId), watcher, this.#clock);
    const unsubscribe = await this.#store.subscribe(this.#keyOf(taskId), watch);
    watch.refresh();
    return () => {
      watch.stop();
      unsubscribe();
    };
  }

  async #write(record: TaskRecord, ifVersion: string | null): Promise<string | undefined> {
    const leftMs = expiryOf(record) - this.#clock.now();
    const key = this.#keyOf(record.taskId);
    const ttl = Number.isFinite(leftMs) ? { ttlMs: Math.max(leftMs, 1) } : {};
    const version = await this.#store.set(key, JSON.stringify(record), { ifVersion, ...ttl });
    if (version !== undefined) {
      this.#store.publish(key, version).catch(() => {
        // It is kept. Whoever watches elsewhere has lost the same bus, and reads when it is back.
      });
    }
    return version;
  }

  #keyOf(taskId: string): string {
    return `${this.#prefix}/${taskId}`;
  }
}

/** Nobody but this file writes there. */
function isRecord(value: unknown): value is TaskRecord {
  return isObject(value) && typeof value.taskId === "string" && typeof value.writes === "number";
}

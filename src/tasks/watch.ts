/** One who watches a task: told of every state that is read, at most one read at a time, however many changes are told. */
import type { Clock } from "../base/timer.ts";
import type { BusListener } from "../store/contracts.ts";
import { expiryOf, type TaskRecord } from "./record.ts";

/** A task as it was read. */
export interface StoredTask {
  readonly record: TaskRecord;
  /** Differs after every write. */
  readonly version: string;
}

/** Who watches. Must not throw. */
export interface TaskWatcher {
  changed(stored: StoredTask): void;
  /** The task's time is over, or it was deleted. Nothing more is told. */
  gone(): void;
  /** The task could not be read; it is read again with its next change. */
  failed(error: unknown): void;
}

/** See the head of this file. */
export class Watch implements BusListener {
  readonly #read: () => Promise<StoredTask | undefined>;
  readonly #watcher: TaskWatcher;
  readonly #clock: Clock;
  #version: string | undefined;
  #isReading = false;
  #isStale = false;
  #isStopped = false;
  #cancelTimer: () => void = () => undefined;

  constructor(read: () => Promise<StoredTask | undefined>, watcher: TaskWatcher, clock: Clock) {
    this.#read = read;
    this.#watcher = watcher;
    this.#clock = clock;
  }

  message(version: string): void {
    if (version !== this.#version) {
      this.refresh();
    }
  }

  missed(): void {
    this.refresh();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelTimer();
  }

  /** Reads again, soon. */
  refresh(): void {
    this.#isStale = true;
    if (!this.#isReading && !this.#isStopped) {
      void this.#readAll();
    }
  }

  async #readAll(): Promise<void> {
    this.#isReading = true;
    try {
      while (this.#isStale && !this.#isStopped) {
        this.#isStale = false;
        this.#tell(await this.#read());
      }
    } catch (error) {
      this.#watcher.failed(error);
    } finally {
      // In the same step as the last look at what is stale: what is told from now on begins anew.
      this.#isReading = false;
    }
  }

  #tell(stored: StoredTask | undefined): void {
    if (this.#isStopped || (stored !== undefined && stored.version === this.#version)) {
      return;
    }
    if (stored === undefined) {
      this.stop();
      this.#watcher.gone();
      return;
    }
    this.#version = stored.version;
    this.#cancelTimer();
    const leftMs = expiryOf(stored.record) - this.#clock.now();
    this.#cancelTimer = Number.isFinite(leftMs) ? this.#clock.after(leftMs + 1, () => this.refresh()) : () => undefined;
    this.#watcher.changed(stored);
  }
}

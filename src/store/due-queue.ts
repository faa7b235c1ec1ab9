/**
 * What falls due at some time, earliest first, and one timer for all of it: none while nothing waits. Adding and removing
 * cost as much as the logarithm of what waits; nothing ever looks through all of it.
 *
 * The timer is in no hurry. Whoever must not meet what is due runs the queue before it looks.
 */
import type { Clock } from "../base/timer.ts";

/** One thing in the queue. */
export interface Due<T> {
  readonly item: T;
  readonly atMs: number;
}

interface Waiting<T> extends Due<T> {
  /** Where it stands in the heap; -1 once it is out. */
  index: number;
}

/** The timer comes this much later, so that it comes at most once in that time. */
const lingerMs = 1_000;

/** See the head of this file. */
export class DueQueue<T> {
  readonly #clock: Clock;
  readonly #onDue: (item: T, now: number) => void;
  /** A binary heap: neither child of a thing is due before it. */
  readonly #heap: Waiting<T>[] = [];
  #alarm: { readonly atMs: number; readonly cancel: () => void } | undefined;

  /** @param onDue - gets what was due by `now`, which is out of the queue by then; may add it again for later */
  constructor(clock: Clock, onDue: (item: T, now: number) => void) {
    this.#clock = clock;
    this.#onDue = onDue;
  }

  /**
   * Puts something in.
   *
   * @param atMs - when it is due, in milliseconds since the epoch; a finite number
   */
  add(item: T, atMs: number): Due<T> {
    const waiting = { item, atMs, index: this.#heap.length };
    this.#heap.push(waiting);
    this.#rise(waiting);
    this.#plan();
    return waiting;
  }

  /** Takes something out, unless it is out. */
  remove(due: Due<T>): void {
    const waiting = due as Waiting<T>;
    if (waiting.index !== -1) {
      this.#take(waiting);
      this.#plan();
    }
  }

  /** Hands over what is due by now. */
  run(): void {
    const now = this.#clock.now();
    const first = this.#heap[0];
    if (first === undefined || first.atMs > now) {
      return;
    }
    for (let next: Waiting<T> | undefined = first; next !== undefined && next.atMs <= now; next = this.#heap[0]) {
      this.#take(next);
      this.#onDue(next.item, now);
    }
    this.#plan();
  }

  /** Forgets everything. */
  clear(): void {
    for (const waiting of this.#heap) {
      waiting.index = -1;
    }
    this.#heap.length = 0;
    this.#plan();
  }

  /** A timer that comes too early plans the next one; one that comes too late is replaced. */
  #plan(): void {
    const first = this.#heap[0];
    if (first !== undefined && this.#alarm !== undefined && this.#alarm.atMs <= first.atMs) {
      return;
    }
    this.#alarm?.cancel();
    this.#alarm = undefined;
    if (first !== undefined) {
      const cancel = this.#clock.after(first.atMs + lingerMs - this.#clock.now(), () => {
        this.#alarm = undefined;
        this.run();
        this.#plan();
      });
      this.#alarm = { atMs: first.atMs, cancel };
    }
  }

  #take(waiting: Waiting<T>): void {
    const last = this.#heap.pop();
    if (last !== undefined && last !== waiting) {
      this.#put(last, waiting.index);
      this.#rise(last);
      this.#sink(last);
    }
    waiting.index = -1;
  }

  #put(waiting: Waiting<T>, index: number): void {
    this.#heap[index] = waiting;
    waiting.index = index;
  }

  #rise(waiting: Waiting<T>): void {
    while (waiting.index > 0) {
      const { index } = waiting;
      const parent = this.#heap[(index - 1) >> 1];
      if (parent === undefined || parent.atMs <= waiting.atMs) {
        return;
      }
      this.#put(waiting, parent.index);
      this.#put(parent, index);
    }
  }

  #sink(waiting: Waiting<T>): void {
    for (;;) {
      const { index } = waiting;
      const [left, right] = [this.#heap[2 * index + 1], this.#heap[2 * index + 2]];
      const child = right !== undefined && left !== undefined && right.atMs < left.atMs ? right : left;
      if (child === undefined || child.atMs >= waiting.atMs) {
        return;
      }
      this.#put(waiting, child.index);
      this.#put(child, index);
    }
  }
}

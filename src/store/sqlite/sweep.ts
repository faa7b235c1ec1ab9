/**
 * Frees what has expired, from time to time and a little at once, for as long as a store is open.
 *
 * Each step blocks the event loop for some milliseconds at most; where there is more to do, the next one follows soon.
 */
import type { Clock } from "../../base/timer.ts";
import type { Connection } from "./connection.ts";
import type { Statements } from "./statements.ts";

/** What has something to free from time to time. */
export interface Sweepable {
  /** Whether there is anything. */
  isDue(statements: Statements): boolean;
  /** Frees so much at most, and tells whether there may be more. */
  sweep(statements: Statements, limit: number): boolean;
}

/** Rows, or pages of the file, freed in one step. */
const rowsAtATime = 200;
/** How long the event loop is left to others between steps, in milliseconds. */
const pauseMs = 5;
/** Free pages that the file keeps, since they are soon used again: 1 MiB of 4 KiB each. */
const sparePages = 256;

/** See the head of this file. */
export class Sweeper {
  readonly #connection: Connection;
  readonly #clock: Clock;
  readonly #everyMs: number;
  readonly #parts: readonly Sweepable[];
  #cancel: () => void = () => undefined;
  #isOver = false;

  constructor(connection: Connection, clock: Clock, everyMs: number, parts: readonly Sweepable[]) {
    this.#connection = connection;
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#parts = parts;
  }

  /** Begins, unless it has ended. */
  begin(): void {
    this.#plan(this.#everyMs);
  }

  /** Ends for good. */
  end(): void {
    this.#isOver = true;
    this.#cancel();
  }

  #plan(delayMs: number): void {
    this.#cancel();
    if (!this.#isOver) {
      this.#cancel = this.#clock.after(delayMs, () => void this.#sweep());
    }
  }

  async #sweep(): Promise<void> {
    let isMore = false;
    try {
      for (const part of [...this.#parts, freePages]) {
        // Looking first, because whoever writes keeps others from it.
        if (await this.#connection.read((statements) => part.isDue(statements))) {
          isMore = (await this.#connection.write((statements) => part.sweep(statements, rowsAtATime))) || isMore;
        }
      }
    } catch {
      // Whoever uses the store is told by its own call; freeing is tried again.
    }
    this.#plan(isMore ? pauseMs : this.#everyMs);
  }
}

/** Gives free pages back to the file system, where the file was made so that this can be done. */
const freePages: Sweepable = {
  isDue: (statements) =>
    countFreePages(statements) > sparePages && Number(statements.get("PRAGMA auto_vacuum")?.auto_vacuum) === 2,
  sweep: (statements, limit) => {
    const spare = countFreePages(statements) - sparePages;
    if (spare > 0) {
      statements.exec(`PRAGMA incremental_vacuum(${Math.min(spare, limit)})`);
    }
    return spare > limit;
  },
};

function countFreePages(statements: Statements): number {
  return Number(statements.get("PRAGMA freelist_count")?.freelist_count);
}

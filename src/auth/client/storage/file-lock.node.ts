/**
 * A lock between processes, made of files beside the one it protects; survives the death of anybody at any moment.
 *
 * The lock file names its last owner and is replaced, never deleted. Who wants to come after owner O first makes the one
 * file `<lock>.after.O`, then looks whether O is still the last, then renames its own claim over the lock: tokens never
 * return, so of all who found O dead or done exactly one gets in. An owner that was only slow cannot write any more,
 * because whoever came after it has removed the files that it would have renamed.
 */
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type Clock, sleep } from "../../../base/timer.ts";
import { StoreError } from "../../../store/error.ts";
import { ignoreMissing, isLinked, isRenamed, remove } from "./durable-file.node.ts";
import { Claim, claimOf, type HeldLock, LockLost, scratchOf } from "./lock-claim.node.ts";
import { type LockOwner, readOwner } from "./lock-owner.node.ts";

/** Options of {@link FileLock}. */
export interface FileLockOptions {
  /**
   * From what age the lock of a process that seems to run is taken away, in milliseconds. Default 5 000. Needed where a
   * process cannot be looked up: on another host, or when its number was given to another one.
   */
  readonly staleMs?: number | undefined;
  /** How long the lock is waited for, in milliseconds. Default 15 000. */
  readonly timeoutMs?: number | undefined;
  /** Default: the system's, with timers that keep the process alive, because a write in progress is work. */
  readonly clock?: Clock | undefined;
}

const pollMs = 8;
/** From what age files that a killed process left behind are removed, in milliseconds. */
const leftoverMs = 60_000;

const workingClock: Clock = {
  now: () => Date.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
};

/** See the head of this file. Callers of one object come in one after the other. */
export class FileLock {
  readonly #file: string;
  readonly #staleMs: number;
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  #last: Promise<unknown> = Promise.resolve();
  #isTidy = false;

  /** @param file - the lock file, in a folder that exists when it is used */
  constructor(file: string, { staleMs = 5_000, timeoutMs = 15_000, clock = workingClock }: FileLockOptions = {}) {
    this.#file = file;
    this.#staleMs = staleMs;
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
  }

  /**
   * Runs work while nobody else does. Work whose lock was taken away before it wrote is run again.
   *
   * @throws StoreError when the lock cannot be had in time
   */
  run<T>(work: (held: HeldLock) => Promise<T>): Promise<T> {
    const turn = this.#last.then(() => this.#runAlone(work));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #runAlone<T>(work: (held: HeldLock) => Promise<T>): Promise<T> {
    const deadline = this.#clock.now() + this.#timeoutMs;
    for (;;) {
      const claim = await this.#acquire(deadline);
      try {
        return await work(claim);
      } catch (error) {
        if (!(error instanceof LockLost)) {
          throw error;
        }
      } finally {
        await claim.letGo();
      }
    }
  }

  async #acquire(deadline: number): Promise<Claim> {
    for (;;) {
      const owner = await readOwner(this.#file);
      const claim = this.#isVacant(owner) ? await this.#tryAfter(owner) : undefined;
      if (claim !== undefined) {
        await this.#tidy();
        return claim;
      }
      if (this.#clock.now() >= deadline) {
        const who = owner?.pid === undefined ? "another process" : `process ${owner.pid}`;
        throw new StoreError(
          "unavailable",
          `expected to lock ${this.#file} within ${this.#timeoutMs} ms, but ${who} has it; end that process, or try again`,
        );
      }
      await sleep(this.#clock, pollMs * (0.5 + Math.random()));
    }
  }

  #isVacant(owner: LockOwner | undefined): boolean {
    return owner === undefined || owner.isFree || this.#isStale(owner);
  }

  #isStale({ isDead, sinceMs }: LockOwner): boolean {
    return isDead || this.#clock.now() - sinceMs > this.#staleMs;
  }

  async #tryAfter(owner: LockOwner | undefined): Promise<Claim | undefined> {
    const claim = await Claim.create(this.#file, owner?.token);
    try {
      if (await this.#isTaken(claim, owner)) {
        await this.#clearAfter(owner);
        return claim;
      }
    } catch (error) {
      await claim.letGo();
      await remove(claim.file);
      throw error;
    }
    await claim.letGo();
    await remove(claim.file);
    return undefined;
  }

  async #isTaken(claim: Claim, owner: LockOwner | undefined): Promise<boolean> {
    const right = this.#rightAfter(owner?.token ?? "nobody");
    if (!(await isLinked(claim.file, right))) {
      await this.#freeRight(claim, right);
      return false;
    }
    const isLast = (await readOwner(this.#file))?.token === owner?.token;
    if (isLast && !(await isRenamed(claim.file, this.#file))) {
      // Somebody took this process for dead and the right away from it: what is there under its name may be another's.
      return false;
    }
    await remove(right);
    return isLast;
  }

  /**
   * Takes a right away from a process that died with it, by the same rule: one only may come after each owner. Two processes
   * would both have to be stopped for `staleMs` between two steps of theirs for this to let two in.
   */
  async #freeRight(claim: Claim, right: string): Promise<void> {
    const holder = await readOwner(right);
    if (holder === undefined || !this.#isVacant(holder)) {
      return;
    }
    const over = this.#rightAfter(holder.token);
    if (!(await isLinked(claim.file, over))) {
      await this.#freeRight(claim, over);
      return;
    }
    if ((await readOwner(right))?.token === holder.token) {
      await remove(claimOf(this.#file, holder.token));
      await remove(right);
    }
    await remove(over);
  }

  /** What the owner before could still have renamed, and the right that it may have died with. */
  async #clearAfter(owner: LockOwner | undefined): Promise<void> {
    if (owner !== undefined && !owner.isFree) {
      await remove(scratchOf(this.#file, owner.token));
      await remove(this.#rightAfter(owner.after ?? "nobody"));
    }
  }

  /** Once: removes private files that killed processes have left. Their names are never used again. */
  async #tidy(): Promise<void> {
    if (this.#isTidy) {
      return;
    }
    this.#isTidy = true;
    const folder = dirname(this.#file);
    const prefix = `${basename(this.#file)}.`;
    for (const name of await readdir(folder)) {
      if (name.startsWith(prefix) && !name.startsWith(`${prefix}after.`)) {
        const file = join(folder, name);
        const found = await stat(file).catch(ignoreMissing);
        if (found !== undefined && this.#clock.now() - found.mtimeMs > leftoverMs) {
          await remove(file);
        }
      }
    }
  }

  #rightAfter(token: string): string {
    return `${this.#file}.after.${token}`;
  }
}

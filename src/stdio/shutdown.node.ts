/**
 * The ladder that ends a server's process: close its input and wait, ask it to terminate and wait, kill it. Every rung
 * is about the whole tree. Specification: Basic > Lifecycle > Shutdown > stdio.
 */
import { type Clock, holdingClock, sleep } from "../base/timer.ts";
import type { ProcessTree } from "./process-tree.node.ts";

/** How long each rung waits, in milliseconds. */
export interface ShutdownLimits {
  /** After the input was closed. */
  readonly stdinTimeoutMs: number;
  /** After the processes were asked to terminate. Not used on Windows, where they cannot be asked. */
  readonly termTimeoutMs: number;
  /** After they were killed. */
  readonly killTimeoutMs: number;
}

/** What is to be ended. */
export interface ShutdownTarget {
  readonly tree: ProcessTree;
  /** Resolves when the first process of the tree has exited. */
  readonly exited: Promise<unknown>;
  /** Closes its input. */
  endInput(): void;
}

/** The rung on which it ended; `surviving` when even the last did not help. */
export type ShutdownOutcome = "ended" | "terminated" | "killed" | "surviving";

/** The end of processes that are not our children is announced by nobody. */
const pollMs = 20;

/** Ends a tree of processes, as politely as it lets itself be ended. */
export async function shutDown(
  target: ShutdownTarget,
  limits: ShutdownLimits,
  clock: Clock = holdingClock,
): Promise<ShutdownOutcome> {
  target.endInput();
  if (await isGoneWithin(target, limits.stdinTimeoutMs, clock)) {
    return "ended";
  }
  if (target.tree.canTerminate) {
    target.tree.terminate();
    if (await isGoneWithin(target, limits.termTimeoutMs, clock)) {
      return "terminated";
    }
  }
  target.tree.kill();
  return (await isGoneWithin(target, limits.killTimeoutMs, clock)) ? "killed" : "surviving";
}

async function isGoneWithin({ exited, tree }: ShutdownTarget, timeoutMs: number, clock: Clock): Promise<boolean> {
  const deadline = clock.now() + timeoutMs;
  await settledWithin(exited, timeoutMs, clock);
  while (tree.isAlive()) {
    const left = deadline - clock.now();
    if (left <= 0) {
      return false;
    }
    await sleep(clock, Math.min(pollMs, left));
  }
  return true;
}

/** Waits for a promise, but not longer than that. */
export function settledWithin(promise: Promise<unknown>, timeoutMs: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(timeoutMs, resolve);
    const done = (): void => {
      cancel();
      resolve();
    };
    promise.then(done, done);
  });
}

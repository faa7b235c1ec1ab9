/** How long tasks are kept and how many there may be. Specification: Basic > Utilities > Tasks > Security Considerations. */
import { UsageError } from "../base/error.ts";

/** Limits of tasks [TASK-053]. */
export interface TaskLimits {
  /** How long a task is kept that says nothing else, in milliseconds from its creation. Default 3 600 000, an hour. */
  ttlMs?: number | undefined;
  /** The longest a requestor or a tool may have a task kept, in milliseconds; `Infinity` for any time. Default 86 400 000, a day. */
  maxTtlMs?: number | undefined;
  /** How often a requestor should ask for a task that says nothing else, in milliseconds. Default 1 000. */
  pollIntervalMs?: number | undefined;
  /** Tasks that a requestor may have unfinished at once; ten times as many in a process for all who are not identified. Default 100. */
  maxUnfinished?: number | undefined;
  /** Tasks that are kept for a requestor, finished ones included; ten times as many for all who are not identified. Default 1 000. */
  maxKept?: number | undefined;
  /** How many times work that can be resumed is begun, before a task counts as what brings processes down. Default 5. */
  maxRuns?: number | undefined;
}

/** The limits with every question answered. */
export type ResolvedTaskLimits = { readonly [Name in keyof TaskLimits]-?: number };

/** How much more those who are counted together may have than one requestor. */
export const unidentifiedFactor = 10;

/**
 * The limits with their defaults.
 *
 * @throws UsageError for what is no number above zero
 */
export function resolveTaskLimits(limits: TaskLimits = {}): ResolvedTaskLimits {
  const resolved = {
    ttlMs: limits.ttlMs ?? 3_600_000,
    maxTtlMs: limits.maxTtlMs ?? 86_400_000,
    pollIntervalMs: limits.pollIntervalMs ?? 1_000,
    maxUnfinished: limits.maxUnfinished ?? 100,
    maxKept: limits.maxKept ?? 1_000,
    maxRuns: limits.maxRuns ?? 5,
  };
  for (const [name, value] of Object.entries(resolved)) {
    if (!(value > 0) || (Number.isFinite(value) && !Number.isInteger(value))) {
      throw new UsageError(`tasks.${name}: expected a whole number above 0, got ${value}`);
    }
  }
  return resolved;
}

/**
 * How long a task is kept: what was asked for, at most what is allowed [TASK-041].
 *
 * @returns milliseconds, or `null` for ever
 */
export function toTtl(asked: number | undefined, { ttlMs, maxTtlMs }: ResolvedTaskLimits): number | null {
  const wanted = Math.min(asked === undefined || asked <= 0 ? ttlMs : asked, maxTtlMs);
  return Number.isFinite(wanted) ? Math.ceil(wanted) : null;
}

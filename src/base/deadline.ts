/**
 * Two limits on one wait: an idle limit that starts again whenever something is heard, and a total that does not.
 *
 * Moving the idle limit is cheap: it notes the time, and the timer looks at the note when it fires.
 */
import { TimeoutError } from "./error.ts";
import type { Clock } from "./timer.ts";

/** What bounds a wait. `Infinity` switches a limit off. */
export interface DeadlineLimits {
  /** Longest silence, in milliseconds. */
  idleTimeoutMs: number;
  /** Longest wait altogether, in milliseconds. */
  totalTimeoutMs: number;
}

/** A running deadline. */
export interface Deadline {
  /** Something was heard: the idle limit starts again. */
  touch(): void;
  /** The clock stands still until the returned function is called, as while a person is being asked. */
  pause(): () => void;
  /** Ends the wait. No timer is left. */
  clear(): void;
}

/**
 * Starts the clock. `onExpired` is called at most once.
 *
 * @param what - what is waited for, as the error message names it
 */
export function startDeadline(
  clock: Clock,
  limits: DeadlineLimits,
  what: string,
  onExpired: (error: TimeoutError) => void,
): Deadline {
  const start = clock.now();
  let idleFrom = start;
  let touches = 0;
  let pausedMs = 0;
  let pauses = 0;
  let pausedAt = 0;
  let cancel: (() => void) | undefined;

  const expire = (limit: "idle" | "total"): void => {
    const timeoutMs = limit === "idle" ? limits.idleTimeoutMs : limits.totalTimeoutMs;
    const rule = limit === "idle" ? `no answer and no progress for ${timeoutMs} ms` : `no answer after ${timeoutMs} ms`;
    onExpired(
      new TimeoutError(`${what}: ${rule} (${limit} limit, ${touches} progress notifications)`, {
        limit,
        timeoutMs,
        progressCount: touches,
      }),
    );
  };
  const schedule = (): void => {
    const now = clock.now();
    const idleLeft = idleFrom + limits.idleTimeoutMs - now;
    const totalLeft = start + pausedMs + limits.totalTimeoutMs - now;
    if (totalLeft <= 0) {
      expire("total");
    } else if (idleLeft <= 0) {
      expire("idle");
    } else if (Math.min(idleLeft, totalLeft) !== Number.POSITIVE_INFINITY) {
      cancel = clock.after(Math.min(idleLeft, totalLeft), schedule);
    }
  };
  schedule();
  return {
    touch: () => {
      touches += 1;
      idleFrom = clock.now();
    },
    pause: () => {
      pauses += 1;
      if (pauses === 1) {
        pausedAt = clock.now();
        cancel?.();
      }
      let done = false;
      return () => {
        if (done) {
          return;
        }
        done = true;
        pauses -= 1;
        if (pauses === 0) {
          pausedMs += clock.now() - pausedAt;
          idleFrom = clock.now();
          schedule();
        }
      };
    },
    clear: () => {
      pauses = Number.POSITIVE_INFINITY;
      cancel?.();
    },
  };
}

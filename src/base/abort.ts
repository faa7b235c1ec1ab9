/**
 * Abort signals: linking several into one, waiting on one, each with a clean-up that removes its listeners, and telling
 * their effect from a fault.
 *
 * `AbortSignal.any` and `AbortSignal.timeout` are avoided on purpose: the former keeps dependants alive on
 * long-lived signals, the latter cannot be taken back.
 */

/** A signal that follows others, and the way to stop following. */
export interface LinkedSignal {
  readonly signal: AbortSignal;
  /** Aborts this signal alone. */
  abort(reason: unknown): void;
  /** Stops following. Call when the work is done, or listeners pile up on long-lived signals. */
  release(): void;
}

/**
 * A signal that aborts when any of the given ones does, with the same reason.
 *
 * @param sources - signals to follow; `undefined` entries are skipped
 */
export function linkSignals(...sources: readonly (AbortSignal | undefined)[]): LinkedSignal {
  const controller = new AbortController();
  const releases: (() => void)[] = [];
  const release = (): void => {
    for (const stop of releases.splice(0)) {
      stop();
    }
  };
  for (const source of sources) {
    if (source !== undefined) {
      releases.push(
        onAbort(source, (reason) => {
          release();
          controller.abort(reason);
        }),
      );
    }
  }
  return {
    signal: controller.signal,
    abort: (reason) => {
      release();
      controller.abort(reason);
    },
    release,
  };
}

/**
 * Runs a listener once when the signal aborts, at once if it already has.
 *
 * @returns removes the listener
 */
export function onAbort(signal: AbortSignal, listener: (reason: unknown) => void): () => void {
  if (signal.aborted) {
    listener(signal.reason);
    return nothingToRemove;
  }
  const handle = (): void => listener(signal.reason);
  const listeners = listenersOf(signal);
  listeners.add(handle);
  return () => {
    listeners.delete(handle);
    if (listeners.size === 0) {
      forget(signal, listeners);
    }
  };
}

/** Listeners by signal, in order: a signal has one of ours at a time, however much work follows it. */
const followed = /* @__PURE__ */ new WeakMap<AbortSignal, Listeners>();

/** Whatever is to run when one signal aborts. */
class Listeners extends Set<() => void> {
  /** What the signal calls. One that throws does not keep the rest from running. */
  readonly handleEvent = (): void => {
    for (const listener of this) {
      try {
        listener();
      } catch (fault) {
        queueMicrotask(() => {
          throw fault;
        });
      }
    }
  };
}

function listenersOf(signal: AbortSignal): Listeners {
  const known = followed.get(signal);
  if (known !== undefined) {
    return known;
  }
  const listeners = new Listeners();
  followed.set(signal, listeners);
  signal.addEventListener("abort", listeners.handleEvent, { once: true });
  return listeners;
}

function forget(signal: AbortSignal, listeners: Listeners): void {
  signal.removeEventListener("abort", listeners.handleEvent);
  if (followed.get(signal) === listeners) {
    followed.delete(signal);
  }
}

function nothingToRemove(): void {
  // The listener has run, so there is none any more.
}

/**
 * Whether something was thrown because the signal aborted: its reason, an error that has it as its cause, or the
 * `AbortError` that platforms make of it.
 */
export function isAbortOf(signal: AbortSignal, error: unknown): boolean {
  if (!signal.aborted) {
    return false;
  }
  return (
    error === signal.reason ||
    (error instanceof Error && (error.name === "AbortError" || error.cause === signal.reason))
  );
}

/**
 * The promise's outcome, or the signal's reason when that comes first. The promise itself goes on.
 *
 * @throws the signal's reason, untouched
 */
export function raceAbort<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) {
    return promise;
  }
  return new Promise<T>((resolve, reject) => {
    const release = onAbort(signal, reject);
    promise.then(
      (value) => {
        release();
        resolve(value);
      },
      (error: unknown) => {
        release();
        reject(error);
      },
    );
  });
}

/** Values that may be there already: going on without a turn of the event loop where nothing has to be waited for. */

/** A value, or a promise of it where the work is not done at once. */
export type MaybePromise<T> = T | Promise<T>;

/** Whether a value has to be waited for. */
export function isPromise<T>(value: MaybePromise<T>): value is Promise<T> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}

/** Calls `next` with the value: at once where it is there, else when it comes. */
export function whenDone<T, R>(value: MaybePromise<T>, next: (value: T) => MaybePromise<R>): MaybePromise<R> {
  // A handler may give anything that can be waited for, and its `then` need not give a promise.
  return isPromise(value) ? Promise.resolve(value).then(next) : next(value);
}

/** Runs `work`, and `recover` with what it throws, now or later. */
export function attempt<T>(work: () => MaybePromise<T>, recover: (error: unknown) => MaybePromise<T>): MaybePromise<T> {
  try {
    const value = work();
    return isPromise(value) ? Promise.resolve(value).then(undefined, recover) : value;
  } catch (error) {
    return recover(error);
  }
}

/**
 * Typed listeners for many listeners per event. Single hooks are `onX` options instead.
 *
 * A listener that throws neither stops the others nor the emitter: the fault goes to `onError`.
 */

/** Removes a listener. Calling it again does nothing. */
export type Unsubscribe = () => void;

/** Events by name. */
export class Emitter<Events extends object> {
  readonly #listeners = new Map<keyof Events, Set<(event: never) => void>>();
  readonly #onError: (error: unknown, name: keyof Events) => void;

  /** @param onError - told what a listener threw, and at which event */
  constructor(onError: (error: unknown, name: keyof Events) => void) {
    this.#onError = onError;
  }

  /** Adds a listener. */
  on<K extends keyof Events>(name: K, listener: (event: Events[K]) => void): Unsubscribe {
    let set = this.#listeners.get(name);
    if (set === undefined) {
      set = new Set();
      this.#listeners.set(name, set);
    }
    // One entry per call, so that the same function added twice is removed once at a time.
    const entry = (event: Events[K]): void => listener(event);
    set.add(entry);
    return () => {
      set.delete(entry);
    };
  }

  /** Calls every listener in the order they were added. @returns whether there was any */
  emit<K extends keyof Events>(name: K, event: Events[K]): boolean {
    const listeners = [...(this.#listeners.get(name) ?? [])];
    for (const listener of listeners) {
      try {
        (listener as (event: Events[K]) => void)(event);
      } catch (error) {
        this.#onError(error, name);
      }
    }
    return listeners.length > 0;
  }
}

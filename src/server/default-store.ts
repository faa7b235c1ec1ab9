/**
 * The store of a definition that was given none: in memory, until whoever serves the definition gives one.
 *
 * It is one object for all who hold it, so that edges and parts that were made before find what was given later.
 */
import { UsageError } from "../base/error.ts";
import type { Clock } from "../base/timer.ts";
import type { Store } from "../store/contracts.ts";
import { JoinedStore, type StoreParts } from "../store/joined-store.ts";
import { createMemoryStore } from "../store/memory.ts";

/** See the head of this file. */
export class DefaultStore extends JoinedStore {
  readonly #clock: Clock;
  #memory: Store | undefined;
  #given: Store | undefined;

  constructor(clock: Clock) {
    super();
    this.#clock = clock;
  }

  /** What was given; `undefined` while everything stays in this process. */
  get given(): Store | undefined {
    return this.#given;
  }

  /** Whether anything may be in it, or anybody listen. */
  get isUsed(): boolean {
    return (this.#given ?? this.#memory) !== undefined;
  }

  /**
   * Has everything go to a store from now on. The same one again changes nothing.
   *
   * @throws UsageError where there is another already
   */
  replace(store: Store): void {
    if (this.isUsed && this.#given !== store) {
      const why = this.#given === undefined ? "has kept something in its own memory already" : "was given one before";
      throw new UsageError(`useStore: the server ${why}; give it its store before it serves anybody, and once`);
    }
    this.#given = store;
  }

  /** What was given belongs to whoever gave it, and stays open. */
  async close(): Promise<void> {
    await this.#memory?.close();
  }

  protected get parts(): StoreParts {
    const store = this.#given ?? this.#useMemory();
    return { values: store, log: store, bus: store };
  }

  #useMemory(): Store {
    this.#memory ??= createMemoryStore({ clock: this.#clock });
    return this.#memory;
  }
}

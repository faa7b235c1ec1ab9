/** The client's roots as last heard, until it says that they changed, to whichever node. */
import type { Root } from "../../protocol/types/roots.ts";

/** See the head of this file. One per session. */
export class RootsCache {
  readonly #countChanges: () => number;
  #kept: { readonly answer: Promise<readonly Root[]>; readonly changes: number } | undefined;

  /** @param countChanges - how often the client has said that they changed */
  constructor(countChanges: () => number) {
    this.#countChanges = countChanges;
  }

  get answer(): Promise<readonly Root[]> | undefined {
    return this.#kept?.changes === this.#countChanges() ? this.#kept.answer : undefined;
  }

  set answer(answer: Promise<readonly Root[]> | undefined) {
    this.#kept = answer && { answer, changes: this.#countChanges() };
  }
}

// The state of one validation: what is left of its bounds, and its dynamic scope. Not the verdict and
// not the annotations, which travel as return values and arguments.

import type { ResolvedBounds } from "./bounds.ts";
import type { Resource } from "./node.ts";

/** Thrown inside a validation whose limit is reached; caught by the compiled schema, never seen outside. */
export class BoundReached extends Error {
  override readonly name = "BoundReached";
}

/** The state of one validation. A compiled schema owns one and resets it, so that checking allocates nothing. */
export class Run {
  /** The schema resources entered to get here, outermost first: the dynamic scope. */
  readonly scope: Resource[];
  readonly #bounds: ResolvedBounds;
  #steps = 0;
  #depth = 0;

  constructor(bounds: ResolvedBounds, root: Resource) {
    this.#bounds = bounds;
    this.scope = [root];
  }

  /** Makes it as new. */
  reset(): void {
    this.#steps = this.#bounds.maxSteps;
    this.#depth = this.#bounds.maxEvaluationDepth;
    this.scope.length = 1;
  }

  /** Pays for `count` subschema applications about to be made. */
  charge(count: number): void {
    this.#steps -= count;
    if (this.#steps < 0) throw new BoundReached(`takes more than ${this.#bounds.maxSteps} steps to check`);
  }

  /** Goes down `levels`; every call is paired with `ascend` unless something throws. */
  descend(levels: number): void {
    this.#depth -= levels;
    if (this.#depth < 0)
      throw new BoundReached(`nests deeper than ${this.#bounds.maxEvaluationDepth} levels of its schema`);
  }

  /** Comes back up. */
  ascend(levels: number): void {
    this.#depth += levels;
  }
}

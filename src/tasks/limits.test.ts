import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { resolveTaskLimits, toTtl } from "./limits.ts";

describe("resolveTaskLimits", () => {
  it("refuses what is no number above zero", () => {
    for (const value of [0, -1, 1.5, Number.NaN]) {
      assert.throws(
        () => resolveTaskLimits({ maxKept: value }),
        /^UsageError: tasks\.maxKept: expected a whole number|maxKept/,
      );
    }
    assert.equal(resolveTaskLimits({ maxTtlMs: Number.POSITIVE_INFINITY }).maxTtlMs, Number.POSITIVE_INFINITY);
  });
});

describe("toTtl", () => {
  it("gives what is asked for, up to the limit, in whole milliseconds [TASK-041] [TASK-053]", () => {
    const limits = resolveTaskLimits({ ttlMs: 1_000, maxTtlMs: 5_000 });
    const cases = [
      [undefined, 1_000],
      [2_000, 2_000],
      [1.5, 2],
      [9_000, 5_000],
      [0, 1_000],
      [-5, 1_000],
      [Number.POSITIVE_INFINITY, 5_000],
    ] as const;
    for (const [asked, ttl] of cases) {
      assert.equal(toTtl(asked, limits), ttl, String(asked));
    }
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { backoffDelay } from "./backoff.ts";

describe("backoffDelay", () => {
  it("doubles from attempt to attempt up to the cap", () => {
    const delays = [1, 2, 3, 10].map((attempt) => backoffDelay(attempt, { random: () => 1, maxDelayMs: 3_000 }));
    assert.deepEqual(delays, [500, 1_000, 2_000, 3_000]);
  });

  it("takes up to half of the delay away at random", () => {
    assert.equal(backoffDelay(1, { random: () => 0 }), 250);
    assert.equal(backoffDelay(1, { random: () => 0.5 }), 375);
  });
});

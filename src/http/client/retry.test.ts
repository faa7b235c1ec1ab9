import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { retryDelay } from "./retry.ts";

const policy = { maxRetries: 2, maxDelayMs: 10_000, random: () => 1 };

describe("retryDelay", () => {
  it("waits as asked, and on its own terms after a 429 that names no time [PP-041]", () => {
    assert.equal(retryDelay(policy, 429, 4_000, 1), 4_000);
    assert.equal(retryDelay(policy, 503, 0, 1), 0);
    assert.equal(retryDelay(policy, 429, undefined, 1), 500);
    assert.equal(retryDelay(policy, 429, undefined, 2), 1_000);
  });

  it("sends nothing again that may have been done, too late, or too often [PP-041]", () => {
    assert.equal(retryDelay(policy, 503, undefined, 1), undefined);
    assert.equal(retryDelay(policy, 500, 1_000, 1), undefined);
    assert.equal(retryDelay(policy, 429, 10_001, 1), undefined);
    assert.equal(retryDelay(policy, 429, 1, 3), undefined);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createFakeClock } from "../../test/clock.ts";
import { createRateLimit } from "./rate-limit.ts";

describe("createRateLimit", () => {
  it("allows a burst, then one at a time as the bucket fills, and never more than the burst", async () => {
    const clock = createFakeClock();
    const limit = createRateLimit({ maxRequests: 2, perMs: 1_000 }, clock);
    assert.deepEqual([limit.take(), limit.take(), limit.take()], [true, true, false]);
    await clock.advance(499);
    assert.equal(limit.take(), false);
    await clock.advance(1);
    assert.deepEqual([limit.take(), limit.take()], [true, false]);
    await clock.advance(60_000);
    assert.deepEqual([limit.take(), limit.take(), limit.take()], [true, true, false]);
  });
});

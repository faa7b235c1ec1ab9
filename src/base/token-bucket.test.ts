import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createFakeClock } from "../test/clock.ts";
import { TokenBucket } from "./token-bucket.ts";

describe("TokenBucket", () => {
  it("gives so many at once, refills with time, never above its size", async () => {
    const clock = createFakeClock();
    const bucket = new TokenBucket(3, 10, clock.now);
    assert.deepEqual([bucket.take(), bucket.take(), bucket.take(), bucket.take()], [true, true, true, false]);
    assert.equal(bucket.waitMs, 100);
    await clock.advance(100);
    assert.equal(bucket.waitMs, 0);
    assert.deepEqual([bucket.take(), bucket.take()], [true, false]);
    await clock.advance(60_000);
    assert.deepEqual([bucket.take(), bucket.take(), bucket.take(), bucket.take()], [true, true, true, false]);
  });
});

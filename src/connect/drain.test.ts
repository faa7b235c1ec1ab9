import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createFakeClock } from "../test/clock.ts";
import { drain } from "./drain.ts";

describe("drain", () => {
  it("resolves at once where nothing is in progress", async () => {
    const clock = createFakeClock();
    assert.equal(await drain(() => 0, 1_000, clock), 0);
    assert.equal(clock.pendingTimers, 0);
  });

  it("resolves soon after the last call has ended, and leaves no timer", async () => {
    const clock = createFakeClock();
    let open = 2;
    const drained = drain(() => open, 1_000, clock);
    await clock.advance(500);
    open = 0;
    await clock.advance(20);
    assert.equal(await drained, 0);
    assert.equal(clock.pendingTimers, 0);
  });

  it("gives up at its limit, not after it, and says how many were left", async () => {
    const clock = createFakeClock();
    const drained = drain(() => 3, 50, clock);
    await clock.advance(50);
    assert.equal(await drained, 3);
    assert.equal(await drain(() => 3, 0, clock), 3);
    assert.equal(clock.pendingTimers, 0);
  });
});

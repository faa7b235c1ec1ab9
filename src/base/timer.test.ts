import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createFakeClock } from "../test/clock.ts";
import { sleep, systemClock } from "./timer.ts";

describe("sleep", () => {
  it("resolves after the delay", async () => {
    const clock = createFakeClock();
    let done = false;
    const slept = sleep(clock, 100).then(() => {
      done = true;
    });
    await clock.advance(99);
    assert.equal(done, false);
    await clock.advance(1);
    await slept;
    assert.equal(done, true);
  });

  it("rejects with the signal's reason and leaves no timer", async () => {
    const clock = createFakeClock();
    const controller = new AbortController();
    const slept = sleep(clock, 100, controller.signal);
    controller.abort("enough");
    await assert.rejects(slept, (reason) => reason === "enough");
    await assert.rejects(sleep(clock, 100, controller.signal), (reason) => reason === "enough");
    assert.equal(clock.pendingTimers, 0);
  });
});

describe("systemClock", () => {
  it("tells the time and takes a timer back", () => {
    assert.ok(Math.abs(systemClock.now() - Date.now()) < 1_000);
    systemClock.after(0, () => assert.fail("the timer was taken back"))();
  });
});

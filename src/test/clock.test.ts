import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sleep } from "../base/timer.ts";
import { createFakeClock } from "./clock.ts";

describe("createFakeClock", () => {
  it("runs what is due in the order of its time, and nothing else", async () => {
    const clock = createFakeClock();
    const order: string[] = [];
    void sleep(clock, 20).then(() => order.push("late"));
    void sleep(clock, 10).then(() => order.push("early"));
    clock.after(30, () => order.push("never"));
    await clock.advance(20);
    assert.deepEqual(order, ["early", "late"]);
    assert.equal(clock.pendingTimers, 1);
  });

  it("stands at the time of a timer while that runs, and runs what it sets within the same step", async () => {
    const clock = createFakeClock(1_000);
    const times: number[] = [];
    clock.after(10, () => {
      times.push(clock.now());
      clock.after(5, () => times.push(clock.now()));
    });
    await clock.advance(20);
    assert.deepEqual(times, [1_010, 1_015]);
    assert.equal(clock.now(), 1_020);
  });

  it("forgets a timer that was cancelled", async () => {
    const clock = createFakeClock();
    const cancel = clock.after(10, () => assert.fail("expected the timer not to run"));
    cancel();
    await clock.advance(20);
    assert.equal(clock.pendingTimers, 0);
  });
});

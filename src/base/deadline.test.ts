import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createFakeClock } from "../test/clock.ts";
import { startDeadline } from "./deadline.ts";
import type { TimeoutError } from "./error.ts";

function start(idleTimeoutMs: number, totalTimeoutMs: number) {
  const clock = createFakeClock();
  const errors: TimeoutError[] = [];
  const deadline = startDeadline(clock, { idleTimeoutMs, totalTimeoutMs }, "tools/call", (error) => errors.push(error));
  return { clock, deadline, errors };
}

describe("startDeadline", () => {
  it("fires the idle limit after silence, naming what was waited for", async () => {
    const { clock, errors } = start(100, 1_000);
    await clock.advance(99);
    assert.equal(errors.length, 0);
    await clock.advance(1);
    assert.equal(errors[0]?.limit, "idle");
    assert.equal(errors[0]?.timeoutMs, 100);
    assert.match(errors[0]?.message ?? "", /tools\/call.*100 ms/);
  });

  it("starts the idle limit anew on every touch, and still fires the total", async () => {
    const { clock, deadline, errors } = start(100, 250);
    for (let step = 0; step < 4; step += 1) {
      await clock.advance(60);
      deadline.touch();
    }
    assert.equal(errors.length, 0);
    await clock.advance(10);
    assert.equal(errors[0]?.limit, "total");
    assert.equal(errors[0]?.progressCount, 4);
  });

  it("stands still while paused, also when paused twice", async () => {
    const { clock, deadline, errors } = start(100, 250);
    await clock.advance(50);
    const resumes = [deadline.pause(), deadline.pause()];
    await clock.advance(10_000);
    resumes[0]?.();
    resumes[0]?.();
    await clock.advance(10_000);
    assert.equal(errors.length, 0);
    resumes[1]?.();
    await clock.advance(99);
    assert.equal(errors.length, 0);
    await clock.advance(1);
    assert.equal(errors[0]?.limit, "idle");
  });

  it("never fires after clear and leaves no timer, also when a pause ends later", async () => {
    const { clock, deadline, errors } = start(100, 250);
    const resume = deadline.pause();
    deadline.clear();
    resume();
    assert.equal(clock.pendingTimers, 0);
    await clock.advance(1_000);
    assert.equal(errors.length, 0);
  });

  it("sets no timer where both limits are off", () => {
    assert.equal(start(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY).clock.pendingTimers, 0);
  });
});

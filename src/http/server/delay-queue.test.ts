import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createFakeClock, type FakeClock } from "../../test/clock.ts";
import { DelayQueue } from "./delay-queue.ts";

function createQueue(delayMs: number, clock: FakeClock, due: string[]) {
  return new DelayQueue<{ name: string; dueAt: number }>(clock, delayMs, (entry) =>
    due.push(`${entry.name}@${clock.now()}`),
  );
}

describe("DelayQueue", () => {
  it("gives each entry out once, in order, when its own wait is over", async () => {
    const clock = createFakeClock();
    const due: string[] = [];
    const queue = createQueue(100, clock, due);
    queue.add({ name: "a", dueAt: 0 });
    await clock.advance(60);
    queue.add({ name: "b", dueAt: 0 });
    assert.equal(clock.pendingTimers, 1);
    await clock.advance(40);
    assert.deepEqual(due, ["a@100"]);
    await clock.advance(60);
    assert.deepEqual(due, ["a@100", "b@160"]);
    assert.deepEqual([queue.size, clock.pendingTimers], [0, 0]);
  });

  it("starts the wait anew for an entry that is added again, and forgets one that is deleted", async () => {
    const clock = createFakeClock();
    const due: string[] = [];
    const queue = createQueue(100, clock, due);
    const [a, b] = [
      { name: "a", dueAt: 0 },
      { name: "b", dueAt: 0 },
    ] as const;
    queue.add(a);
    queue.add(b);
    await clock.advance(50);
    queue.add(a);
    assert.equal(queue.delete(b), true);
    assert.equal(queue.delete(b), false);
    await clock.advance(50);
    assert.deepEqual(due, []);
    await clock.advance(50);
    assert.deepEqual(due, ["a@150"]);
  });

  it("keeps an earlier entry on time when a due one is added again", async () => {
    const clock = createFakeClock();
    const times: string[] = [];
    const queue: DelayQueue<{ name: string; dueAt: number }> = new DelayQueue(clock, 100, (entry) => {
      times.push(`${entry.name}@${clock.now()}`);
      if (times.length < 4) {
        queue.add(entry);
      }
    });
    queue.add({ name: "a", dueAt: 0 });
    await clock.advance(30);
    queue.add({ name: "b", dueAt: 0 });
    await clock.advance(70);
    await clock.advance(30);
    await clock.advance(70);
    assert.deepEqual(times, ["a@100", "b@130", "a@200"]);
    queue.clear();
    assert.equal(clock.pendingTimers, 0);
  });

  it("lets nobody wait longer where the clock is put back", async () => {
    const time = createFakeClock(10_000);
    let backMs = 0;
    const clock = { ...time, now: () => time.now() - backMs };
    const due: string[] = [];
    const queue = createQueue(100, clock, due);
    queue.add({ name: "a", dueAt: 0 });
    backMs = 5_000;
    await time.advance(50);
    queue.add({ name: "b", dueAt: 0 });
    await time.advance(50);
    assert.deepEqual(due, ["a@5100"]);
    await time.advance(50);
    assert.deepEqual(due, ["a@5100", "b@5150"]);
    assert.equal(time.pendingTimers, 0);
  });

  it("sets no timer for an endless wait", () => {
    const clock = createFakeClock();
    createQueue(Number.POSITIVE_INFINITY, clock, []).add({ name: "a", dueAt: 0 });
    assert.equal(clock.pendingTimers, 0);
  });
});

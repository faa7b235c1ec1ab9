import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createFakeClock } from "../test/clock.ts";
import { type Due, DueQueue } from "./due-queue.ts";

function prepare() {
  const clock = createFakeClock(1_000);
  const due: string[] = [];
  return { clock, due, queue: new DueQueue<string>(clock, (item) => due.push(item)) };
}

/** Numbers that look random and are the same in every run. */
function* scatter(count: number, below: number): Generator<number> {
  let seed = 7;
  for (let index = 0; index < count; index += 1) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield seed % below;
  }
}

describe("DueQueue", () => {
  it("hands over what is due, earliest first, when it is run", async () => {
    const { clock, due, queue } = prepare();
    for (const [item, atMs] of Object.entries({ c: 1_030, a: 1_010, d: 1_040, b: 1_020 })) {
      queue.add(item, atMs);
    }
    queue.run();
    assert.deepEqual(due, []);
    await clock.advance(30);
    queue.run();
    assert.deepEqual(due, ["a", "b", "c"]);
    await clock.advance(10);
    queue.run();
    assert.deepEqual(due, ["a", "b", "c", "d"]);
  });

  it("hands over what is due by itself, a little later, with one timer for all of it [PP-002]", async () => {
    const { clock, due, queue } = prepare();
    for (const number of scatter(1_000, 60_000)) {
      queue.add(String(number), 1_000 + number);
      assert.equal(clock.pendingTimers, 1);
    }
    await clock.advance(30_000);
    assert.ok(due.every((item) => Number(item) <= 30_000));
    assert.deepEqual(
      due,
      [...scatter(1_000, 60_000)]
        .sort((one, two) => one - two)
        .map(String)
        .slice(0, due.length),
    );
    await clock.advance(31_000);
    assert.deepEqual([due.length, clock.pendingTimers], [1_000, 0]);
  });

  it("comes at most once a second, however much falls due", async () => {
    const clock = createFakeClock();
    let timers = 0;
    const counting = {
      now: () => clock.now(),
      after: (delayMs: number, callback: () => void) => {
        timers += 1;
        return clock.after(delayMs, callback);
      },
    };
    const queue = new DueQueue<number>(counting, () => undefined);
    for (let atMs = 1; atMs <= 10_000; atMs += 1) {
      queue.add(atMs, atMs);
    }
    await clock.advance(12_000);
    assert.ok(timers <= 12, `${timers} timers`);
    assert.equal(clock.pendingTimers, 0);
  });

  it("forgets what is removed, and has no timer once nothing waits", async () => {
    const { clock, due, queue } = prepare();
    const waiting: Due<string>[] = [];
    for (const number of scatter(500, 5_000)) {
      waiting.push(queue.add(String(number), 1_000 + number));
    }
    const removed = waiting.filter((_, index) => index % 3 !== 0);
    for (const each of removed) {
      queue.remove(each);
      queue.remove(each);
    }
    const kept = waiting.filter((each) => !removed.includes(each));
    await clock.advance(6_000);
    assert.deepEqual(
      due.map(Number),
      kept.map(({ atMs }) => atMs - 1_000).sort((one, two) => one - two),
    );
    queue.remove(queue.add("last", 9_000));
    assert.equal(clock.pendingTimers, 0);
    queue.add("x", 9_000);
    queue.clear();
    assert.equal(clock.pendingTimers, 0);
  });

  it("keeps its order while things are added and removed anywhere", async () => {
    const { clock, due, queue } = prepare();
    const waiting: Due<string>[] = [];
    const numbers = scatter(6_000, 1_000_000);
    const next = (below: number): number => (numbers.next().value ?? 0) % below;
    for (let round = 0; round < 500; round += 1) {
      for (let added = 0; added < 3; added += 1) {
        const atMs = clock.now() + 1 + next(200);
        waiting.push(queue.add(String(atMs), atMs));
      }
      for (const removed of waiting.splice(next(waiting.length), 1)) {
        queue.remove(removed);
      }
      await clock.advance(1);
      due.length = 0;
      queue.run();
      const expected = waiting.filter(({ atMs }) => atMs <= clock.now());
      assert.deepEqual(
        due,
        expected.map(({ item }) => item),
      );
      waiting.splice(0, waiting.length, ...waiting.filter((each) => !expected.includes(each)));
    }
  });

  it("hands over by itself what was added late and is due early", async () => {
    const { clock, due, queue } = prepare();
    queue.add("late", 100_000);
    queue.add("early", 1_100);
    await clock.advance(1_100);
    assert.deepEqual([due, clock.pendingTimers], [["early"], 1]);
  });

  it("lets what was due be added again", async () => {
    const clock = createFakeClock();
    const times: number[] = [];
    const queue: DueQueue<string> = new DueQueue(clock, (item) => {
      times.push(clock.now());
      if (times.length < 3) {
        queue.add(item, clock.now() + 100);
      }
    });
    queue.add("again", 100);
    await clock.advance(10_000);
    assert.deepEqual(times, [1_100, 2_200, 3_300]);
    assert.equal(clock.pendingTimers, 0);
  });

  it("plans anew where a timer comes too early, as timers of more than 24 days do", async () => {
    const clock = createFakeClock();
    const month = 30 * 86_400_000;
    const hasty = {
      now: () => clock.now(),
      after: (delayMs: number, callback: () => void) => clock.after(Math.min(delayMs, 2_147_483_647), callback),
    };
    const due: string[] = [];
    new DueQueue<string>(hasty, (item) => due.push(item)).add("late", month);
    await clock.advance(month - 1);
    assert.deepEqual(due, []);
    await clock.advance(1_001);
    assert.deepEqual([due, clock.pendingTimers], [["late"], 0]);
  });
});

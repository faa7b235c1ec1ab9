import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createDeferred } from "../../../base/deferred.ts";
import { Flight, type Turn } from "./flight.ts";

function createFlight(isBackground = false) {
  const done = createDeferred<string>();
  let turn: Turn | undefined;
  const flight = new Flight<string>({
    key: "key",
    isBackground,
    work: (given) => {
      turn = given;
      return done.promise;
    },
  });
  return { flight, done, turn: () => turn as Turn };
}

/** A waiter that counts how often its clock is stopped and runs again. */
function createWaiter() {
  const abort = new AbortController();
  const clock = { stopped: 0, resumed: 0 };
  const hold = (): (() => void) => {
    clock.stopped += 1;
    return () => {
      clock.resumed += 1;
    };
  };
  return { waiter: { signal: abort.signal, hold }, abort, clock };
}

describe("Flight", () => {
  it("gives all who wait the same outcome [PP-089]", async () => {
    const { flight, done } = createFlight();
    const waits = [flight.join({}), flight.join({})];
    done.resolve("done");
    assert.deepEqual(await Promise.all(waits), ["done", "done"]);
  });

  it("rejects all who wait once when the work fails [PP-089]", async () => {
    const { flight, done } = createFlight();
    const waits = Promise.allSettled([flight.join({}), flight.join({})]);
    const fault = new Error("no");
    done.reject(fault);
    assert.deepEqual(
      (await waits).map((result) => result.status === "rejected" && result.reason),
      [fault, fault],
    );
  });

  it("goes on for the others when the one who began it gives up", async () => {
    const { flight, done, turn } = createFlight();
    const first = createWaiter();
    const waits = [flight.join(first.waiter), flight.join({})];
    first.abort.abort(new Error("enough"));
    await assert.rejects(waits[0] as Promise<string>, /enough/);
    assert.equal(turn().signal.aborted, false);
    done.resolve("done");
    assert.equal(await waits[1], "done");
  });

  it("gives the work up when all have given up", async () => {
    const { flight, turn } = createFlight();
    const [one, two] = [createWaiter(), createWaiter()];
    const waits = Promise.allSettled([flight.join(one.waiter), flight.join(two.waiter)]);
    one.abort.abort(new Error("enough"));
    two.abort.abort(new Error("enough"));
    await waits;
    assert.equal(turn().signal.aborted, true);
    assert.equal(flight.isAbandoned, true);
  });

  it("goes on in the background whoever gives up", async () => {
    const { flight, turn } = createFlight(true);
    const one = createWaiter();
    const wait = flight.join(one.waiter);
    one.abort.abort(new Error("enough"));
    await assert.rejects(wait);
    assert.equal(turn().signal.aborted, false);
  });

  it("stops the clocks of all who wait, also of those who come later, until the person is done", async () => {
    const { flight, done, turn } = createFlight();
    const [early, late] = [createWaiter(), createWaiter()];
    const waits = [flight.join(early.waiter)];
    const resume = turn().hold();
    waits.push(flight.join(late.waiter));
    assert.deepEqual([early.clock.stopped, late.clock.stopped], [1, 1]);
    resume();
    resume();
    assert.deepEqual([early.clock.resumed, late.clock.resumed], [1, 1]);
    done.resolve("done");
    await Promise.all(waits);
    assert.deepEqual([early.clock, late.clock], Array(2).fill({ stopped: 1, resumed: 1 }));
  });

  it("lets the clock of one who gives up run again", async () => {
    const { flight, turn } = createFlight();
    const one = createWaiter();
    const wait = flight.join(one.waiter);
    turn().hold();
    one.abort.abort(new Error("enough"));
    await assert.rejects(wait);
    assert.deepEqual(one.clock, { stopped: 1, resumed: 1 });
  });
});

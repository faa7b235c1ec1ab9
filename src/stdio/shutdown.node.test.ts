import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createDeferred } from "../base/deferred.ts";
import { createFakeClock } from "../test/clock.ts";
import { type ShutdownOutcome, shutDown } from "./shutdown.node.ts";

const limits = { stdinTimeoutMs: 2_000, termTimeoutMs: 3_000, killTimeoutMs: 1_000 };

/** A tree that ends on the given step, some time after it; its first process may leave earlier. */
function createTarget(endsOn: string, afterMs: number, canTerminate = true, leaderAfterMs = afterMs) {
  const clock = createFakeClock();
  const exited = createDeferred();
  const steps: string[] = [];
  let alive = true;
  const step = (name: string): void => {
    steps.push(`${name} at ${clock.now()}`);
    if (name === endsOn) {
      clock.after(afterMs, () => {
        alive = false;
      });
      clock.after(leaderAfterMs, exited.resolve);
    }
  };
  const target = {
    exited: exited.promise,
    endInput: () => step("end"),
    tree: { canTerminate, isAlive: () => alive, terminate: () => step("terminate"), kill: () => step("kill") },
  };
  const run = async (ms: number): Promise<ShutdownOutcome | undefined> => {
    let outcome: ShutdownOutcome | undefined;
    void shutDown(target, limits, clock).then((reached) => {
      outcome = reached;
    });
    await clock.advance(ms);
    return outcome;
  };
  return { clock, steps, run };
}

describe("shutDown", () => {
  it("only closes the input of a server that then ends [STDIO-010]", async () => {
    const { clock, steps, run } = createTarget("end", 1_990);
    assert.equal(await run(1_990), "ended");
    assert.deepEqual(steps, ["end at 0"]);
    assert.equal(clock.pendingTimers, 0);
  });

  it("terminates one that stays, after the first wait [STDIO-010] [PP-023]", async () => {
    const { clock, steps, run } = createTarget("terminate", 100);
    assert.equal(await run(2_100), "terminated");
    assert.deepEqual(steps, ["end at 0", "terminate at 2000"]);
    assert.equal(clock.pendingTimers, 0);
  });

  it("kills one that stays then, after the second wait [STDIO-010] [PP-023]", async () => {
    const { steps, run } = createTarget("kill", 10);
    assert.equal(await run(5_010), "killed");
    assert.deepEqual(steps, ["end at 0", "terminate at 2000", "kill at 5000"]);
  });

  it("waits for the whole tree, not only for its first process [PP-023]", async () => {
    const { steps, run } = createTarget("terminate", 500, true, 10);
    assert.equal(await run(2_400), undefined);
    assert.deepEqual(steps, ["end at 0", "terminate at 2000"]);
    const other = createTarget("kill", 500, true, 10);
    assert.equal(await other.run(5_520), "killed");
  });

  it("says so when even killing did not help", async () => {
    const { clock, run } = createTarget("never", 0);
    assert.equal(await run(6_000), "surviving");
    assert.equal(clock.pendingTimers, 0);
  });

  it("goes from closing to killing where nobody can be asked [PP-023]", async () => {
    const { steps, run } = createTarget("kill", 10, false);
    assert.equal(await run(2_010), "killed");
    assert.deepEqual(steps, ["end at 0", "kill at 2000"]);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { settled } from "../../../test/fixtures/http/fake-endpoint.ts";
import { createDeferred } from "../../base/deferred.ts";
import { createFakeClock } from "../../test/clock.ts";
import { SendOrder } from "./send-order.ts";

describe("SendOrder", () => {
  it("begins each send when the one before it is done, also after one that failed", async () => {
    const order = new SendOrder(createFakeClock(1_000_000), 100);
    const first = createDeferred();
    const begun: string[] = [];
    const failing = order.run(async () => {
      begun.push("first");
      await first.promise;
    });
    const next = order.run(async () => {
      begun.push("second");
    });
    await settled();
    assert.deepEqual(begun, ["first"]);
    first.reject(new Error("refused"));
    await assert.rejects(failing, /refused/);
    await next;
    assert.deepEqual(begun, ["first", "second"]);
  });

  it("lets the next one begin when a send takes too long, and leaves no timer", async () => {
    const clock = createFakeClock(1_000_000);
    const order = new SendOrder(clock, 100);
    const held = createDeferred();
    const first = order.run(() => held.promise);
    let begun = false;
    const second = order.run(async () => {
      begun = true;
    });
    await settled();
    await clock.advance(99);
    assert.equal(begun, false);
    await clock.advance(1);
    assert.equal(begun, true);
    held.resolve();
    await Promise.all([first, second]);
    assert.equal(clock.pendingTimers, 0);
  });
});

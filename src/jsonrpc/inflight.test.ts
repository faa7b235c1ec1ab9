import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { InflightCalls } from "./inflight.ts";

describe("InflightCalls", () => {
  it("aborts one call by id and type, with the reason, and knows when there is none", () => {
    const calls = new InflightCalls();
    const [number, text] = [calls.register(0), calls.register("0")];
    assert.equal(calls.abort(0, "stop"), true);
    assert.equal(calls.abort(9_999, "stop"), false);
    assert.equal(number?.signal.reason, "stop");
    assert.equal(text?.signal.aborted, false);
  });

  it("refuses an id that is in use and takes it again afterwards", () => {
    const calls = new InflightCalls();
    const first = calls.register(1);
    assert.equal(calls.register(1), undefined);
    assert.ok(first);
    calls.finish(first);
    assert.notEqual(calls.register(1), undefined);
    assert.equal(first.done, true);
  });

  it("shows the first reason, whether the signal is asked for before or after", () => {
    const calls = new InflightCalls();
    const [early, late] = [calls.register(1), calls.register(2)];
    assert.equal(early?.signal.aborted, false);
    calls.abort(2, "first");
    calls.drain("second");
    assert.equal(early?.signal.reason, "second");
    assert.equal(late?.signal.reason, "first");
    assert.equal(calls.size, 0);
  });
});

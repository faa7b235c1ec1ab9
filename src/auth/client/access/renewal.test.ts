import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chooseDueTime, findFreshness, isExpired } from "./renewal.ts";

const hour = { receivedAtMs: 1_000, expiresAtMs: 3_601_000 };

describe("chooseDueTime", () => {
  it("lies ahead of the end by the time asked for, less jitter [PP-091]", () => {
    assert.equal(chooseDueTime(hour, { renewAheadMs: 60_000, random: () => 1 }), 3_541_000);
    assert.equal(chooseDueTime(hour, { renewAheadMs: 60_000, random: () => 0 }), 3_571_000);
  });

  it("leaves most of a short life to the token [X-CC-010]", () => {
    const short = { receivedAtMs: 0, expiresAtMs: 5_000 };
    assert.equal(chooseDueTime(short, { renewAheadMs: 60_000, random: () => 1 }), 3_750);
  });

  it("never comes where nobody said when the token ends", () => {
    const endless = { receivedAtMs: 0, expiresAtMs: undefined };
    assert.equal(chooseDueTime(endless, { renewAheadMs: 1, random: () => 1 }), Number.POSITIVE_INFINITY);
  });

  it("is the end itself where that lies before the arrival", () => {
    const odd = { receivedAtMs: 9_000, expiresAtMs: 5_000 };
    assert.equal(chooseDueTime(odd, { renewAheadMs: 60_000, random: () => 1 }), 5_000);
  });
});

describe("findFreshness", () => {
  it("goes from fresh over due to expired", () => {
    const at = (nowMs: number): string => findFreshness(hour, 3_541_000, nowMs);
    assert.deepEqual([at(3_540_999), at(3_541_000), at(3_600_999), at(3_601_000)], ["fresh", "due", "due", "expired"]);
  });

  it("takes a token from the future for fresh, so that a clock put back harms nobody [PP-091]", () => {
    assert.equal(findFreshness(hour, 3_541_000, -50_000), "fresh");
  });
});

describe("isExpired", () => {
  it("is never so without a known end", () => {
    assert.equal(isExpired({ expiresAtMs: undefined }, Number.MAX_SAFE_INTEGER), false);
  });
});

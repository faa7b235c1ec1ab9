import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { StepUpQuota } from "./step-up-quota.ts";

describe("StepUpQuota", () => {
  it("lets attempts go one by one as their time is over [SEC-030]", () => {
    let now = 0;
    const quota = new StepUpQuota(2, 1_000, () => now);
    quota.add("first");
    now = 600;
    quota.add("second");
    assert.equal(quota.isSpent("x"), true);
    now = 1_000;
    assert.equal(quota.isSpent("x"), false);
    quota.add("third");
    assert.equal(quota.isSpent("x"), true);
  });

  it("counts those under way, so that parallel ones do not pass together [SEC-030]", () => {
    const quota = new StepUpQuota(2, 1_000, () => 0);
    const end = quota.begin("x");
    quota.begin("y");
    assert.equal(quota.isSpent("z"), true);
    end();
    end();
    assert.equal(quota.isSpent("z"), false);
  });

  it("lets any number of callers share what is under way, which counts once", () => {
    const quota = new StepUpQuota(1, 1_000, () => 0);
    const ends = [quota.begin("x"), quota.begin("x")];
    assert.equal(quota.isSpent("x"), false);
    ends.pop()?.();
    assert.equal(quota.isSpent("x"), false);
    assert.equal(quota.isSpent("y"), true);
    quota.add("outcome");
    quota.add("outcome");
    ends.pop()?.();
    assert.equal(quota.isSpent("y"), true);
    quota.clear();
    assert.equal(quota.isSpent("y"), false);
  });
});

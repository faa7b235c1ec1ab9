import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Quota } from "./quota.ts";

describe("Quota", () => {
  it("counts each caller on its own, and everybody together", () => {
    const quota = new Quota({ total: 3, perCaller: 2 });
    const releases = [quota.take("ada"), quota.take("ada")];
    assert.deepEqual(quota.findExceeded("ada"), { whose: "caller", limit: 2 });
    assert.equal(quota.findExceeded("bob"), undefined);
    assert.deepEqual(quota.findExceeded("bob", 2), { whose: "server", limit: 3 });
    releases.push(quota.take(undefined));
    assert.deepEqual(quota.findExceeded(undefined), { whose: "server", limit: 3 });
    for (const release of releases) {
      release();
    }
    assert.equal(quota.findExceeded("ada", 2), undefined);
    assert.deepEqual(quota.findExceeded("ada", 3), { whose: "caller", limit: 2 });
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createDeferred } from "./deferred.ts";

describe("createDeferred", () => {
  it("is settled by whoever holds it", async () => {
    const kept = createDeferred<number>();
    kept.resolve(1);
    assert.equal(await kept.promise, 1);
    const broken = createDeferred();
    broken.reject(new Error("no"));
    await assert.rejects(broken.promise, /no/);
  });
});

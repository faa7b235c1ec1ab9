import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ClosedError } from "../../base/error.ts";
import { Lifetime } from "./lifetime.ts";

describe("Lifetime", () => {
  it("ends everything that follows it with its first reason, and what comes later at once", () => {
    const lifetime = new Lifetime();
    const followers = [lifetime.follow(), lifetime.follow()];
    const reason = new ClosedError("over");
    lifetime.end(reason);
    lifetime.end(new ClosedError("over again"));
    for (const { signal } of [...followers, lifetime.follow(), lifetime]) {
      assert.equal(signal.reason, reason);
    }
  });

  it("leaves alone what has been released, and what one follower ends for itself alone", () => {
    const lifetime = new Lifetime();
    const [done, other] = [lifetime.follow(), lifetime.follow()];
    done.release();
    other.abort(new Error("only me"));
    assert.equal(lifetime.signal.aborted, false);
    lifetime.end(new ClosedError("over"));
    assert.equal(done.signal.aborted, false);
    assert.match(String(other.signal.reason), /only me/);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Attempts, resolveReconnect } from "./reconnect.ts";

const policy = (random: number): ReturnType<typeof resolveReconnect> =>
  resolveReconnect(
    { initialDelayMs: 100, factor: 2, maxDelayMs: 300, maxAttempts: 4, healthyAfterMs: 1_000 },
    () => random,
  );

describe("Attempts", () => {
  it("waits longer each time up to the cap, with jitter, and ends [PP-005]", () => {
    const longest = new Attempts(policy(1));
    const shortest = new Attempts(policy(0));
    assert.deepEqual(
      Array.from({ length: 5 }, () => longest.next(undefined)),
      [100, 200, 300, 300, undefined],
    );
    assert.deepEqual(
      Array.from({ length: 5 }, () => shortest.next(undefined)),
      [50, 100, 150, 150, undefined],
    );
  });

  it("keeps the wait that the server asks for, never less [HTTP-019]", () => {
    const attempts = new Attempts(policy(1));
    assert.equal(attempts.next(5), 5);
    assert.equal(attempts.next(5), 200);
    assert.equal(attempts.next(9_000), 9_000);
  });

  it("forgets failures after a stream that was of use or long enough open, not after others [PP-005]", () => {
    const attempts = new Attempts(policy(1));
    attempts.next(undefined);
    attempts.judge({ openMs: 999, useful: false });
    assert.equal(attempts.failed, 1);
    attempts.judge({ openMs: 1_000, useful: false });
    assert.equal(attempts.failed, 0);
    attempts.next(undefined);
    attempts.judge({ openMs: 0, useful: true });
    assert.equal(attempts.failed, 0);
  });
});

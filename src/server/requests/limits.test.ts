import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { caller } from "../../../test/fixtures/exchange.ts";
import { createFakeClock } from "../../test/clock.ts";
import type { Context } from "./context.ts";
import { perCaller } from "./limits.ts";

const as = (more: object): Context => more as Context;

describe("perCaller", () => {
  it("counts each user on its own, whatever the session, and sessions where there is no user [TOOL-027]", async () => {
    const clock = createFakeClock(1_000_000);
    const limit = perCaller({ burst: 2, perSecond: 1, now: clock.now });
    const ada = as({ auth: caller("ada"), session: { id: "1" } });
    const adaElsewhere = as({ auth: caller("ada"), session: { id: "2" } });
    assert.deepEqual(limit(ada, "t"), { ok: true });
    assert.deepEqual(limit(adaElsewhere, "t"), { ok: true });
    assert.deepEqual(limit(ada, "t"), { ok: false, retryAfterMs: 1_000 });
    assert.deepEqual(limit(as({ auth: caller("bob") }), "t"), { ok: true });
    assert.deepEqual(limit(as({ session: { id: "1" } }), "t"), { ok: true });
    await clock.advance(1_000);
    assert.deepEqual(limit(ada, "t"), { ok: true });
  });

  it("counts those together whom nothing tells apart, so that nobody gets around it without a session [TOOL-027]", () => {
    const clock = createFakeClock(1_000_000);
    const limits = [
      perCaller({ burst: 1, perSecond: 1, now: clock.now }),
      perCaller({ burst: 100, perSecond: 1, unidentified: { burst: 10, perSecond: 10 }, now: clock.now }),
    ];
    for (const limit of limits) {
      assert.deepEqual(
        Array.from({ length: 11 }, () => limit(as({}), "t")).map((verdict) => (verdict as { ok: boolean }).ok),
        [...Array.from({ length: 10 }, () => true), false],
      );
      assert.deepEqual(limit(as({}), "t"), { ok: false, retryAfterMs: 100 });
      assert.deepEqual(limit(as({ auth: caller("ada") }), "t"), { ok: true });
    }
  });
});

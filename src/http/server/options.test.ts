import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { alone } from "../../../test/fixtures/http/scripted-server.ts";
import { resolveHttpServerOptions } from "./options.ts";

describe("resolveHttpServerOptions", () => {
  it("bounds everything by default [PP-002] [PP-008]", () => {
    const { sessions, events, maxBodyBytes, keepAliveMs, response } = resolveHttpServerOptions({});
    assert.deepEqual(
      [sessions?.idleTimeoutMs, sessions?.maxSessions, sessions?.maxSessionsPerCaller, sessions?.allowDelete],
      [1_800_000, 10_000, 1_000, true],
    );
    assert.deepEqual(events, { maxEntries: 1_000, maxBytes: 8_388_608, ttlMs: 300_000 });
    assert.deepEqual([maxBodyBytes, response], [4_194_304, "auto"]);
    assert.ok(keepAliveMs <= 15_000);
  });

  it("bounds subscriptions by default, in total and for each caller [M-SUB-016]", () => {
    const { maxSubscriptions, maxSubscriptionsPerCaller } = resolveHttpServerOptions({});
    assert.deepEqual([maxSubscriptions, maxSubscriptionsPerCaller], [10_000, 256]);
    assert.throws(() => resolveHttpServerOptions({ maxSubscriptions: Number.NaN }), /maxSubscriptions: expected/);
  });

  it("gives no sessions where no revision with a handshake is served [M-HTTP-014]", () => {
    const { sessions, events } = resolveHttpServerOptions({ revisions: [alone], sessions: { maxSessions: 5 } });
    assert.deepEqual([sessions, events], [undefined, undefined]);
  });

  it("keeps no events where nobody could fetch them, and as much of a stream as it is told", () => {
    assert.equal(resolveHttpServerOptions({ sessions: false }).events, undefined);
    assert.equal(resolveHttpServerOptions({ resumability: false }).events, undefined);
    const limits = { maxEventsPerStream: 2, maxBytesPerStream: 3, maxAgeMs: 4 };
    const { events } = resolveHttpServerOptions({ resumability: limits });
    assert.deepEqual(events, { maxEntries: 2, maxBytes: 3, ttlMs: 4 });
    for (const name of Object.keys(limits)) {
      assert.throws(() => resolveHttpServerOptions({ resumability: { [name]: 0 } }), new RegExp(`${name}: expected`));
    }
  });

  it("takes a node that is silent for ten seconds for dead, unless told otherwise", () => {
    assert.equal(resolveHttpServerOptions({}).leaseMs, 10_000);
    assert.throws(() => resolveHttpServerOptions({ leaseMs: 0 }), /leaseMs: expected/);
  });
});

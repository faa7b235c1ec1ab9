import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { alone } from "../../../test/fixtures/http/scripted-server.ts";
import { MemoryEventLog } from "./event-log.ts";
import { resolveHttpServerOptions } from "./options.ts";

describe("resolveHttpServerOptions", () => {
  it("bounds everything by default [PP-002] [PP-008]", () => {
    const { sessions, log, maxBodyBytes, keepAliveMs, response } = resolveHttpServerOptions({});
    assert.deepEqual(
      [sessions?.idleTimeoutMs, sessions?.maxSessions, sessions?.allowDelete],
      [1_800_000, 10_000, true],
    );
    assert.ok(log instanceof MemoryEventLog);
    assert.deepEqual([maxBodyBytes, response], [4_194_304, "auto"]);
    assert.ok(keepAliveMs <= 15_000);
  });

  it("bounds subscriptions by default, in total and for each caller [M-SUB-016]", () => {
    const { maxSubscriptions, maxSubscriptionsPerCaller } = resolveHttpServerOptions({});
    assert.deepEqual([maxSubscriptions, maxSubscriptionsPerCaller], [10_000, 256]);
    assert.throws(() => resolveHttpServerOptions({ maxSubscriptions: Number.NaN }), /maxSubscriptions: expected/);
  });

  it("gives no sessions where no revision with a handshake is served [M-HTTP-014]", () => {
    const { sessions, log } = resolveHttpServerOptions({ revisions: [alone], sessions: { maxSessions: 5 } });
    assert.deepEqual([sessions, log], [undefined, undefined]);
  });

  it("keeps no events where nobody could fetch them, and uses a log that is given", () => {
    assert.equal(resolveHttpServerOptions({ sessions: false }).log, undefined);
    assert.equal(resolveHttpServerOptions({ resumability: false }).log, undefined);
    const log = resolveHttpServerOptions({}).log;
    assert.equal(resolveHttpServerOptions({ resumability: { log } }).log, log);
  });
});

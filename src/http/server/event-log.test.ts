import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createFakeClock } from "../../test/clock.ts";
import { type EventLogLimits, encodeEventId, MemoryEventLog, parseEventId } from "./event-log.ts";

function createLog(limits: EventLogLimits = {}) {
  const clock = createFakeClock();
  const log = new MemoryEventLog(clock, limits);
  const read = (owner: string, stream: number, sequence: number) => {
    const replay = log.read({ owner, stream, sequence });
    return replay && { data: replay.events.map((event) => event.data).join(","), complete: replay.complete };
  };
  const fill = (owner: string, stream: number, count: number, from = 1) => {
    for (let sequence = from; sequence < from + count; sequence += 1) {
      log.append({ owner, stream, sequence }, `${owner}${stream}:${sequence}`);
    }
  };
  return { clock, log, read, fill };
}

describe("encodeEventId and parseEventId", () => {
  it("encode the stream in the id, and read back what they wrote [HTTP-035]", () => {
    const key = { owner: "aB-_9", stream: 3, sequence: 12 };
    assert.equal(encodeEventId(key), "aB-_9.3.12");
    assert.deepEqual(parseEventId("aB-_9.3.12"), key);
  });

  it("refuse anything else without throwing [PP-010]", () => {
    for (const bad of [
      "",
      "a",
      "a.1",
      "a.b.1",
      "a.1.2.3",
      "a.1.-1",
      ".1.1",
      "a.1.1 ",
      `a.1.${"9".repeat(16)}`,
      "_GET_stream_1",
    ]) {
      assert.equal(parseEventId(bad), undefined, bad);
    }
    fc.assert(fc.property(fc.string(), (text) => parseEventId(text) === undefined || text.split(".").length === 3));
  });
});

describe("MemoryEventLog", () => {
  it("gives back what followed on one stream, in the order it was written, within one millisecond too [HTTP-038] [PP-010]", () => {
    const { read, fill } = createLog();
    fill("a", 0, 3);
    fill("a", 1, 2);
    fill("b", 0, 1);
    assert.deepEqual(read("a", 0, 1), { data: "a0:2,a0:3", complete: true });
    assert.deepEqual(read("a", 1, 0), { data: "a1:1,a1:2", complete: true });
    assert.deepEqual(read("b", 0, 0), { data: "b0:1", complete: true });
    assert.equal(read("b", 1, 0), undefined);
  });

  it("drops the oldest events of a stream past its count, and says so [PP-010]", () => {
    const { log, read, fill } = createLog({ maxEventsPerStream: 3 });
    fill("a", 0, 5);
    fill("b", 0, 1);
    assert.deepEqual(read("a", 0, 1), { data: "a0:3,a0:4,a0:5", complete: false });
    assert.deepEqual(read("a", 0, 2), { data: "a0:3,a0:4,a0:5", complete: true });
    assert.equal(log.size.events, 4);
  });

  it("drops the oldest events past the bytes of a stream and of all streams [PP-010]", () => {
    const { log, read, fill } = createLog({ maxBytesPerStream: 300, maxTotalBytes: 600 });
    fill("a", 0, 5);
    assert.equal(log.size.events, 2);
    fill("b", 0, 2);
    fill("c", 0, 2);
    assert.equal(read("a", 0, 0), undefined);
    assert.deepEqual(read("c", 0, 0), { data: "c0:1,c0:2", complete: true });
    assert.ok(log.size.bytes <= 600);
  });

  it("drops an event that alone is over the limit, and goes on", () => {
    const { log, read } = createLog({ maxTotalBytes: 400 });
    log.append({ owner: "a", stream: 0, sequence: 1 }, "x".repeat(1_000));
    assert.deepEqual(log.size, { events: 0, bytes: 0 });
    log.append({ owner: "a", stream: 0, sequence: 2 }, "y");
    assert.deepEqual(read("a", 0, 1), { data: "y", complete: true });
    assert.equal(read("a", 0, 0)?.complete, false);
  });

  it("drops events past their age by itself, leaving no timer [PP-010]", async () => {
    const { clock, log, read, fill } = createLog({ maxAgeMs: 1_000 });
    fill("a", 0, 2);
    await clock.advance(600);
    fill("a", 0, 1, 3);
    await clock.advance(400);
    assert.deepEqual(read("a", 0, 0), { data: "a0:3", complete: false });
    await clock.advance(600);
    assert.deepEqual([log.size.events, log.size.bytes, clock.pendingTimers], [0, 0, 0]);
  });

  it("does not pass a gap off as complete once a stream goes on behind dropped events", async () => {
    const { clock, read, fill } = createLog({ maxAgeMs: 1_000 });
    fill("a", 0, 3);
    await clock.advance(1_000);
    fill("a", 0, 1, 4);
    assert.equal(read("a", 0, 1)?.complete, false);
    assert.equal(read("a", 0, 3)?.complete, true);
  });

  it("forgets an owner with everything kept for it [PP-010]", () => {
    const { log, read, fill } = createLog();
    fill("a", 0, 3);
    fill("b", 0, 1);
    log.forget("a");
    log.forget("a");
    assert.equal(read("a", 0, 0), undefined);
    assert.equal(log.size.events, 1);
  });
});

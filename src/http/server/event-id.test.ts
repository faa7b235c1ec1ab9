import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { createStreamId, encodeEventId, parseEventId, readWriter, standingId } from "./event-id.ts";

describe("encodeEventId and parseEventId", () => {
  it("encode the stream and the place in it, and read back what they wrote [HTTP-035]", () => {
    const stream = createStreamId("n_-1", 7);
    const place = { owner: "aB-_9", stream, position: 1_700_000_000_000, changes: 0 };
    assert.equal(encodeEventId(place), "aB-_9.7-n_-1.1700000000000");
    assert.deepEqual(parseEventId("aB-_9.7-n_-1.1700000000000"), place);
    const standing = { owner: "a", stream: standingId, position: 3, changes: 12 };
    assert.equal(encodeEventId(standing), "a.0.3.12");
    assert.deepEqual(parseEventId("a.0.3.12"), standing);
  });

  it("name the node that writes a stream, but none for the standing one", () => {
    assert.equal(readWriter(createStreamId("n_-1", 7)), "n_-1");
    assert.equal(readWriter(standingId), undefined);
  });

  it("refuse anything else without throwing [PP-010]", () => {
    for (const bad of [
      "",
      "a",
      "a.1",
      "a.0.1",
      "a.0.1.2.3",
      "a.1.1.1",
      "a.1-n.1.1",
      "a.0.1.-1",
      "a.-n.1",
      ".1-n.1",
      "a.1-n.1 ",
      "a.1-n.1\n",
      `a.1-n.${"9".repeat(16)}`,
      "_GET_stream_1",
    ]) {
      assert.equal(parseEventId(bad), undefined, bad);
    }
    fc.assert(
      fc.property(fc.string(), (text) => {
        const place = parseEventId(text);
        assert.ok(place === undefined || text.startsWith(`${place.owner}.${place.stream}.`));
      }),
    );
  });
});

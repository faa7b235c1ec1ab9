import assert from "node:assert/strict";
import { describe, it } from "node:test";

import fc from "fast-check";

import { decodeCursor, encodeCursor, maxPositionBytes } from "./cursor.ts";

const wellFormed = fc.string({ unit: "binary", maxLength: 60 });

describe("encodeCursor", () => {
  it("gives the same cursor for the same position, in characters that need no escaping", () => {
    assert.equal(encodeCursor("tools/échelle"), encodeCursor("tools/échelle"));
    assert.match(encodeCursor("a/b?c=d&é") ?? "", /^[A-Za-z0-9_-]+$/);
  });

  it("refuses positions that are too long or not well formed", () => {
    assert.equal(encodeCursor("x".repeat(maxPositionBytes + 1)), undefined);
    assert.equal(encodeCursor("\ud800"), undefined);
  });
});

describe("decodeCursor", () => {
  it("gives back every position that was encoded", () => {
    fc.assert(
      fc.property(wellFormed, (position) => {
        assert.deepEqual(decodeCursor(encodeCursor(position) ?? ""), { ok: true, position });
      }),
    );
    const longest = "x".repeat(maxPositionBytes);
    assert.deepEqual(decodeCursor(encodeCursor(longest) ?? ""), { ok: true, position: longest });
    assert.deepEqual(decodeCursor(encodeCursor("\ufeffa") ?? ""), { ok: true, position: "\ufeffa" });
  });

  it("answers invented, cut, changed and empty cursors with a failure, never a crash [PAGE-006]", () => {
    const real = encodeCursor("item-42") ?? "";
    for (const cursor of ["bogus", "", "0", real.slice(0, -2), `${real}A`, `x${real}`, real.toUpperCase(), "é", " "]) {
      const result = decodeCursor(cursor);
      assert.equal(result.ok, false, cursor);
      assert.match(result.ok ? "" : result.problem, /nextCursor of an earlier page/);
    }
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (cursor) => {
        const result = decodeCursor(cursor);
        assert.ok(!result.ok || encodeCursor(result.position) === cursor);
      }),
    );
  });

  it("refuses an endless cursor without decoding it [PAGE-006]", () => {
    assert.equal(decodeCursor("A".repeat(10_000_000)).ok, false);
  });
});

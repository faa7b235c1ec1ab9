import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { encodeRetryAfter, isSessionId, parseRetryAfter } from "./headers.ts";

describe("isSessionId", () => {
  it("takes visible ASCII and nothing else [HTTP-041]", () => {
    assert.equal(isSessionId("!abc~"), true);
    for (const bad of ["", " ", "a b", "a\tb", "a\n", "\u007f", "é", "a\u0000", "x".repeat(257)]) {
      assert.equal(isSessionId(bad), false, JSON.stringify(bad));
    }
  });
});

describe("parseRetryAfter", () => {
  it("reads seconds and dates, and nothing else", () => {
    const now = Date.parse("2026-01-01T00:00:00Z");
    assert.equal(parseRetryAfter("120", now), 120_000);
    assert.equal(parseRetryAfter(" 0 ", now), 0);
    assert.equal(parseRetryAfter("Thu, 01 Jan 2026 00:00:10 GMT", now), 10_000);
    assert.equal(parseRetryAfter("Wed, 31 Dec 2025 00:00:10 GMT", now), 0);
    for (const bad of [undefined, null, "", "soon", "-1", "1.5", "2026-01-01"]) {
      assert.equal(parseRetryAfter(bad, now), undefined, String(bad));
    }
  });
});

describe("encodeRetryAfter", () => {
  it("gives whole seconds, rounded up, at least one", () => {
    assert.deepEqual([0, 1, 1_000, 1_001].map(encodeRetryAfter), ["1", "1", "1", "2"]);
  });
});

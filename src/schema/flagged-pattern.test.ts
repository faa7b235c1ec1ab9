import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { flaggedSource, withoutFlaggedRules, withoutPatterns } from "./flagged-pattern.ts";

describe("flaggedSource", () => {
  it("names a pattern whose flags change what it matches, and no other", () => {
    const sources = [/a/i, /a/m, /a/s, /a/iu, /a/, /a/u, /a/g, "a", undefined].map(flaggedSource);
    assert.deepEqual(sources, ["a", "a", "a", "a", undefined, undefined, undefined, undefined, undefined]);
  });
});

describe("withoutPatterns", () => {
  it("keeps whatever else a string is bound by", () => {
    const schema = { type: "string", minLength: 2, pattern: "^a", allOf: [{ pattern: "b$" }, { pattern: "c" }] };
    const rest = { type: "string", minLength: 2 };
    assert.deepEqual(withoutPatterns(schema, ["b$"]), { ...rest, pattern: "^a", allOf: [{ pattern: "c" }] });
    assert.deepEqual(withoutPatterns(schema, ["^a", "b$", "c"]), rest);
    assert.deepEqual(withoutPatterns(schema, []), schema);
  });
});

describe("withoutFlaggedRules", () => {
  it("leaves a property called pattern alone, and a schema without flags as it is", () => {
    const converted = { properties: { pattern: { type: "string", pattern: "^a$" }, other: { pattern: "^b$" } } };
    assert.deepEqual(withoutFlaggedRules(converted, [{ value: { pattern: [{ rule: "^a$", flags: "i" }] } }]), {
      properties: { pattern: { type: "string" }, other: { pattern: "^b$" } },
    });
    assert.equal(withoutFlaggedRules(converted, { pattern: [{ rule: "^a$", flags: "u" }] }), converted);
  });
});

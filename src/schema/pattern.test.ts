import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createValidator } from "./compile.ts";
import { SchemaError } from "./error.ts";
import { patternCost } from "./pattern-cost.ts";

const peer = createValidator({ untrusted: true });

describe("compilePattern", () => {
  it("takes a pattern that is legal only without the u flag", () => {
    assert.equal(createValidator().compile({ pattern: "^[\\w-.]+$" }).check("a-b.c"), true);
  });

  it("counts an astral character as one", () => {
    assert.equal(createValidator().compile({ pattern: "^.$" }).check("\u{1F600}"), true);
  });

  it("refuses a malformed pattern when compiling, naming its place", () => {
    assert.throws(() => createValidator().compile({ properties: { a: { pattern: "(" } } }), {
      reason: "pattern",
      pointer: "/properties/a/pattern",
    });
  });

  const dangerous = [
    "^(a+)+$",
    "^(a*)*$",
    "^(a|a)*$",
    "^(a?a)*b$",
    "(x+x+)+y",
    "^(\\w+\\s?)*$",
    "^([a-z]+)*\\d$",
    "^(a|b|ab)*c$",
    "^((a+)b?)*$",
  ];
  for (const source of dangerous) {
    it(`refuses ${source} from a peer, and takes it from the author`, () => {
      assert.throws(
        () => peer.compile({ pattern: source }),
        (error) => error instanceof SchemaError && error.reason === "pattern",
      );
      assert.equal(createValidator().compile({ pattern: source }).check(1), true);
    });
  }

  const harmless = [
    "^[a-z0-9]+(?:-[a-z0-9]+)*$",
    "^\\d{4}-\\d\\d-\\d\\d$",
    "^(25[0-5]|2[0-4]\\d|1?\\d\\d?)(\\.(25[0-5]|2[0-4]\\d|1?\\d\\d?)){3}$",
    "^[^\\s@]+@[^\\s@]+\\.[^\\s@]+$",
    "^(?:foo|bar)+$",
    "^#[\\da-fA-F]{6}$",
    "^(?=.*\\d).{8,}$",
    "^\\p{Lu}[\\p{L}' -]*$",
  ];
  for (const source of harmless) {
    it(`takes ${source} from a peer`, () => {
      assert.equal(peer.compile({ pattern: source }).check(0), true);
    });
  }

  it("refuses a text too long for a peer's pattern instead of spending minutes on it", () => {
    const compiled = peer.compile({ pattern: ".*.*.*=.*" });
    const started = performance.now();
    assert.equal(compiled.check("a".repeat(60_000)), false);
    assert.ok(performance.now() - started < 2_000);
    assert.match(compiled.explain("a".repeat(60_000))[0]?.message ?? "", /has text of more than \d+ characters/u);
  });

  it("leaves patterns to another engine when given one", () => {
    const compiled = createValidator({
      untrusted: true,
      regexEngine: () => ({ test: (text) => text === "yes" }),
    }).compile({ pattern: "^(a+)+$" });
    assert.equal(compiled.check("yes"), true);
    assert.equal(compiled.check("aaa"), false);
  });
});

describe("patternCost", () => {
  it("finds no backtracking where the next character decides", () => {
    assert.deepEqual(patternCost("^[a-z]+(?:-[a-z]+)*$"), { degree: 1, ways: 1, explosive: false });
  });

  it("counts repeats that compete for the same characters", () => {
    assert.equal(patternCost("^a*a*a*$").degree, 3);
    assert.equal(patternCost("a*a*").degree, 3);
  });
});

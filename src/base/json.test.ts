import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { isObject, parseJson } from "./json.ts";

describe("parseJson", () => {
  it("parses what JSON.parse parses", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 20 }), (text) => {
        assert.deepEqual(parseJson(text, 64), { ok: true, value: JSON.parse(text) });
      }),
    );
  });

  it("refuses nesting beyond the limit without parsing, and does not count brackets inside strings", () => {
    assert.equal(parseJson("[".repeat(65) + "]".repeat(65), 64).ok, false);
    assert.equal(parseJson("[".repeat(64) + "]".repeat(64), 64).ok, true);
    const quoted = JSON.stringify({ text: `${"[".repeat(500)}"\\"${"{".repeat(500)}` });
    assert.equal(parseJson(quoted, 64).ok, true);
    const huge = parseJson("[".repeat(2_000_000), 64);
    assert.equal(huge.ok || huge.reason, "too-deep");
  });

  it("says what is wrong with text that is no JSON", () => {
    const result = parseJson('{"a":', 64);
    assert.equal(result.ok || result.reason, "syntax");
    assert.match(result.ok ? "" : result.message, /expected JSON/);
  });

  it("never throws, whatever the text", () => {
    fc.assert(fc.property(fc.string({ maxLength: 300 }), (text) => typeof parseJson(text, 8).ok === "boolean"));
  });

  it("makes plain members of prototype keys", () => {
    const result = parseJson('{"__proto__":{"polluted":true}}', 8);
    assert.ok(result.ok && isObject(result.value));
    assert.equal(Object.hasOwn(result.value, "__proto__"), true);
    assert.equal(({} as { polluted?: boolean }).polluted, undefined);
  });
});

describe("isObject", () => {
  it("takes objects, not arrays and not null", () => {
    assert.deepEqual([{}, [], null, "x", undefined].map(isObject), [true, false, false, false, false]);
  });
});

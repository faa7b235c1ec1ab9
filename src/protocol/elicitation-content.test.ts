import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkFormContent, type FormContentOptions } from "./elicitation-content.ts";
import type { PrimitiveSchemaDefinition, StringSchema } from "./types/elicitation.ts";

function fill(field: PrimitiveSchemaDefinition, value: unknown, options?: FormContentOptions): string | undefined {
  return checkFormContent({ type: "object", properties: { f: field } }, { f: value }, options);
}

const titled = [
  { const: "a", title: "A" },
  { const: "b", title: "B" },
];

describe("checkFormContent", () => {
  it("wants an object with every required field [ELIC-014]", () => {
    const schema = { type: "object" as const, properties: { a: { type: "string" as const } }, required: ["a"] };
    assert.equal(checkFormContent(schema, { a: "" }), undefined);
    assert.equal(checkFormContent(schema, {}), "content.a: expected a string, got nothing");
    assert.equal(checkFormContent(schema, undefined), "content: expected an object, got nothing");
    assert.equal(checkFormContent({ ...schema, required: [] }, {}), undefined);
  });

  it("judges the length of text by characters, not by code units [ELIC-008]", () => {
    assert.equal(fill({ type: "string", maxLength: 2 }, "😀😀"), undefined);
    assert.equal(fill({ type: "string", maxLength: 2 }, "abc"), "content.f: expected at most 2 characters, got 3");
    assert.equal(fill({ type: "string", minLength: 2 }, "😀"), "content.f: expected at least 2 characters, got 1");
    assert.equal(fill({ type: "string" }, 5), "content.f: expected a string, got 5");
  });

  it("judges the four formats [ELIC-008]", () => {
    const cases: [NonNullable<StringSchema["format"]>, string[], string[]][] = [
      ["email", ["a@b.example", "a.b+c@d"], ["a", "@b", "a@", "a b@c", "a@b..c"]],
      ["uri", ["https://a.example/x?y#z", "urn:a:b"], ["a.example", "/x", "http://a b"]],
      ["date", ["2024-02-29", "2000-12-31"], ["2023-02-29", "1900-02-29", "2024-13-01", "2024-1-1", "2024-04-31"]],
      [
        "date-time",
        ["2024-02-29T23:59:60Z", "2024-01-01t00:00:00.5+14:00"],
        ["2024-02-29", "2024-02-30T00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01T00:00:00", "2024-01-01 00:00:00Z"],
      ],
    ];
    for (const [format, good, bad] of cases) {
      for (const text of good) {
        assert.equal(fill({ type: "string", format }, text), undefined, text);
      }
      for (const text of bad) {
        assert.match(fill({ type: "string", format }, text) ?? "", /^content\.f: expected an? /, text);
      }
    }
  });

  it("judges a pattern that cannot run away, and asks a given matcher instead [ELIC-008]", () => {
    assert.equal(fill({ type: "string", pattern: "^[a-z]+$" }, "abc"), undefined);
    assert.match(fill({ type: "string", pattern: "^[a-z]+$" }, "ABC") ?? "", /expected a text that matches/);
    const asked: string[][] = [];
    const matchesPattern = (pattern: string, text: string) => {
      asked.push([pattern, text]);
      return false;
    };
    assert.match(fill({ type: "string", pattern: "(a+)+" }, "x", { matchesPattern }) ?? "", /expected a text that/);
    assert.deepEqual(asked, [["(a+)+", "x"]]);
  });

  it("does not hang on a hostile pattern", () => {
    const text = `${"a".repeat(1_900)}!`;
    for (const pattern of ["^(a+)+$", "^(a|a)*$", "^(?:a?){99}a{99}$", ".*.*.*=", "(a*)\\1*$", "["]) {
      const start = performance.now();
      assert.equal(fill({ type: "string", pattern }, text), undefined, pattern);
      assert.ok(performance.now() - start < 500, pattern);
    }
  });

  it("judges numbers, integers and booleans [ELIC-009]", () => {
    assert.equal(fill({ type: "integer" }, 1), undefined);
    assert.equal(fill({ type: "integer" }, 1.5), "content.f: expected an integer, got 1.5");
    assert.equal(fill({ type: "number", minimum: 0.5, maximum: 1.5 }, 1.5), undefined);
    assert.equal(fill({ type: "number", minimum: 0.5 }, 0), "content.f: expected at least 0.5, got 0");
    assert.equal(fill({ type: "number", maximum: 1.5 }, 2), "content.f: expected at most 1.5, got 2");
    assert.equal(fill({ type: "number" }, "1"), 'content.f: expected a number, got "1"');
    assert.equal(fill({ type: "boolean" }, false), undefined);
    assert.equal(fill({ type: "boolean" }, "false"), 'content.f: expected true or false, got "false"');
  });

  it("refuses values outside a single choice [ELIC-010] [ELIC-012]", () => {
    for (const field of [
      { type: "string", enum: ["a", "b"] },
      { type: "string", enum: ["a", "b"], enumNames: ["A", "B"] },
      { type: "string", oneOf: titled },
    ] satisfies PrimitiveSchemaDefinition[]) {
      assert.equal(fill(field, "b"), undefined);
      assert.equal(fill(field, "c"), 'content.f: expected "a" or "b", got "c"');
    }
  });

  it("refuses foreign values and wrong numbers of choices [ELIC-011]", () => {
    const bounds = { minItems: 1, maxItems: 2 };
    for (const field of [
      { type: "array", items: { type: "string", enum: ["a", "b"] }, ...bounds },
      { type: "array", items: { anyOf: titled }, ...bounds },
    ] satisfies PrimitiveSchemaDefinition[]) {
      assert.equal(fill(field, ["a", "b"]), undefined);
      assert.equal(fill(field, []), "content.f: expected at least 1 choices, got 0");
      assert.equal(fill(field, ["a", "b", "a"]), "content.f: expected at most 2 choices, got 3");
      assert.equal(fill(field, ["a", "c"]), 'content.f[1]: expected "a" or "b", got "c"');
      assert.equal(fill(field, "a"), 'content.f: expected an array of choices, got "a"');
    }
  });

  it("is not deceived by inherited members", () => {
    const schema = JSON.parse('{"type":"object","properties":{"toString":{"type":"string"}},"required":["toString"]}');
    assert.equal(checkFormContent(schema, {}), "content.toString: expected a string, got nothing");
  });
});

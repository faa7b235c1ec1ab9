import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createValidator } from "./compile.ts";
import { describeIssues } from "./issue.ts";
import type { JsonSchema } from "./json-schema.ts";

function explain(schema: JsonSchema, value: unknown): string {
  return describeIssues(createValidator().compile(schema).explain(value));
}

const add = {
  type: "object",
  properties: { a: { type: "number" }, b: { type: "number" } },
  required: ["a", "b"],
  additionalProperties: false,
};

describe("explain of a compiled schema", () => {
  it("says what is wrong, missing and unknown in one sentence [PP-059]", () => {
    assert.equal(explain(add, { a: "x", c: 1 }), 'a must be a number (got "x"); b is missing; "c" is not known (a, b)');
  });

  it("says nothing about a value that fits", () => {
    assert.equal(explain(add, { a: 1, b: 2 }), "");
  });

  it("names the nearest free member for an unknown one [PP-059]", () => {
    const schema = { properties: { color: true, size: true }, additionalProperties: false };
    assert.equal(explain(schema, { coulor: 1 }), '"coulor" is not known, did you mean "color"? (color, size)');
    assert.equal(
      explain({ properties: { box: schema } }, { box: { sise: 1 } }),
      '"sise" in box is not known, did you mean "size"? (color, size)',
    );
    assert.equal(explain({ additionalProperties: false }, { a: 1 }), '"a" is not known (nothing is expected)');
  });

  const single: readonly [JsonSchema, unknown, string][] = [
    [{ type: ["string", "null"] }, 5, "the value must be a string or null (got 5)"],
    [{ type: "integer" }, 1.5, "the value must be a whole number (got 1.5)"],
    [{ enum: ["red", "green"] }, "reed", 'the value must be "red" or "green" (got "reed"), did you mean "red"?'],
    [{ const: 3 }, [], "the value must be 3 (got an empty list)"],
    [{ minimum: 2 }, 1, "the value must be at least 2 (got 1)"],
    [{ exclusiveMaximum: 2 }, 2, "the value must be less than 2 (got 2)"],
    [{ minLength: 2 }, "\u{1F600}", "the value must have at least 2 characters (has 1)"],
    [{ maxItems: 1 }, [1, 2], "the value must have at most 1 entry (has 2)"],
    [{ pattern: "^a" }, "b", 'the value must match the pattern ^a (got "b")'],
    [{ pattern: "@", format: "email" }, "b", 'the value must be a valid email (got "b")'],
    [{ uniqueItems: true }, [1, 2, 1], "the value must not have equal entries (positions 0 and 2 are equal)"],
    [{ items: { properties: { a: { type: "string" } } } }, [{}, { a: 1 }], "[1].a must be a string (got 1)"],
    [{ prefixItems: [true], items: false }, [1, 2], "[1] is not allowed"],
    [{ dependentRequired: { a: ["b"] } }, { a: 1 }, "b is missing, it is needed with a"],
    [{ not: { type: "string" } }, "x", "the value is of a form that is excluded"],
    [
      { oneOf: [{ type: "integer" }, { minimum: 2 }] },
      3,
      "the value fits forms 1 and 2 of those allowed, and must fit exactly one",
    ],
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema; this object is never awaited
    [{ if: { required: ["a"] }, then: { required: ["b"] } }, { a: 1 }, "b is missing"],
    [{ properties: { "x y": { type: "string" } } }, { "x y": 1 }, '["x y"] must be a string (got 1)'],
  ];
  for (const [schema, value, message] of single) {
    it(`explains ${JSON.stringify(schema)}`, () => {
      assert.equal(explain(schema, value), message);
    });
  }

  const shapes = {
    oneOf: [
      {
        type: "object",
        properties: { kind: { const: "circle" }, radius: { type: "number" } },
        required: ["kind", "radius"],
      },
      {
        type: "object",
        properties: { kind: { const: "square" }, side: { type: "number" } },
        required: ["kind", "side"],
      },
    ],
    unevaluatedProperties: false,
  };

  it("explains the branch that the discriminator chose [PP-052]", () => {
    assert.equal(explain(shapes, { kind: "square", side: "x" }), 'side must be a number (got "x")');
    assert.equal(explain(shapes, { kind: "circle" }), "radius is missing");
    assert.equal(
      explain(shapes, { kind: "circle", radius: 1, sides: 1 }),
      '"sides" is not known, did you mean "side"? (kind, radius, side)',
    );
  });

  it("lists what the discriminator may be when it is none of them", () => {
    assert.equal(explain(shapes, { kind: "line" }), 'kind must be "circle" or "square" (got "line")');
  });

  it("joins what several branches wanted of a plain value", () => {
    assert.equal(
      explain({ anyOf: [{ type: "string" }, { type: "number" }] }, true),
      "the value must be a string or a number (got true)",
    );
  });

  it("follows references, dynamic ones included", () => {
    const schema = {
      $id: "https://example.com/tree",
      $dynamicAnchor: "node",
      type: "object",
      properties: { children: { items: { $dynamicRef: "#node" } }, name: { type: "string" } },
    };
    assert.equal(
      explain(schema, { children: [{ children: [{ name: 1 }] }] }),
      "children[0].children[0].name must be a string (got 1)",
    );
  });

  it("stops after twenty reasons", () => {
    const issues = createValidator()
      .compile({ items: { type: "string" } })
      .explain(Array.from({ length: 1_000 }, () => 1));
    assert.equal(issues.length, 20);
  });

  it("shortens long texts", () => {
    assert.ok(explain({ type: "number" }, "x".repeat(10_000)).length < 150);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkRequestedSchema, defaultsOf } from "./elicitation-schema.ts";

function form(field: unknown): string | undefined {
  return checkRequestedSchema({ type: "object", properties: { f: field } });
}

const options = [{ const: "a", title: "A" }];

describe("checkRequestedSchema", () => {
  it("wants an object with properties, and may have a dialect and required names [ELIC-006]", () => {
    const properties = { a: { type: "string" } };
    assert.equal(checkRequestedSchema({ type: "object", properties, required: ["a"], $schema: "x" }), undefined);
    assert.equal(
      checkRequestedSchema({ type: "object" }),
      "requestedSchema.properties: expected an object, got nothing",
    );
    assert.equal(
      checkRequestedSchema({ type: "array", items: {} }),
      'requestedSchema.type: expected "object", got "array"',
    );
    assert.equal(
      checkRequestedSchema({ type: "object", properties, required: ["b"] }),
      'requestedSchema.required[0]: expected the name of a property, got "b"',
    );
  });

  it("refuses whatever nests, refers or combines [ELIC-007]", () => {
    const refused = [
      { type: "object", properties: {} },
      { type: "array", items: { type: "object" } },
      { type: "array", items: { type: "number" } },
      { type: "array" },
      { $ref: "#/$defs/a" },
      { type: "string", $ref: "#/$defs/a" },
      { type: "string", allOf: [] },
      { anyOf: [{ type: "string" }, { type: "number" }] },
      { type: "number", oneOf: [] },
      { type: ["string", "null"] },
      { type: "null" },
      true,
    ];
    for (const field of refused) {
      assert.match(form(field) ?? "", /^requestedSchema\.properties\.f.*: expected /, JSON.stringify(field));
    }
    for (const keyword of ["$ref", "allOf", "anyOf", "oneOf", "not"]) {
      const schema = { type: "object", properties: {}, [keyword]: [] };
      assert.match(
        checkRequestedSchema(schema) ?? "",
        new RegExp(`^requestedSchema\\.\\${keyword[0]}?.*: expected a plain`),
      );
    }
  });

  it("takes text fields with lengths, pattern, default and four formats [ELIC-008]", () => {
    for (const format of ["email", "uri", "date", "date-time"]) {
      assert.equal(form({ type: "string", minLength: 1, maxLength: 9, pattern: "a", default: "a", format }), undefined);
    }
    assert.match(form({ type: "string", format: "ipv4" }) ?? "", /f\.format: expected "email", .+ got "ipv4"$/);
    assert.match(
      form({ type: "string", minLength: -1 }) ?? "",
      /f\.minLength: expected an integer of at least 0, got -1$/,
    );
    assert.match(
      form({ type: "string", minLength: 3, maxLength: 2 }) ?? "",
      /f\.maxLength: expected at least minLength/,
    );
    assert.match(form({ type: "string", default: 1 }) ?? "", /f\.default: expected a string, got 1$/);
  });

  it("takes number fields with fractional bounds, and boolean fields [ELIC-009]", () => {
    assert.equal(form({ type: "number", minimum: 0.5, maximum: 1.5, default: 1.25 }), undefined);
    assert.equal(form({ type: "integer", minimum: 0, default: 1 }), undefined);
    assert.equal(form({ type: "boolean", default: false }), undefined);
    assert.match(form({ type: "integer", default: 1.5 }) ?? "", /f\.default: expected an integer, got 1.5$/);
    assert.match(form({ type: "number", minimum: "0" }) ?? "", /f\.minimum: expected a number, got "0"$/);
    assert.match(form({ type: "boolean", default: "no" }) ?? "", /f\.default: expected true or false, got "no"$/);
  });

  it("takes both forms of single choice [ELIC-010]", () => {
    assert.equal(form({ type: "string", enum: ["a"], default: "a" }), undefined);
    assert.equal(form({ type: "string", oneOf: options, default: "a" }), undefined);
    assert.match(form({ type: "string", enum: [1] }) ?? "", /f\.enum\[0\]: expected a string, got 1$/);
    assert.match(form({ type: "string", enum: [] }) ?? "", /f\.enum: expected a list of at least one choice/);
    assert.match(form({ type: "string", oneOf: [{ const: "a" }] }) ?? "", /f\.oneOf\[0\]\.title: expected a string/);
  });

  it("takes both forms of multiple choice [ELIC-011]", () => {
    const bounds = { minItems: 0, maxItems: 2, default: ["a"] };
    assert.equal(form({ type: "array", items: { type: "string", enum: ["a"] }, ...bounds }), undefined);
    assert.equal(form({ type: "array", items: { anyOf: options }, ...bounds }), undefined);
    assert.match(
      form({ type: "array", items: { enum: ["a"] } }) ?? "",
      /f\.items\.type: expected "string", got nothing$/,
    );
    assert.match(
      form({ type: "array", items: { anyOf: options }, default: "a" }) ?? "",
      /f\.default: expected an array/,
    );
    assert.match(form({ type: "array", items: { anyOf: options }, minItems: 2, maxItems: 1 }) ?? "", /f\.maxItems: /);
  });

  it("takes display names beside an enum [ELIC-012]", () => {
    assert.equal(form({ type: "string", enum: ["a"], enumNames: ["A"] }), undefined);
  });
});

describe("defaultsOf", () => {
  it("gives the default of every field that has one, of every type [ELIC-013]", () => {
    const picked = ["a"];
    const defaults = defaultsOf({
      type: "object",
      properties: {
        text: { type: "string", default: "" },
        number: { type: "number", default: 0 },
        flag: { type: "boolean", default: false },
        one: { type: "string", enum: ["a"], default: "a" },
        many: { type: "array", items: { type: "string", enum: ["a"] }, default: picked },
        none: { type: "string" },
      },
    });
    assert.deepEqual(defaults, { text: "", number: 0, flag: false, one: "a", many: ["a"] });
    assert.notEqual(defaults.many, picked);
  });
});

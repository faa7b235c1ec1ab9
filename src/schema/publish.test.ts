import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { dialect7 } from "./dialect.ts";
import { publishRoot } from "./publish.ts";

describe("publishRoot", () => {
  it("closes a root that does not say otherwise [PP-059]", () => {
    assert.deepEqual(publishRoot({ properties: {} }, { closed: true }), {
      type: "object",
      properties: {},
      additionalProperties: false,
    });
    assert.deepEqual(publishRoot({ additionalProperties: {} }, { closed: true }), {
      type: "object",
      additionalProperties: {},
    });
    assert.deepEqual(publishRoot({ type: "object" }, { closed: false }), { type: "object" });
  });

  it("closes combined roots so that members of branches are still known [PP-052] [PP-059]", () => {
    const anyOf = [{ properties: { a: true } }];
    assert.deepEqual(publishRoot({ anyOf }, { closed: true }), { type: "object", anyOf, unevaluatedProperties: false });
    assert.deepEqual(publishRoot({ $schema: dialect7, anyOf }, { closed: true }), {
      $schema: dialect7,
      type: "object",
      anyOf,
    });
  });

  it("leaves the root of a result as it is unless it describes objects [M-JSCH-005]", () => {
    const anyRoot = { closed: false, anyRoot: true };
    for (const schema of [
      { type: "array", items: { type: "string" } },
      { type: ["object", "null"] },
      { enum: ["a", "b"] },
      { anyOf: [{ type: "object" }, { type: "string" }] },
      { oneOf: [{ const: 1 }, { type: "object" }] },
      {},
    ]) {
      assert.equal(publishRoot(schema, anyRoot), schema, JSON.stringify(schema));
    }
    assert.equal(publishRoot({ properties: {} }, anyRoot).type, "object");
    assert.equal(publishRoot({ anyOf: [{ type: "object" }, { $ref: "#/$defs/a" }] }, anyRoot).type, "object");
  });

  it("refuses a root that no argument object can fit", () => {
    assert.throws(() => publishRoot({ type: ["object", "null"] }, { closed: true }), { pointer: "/type" });
    assert.throws(() => publishRoot({ oneOf: [{ type: "object" }, { type: "array" }] }, { closed: true }), {
      pointer: "/oneOf/1/type",
    });
  });
});

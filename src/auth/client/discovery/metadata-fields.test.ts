import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { MetadataFields } from "./metadata-fields.ts";

describe("MetadataFields", () => {
  it("reads fields of the right type", () => {
    const fields = new MetadataFields({ a: "x", b: ["y", "z", "y"], c: true, d: "https://as.example" });
    assert.equal(fields.text("a"), "x");
    assert.deepEqual(fields.texts("b"), ["y", "z"]);
    assert.equal(fields.flag("c"), true);
    assert.equal(fields.address("d"), "https://as.example");
    assert.equal(fields.problem, undefined);
  });

  it("takes null for absence", () => {
    const fields = new MetadataFields({ a: null });
    assert.equal(fields.text("a"), undefined);
    assert.equal(fields.texts("a"), undefined);
    assert.equal(fields.problem, undefined);
  });

  it("keeps the first fault and says what was expected and what came", () => {
    const fields = new MetadataFields({ a: 1, b: "x" });
    assert.equal(fields.text("a"), undefined);
    assert.equal(fields.texts("b"), undefined);
    assert.equal(fields.problem, "expected a to be a text of 1 to 2048 characters, got number");
  });

  it("reads no field that the document does not have itself", () => {
    const fields = new MetadataFields(JSON.parse('{"__proto__": {"resource": "https://evil.example"}}'));
    assert.equal(fields.text("resource"), undefined);
    assert.equal(fields.text("toString"), undefined);
    assert.equal(fields.problem, undefined);
  });

  it("bounds texts, lists and the entries of lists", () => {
    for (const value of [
      "x".repeat(2049),
      "",
      ["x".repeat(2049)],
      Array.from({ length: 1001 }, String),
      [1],
      [["a"]],
    ]) {
      const fields = new MetadataFields({ value });
      assert.equal(Array.isArray(value) ? fields.texts("value") : fields.text("value"), undefined);
      assert.match(fields.problem ?? "", /^expected value to be /);
    }
  });

  it("finds fault with a document that is no object", () => {
    for (const [json, kind] of [
      [[], "a list of 0"],
      ["x", "a text of 1 characters"],
      [null, "null"],
      [7, "number"],
    ]) {
      assert.equal(new MetadataFields(json).problem, `expected a JSON object, got ${String(kind)}`);
    }
  });
});

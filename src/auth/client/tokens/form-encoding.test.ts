import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decodeForm, encodeForm } from "./form-encoding.ts";

describe("encodeForm", () => {
  it("is undone by decodeForm, and leaves alone what need not change", () => {
    assert.equal(encodeForm("a-b_c.d*e"), "a-b_c.d*e");
    assert.equal(encodeForm("a b+c&d=é%"), "a+b%2Bc%26d%3D%C3%A9%25");
    for (const text of ["", "a b+c&d=é%", "=&=", "%41"]) {
      assert.equal(decodeForm(encodeForm(text)), text);
    }
    assert.equal(decodeForm("a&b"), "a&b");
  });
});

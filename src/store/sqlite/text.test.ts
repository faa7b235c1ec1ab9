import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decodeText, encodeText } from "./text.ts";

const texts = [
  "",
  "a",
  "\u0000",
  "\u0001",
  "\u00010",
  "\u00011",
  "\u0001\u0000",
  "\u0000\u0001",
  "a\u0000b",
  "1\u0001\u00010",
];

describe("encodeText", () => {
  it("leaves no NUL, and what it makes can be decoded", () => {
    for (const text of texts.flatMap((one) => texts.map((two) => one + two))) {
      assert.equal(encodeText(text).includes("\u0000"), false);
      assert.equal(decodeText(encodeText(text)), text);
    }
  });

  it("keeps apart what differs, and beginnings what they are", () => {
    for (const one of texts) {
      for (const two of texts) {
        assert.equal(encodeText(one).startsWith(encodeText(two)), one.startsWith(two));
      }
    }
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toShown } from "./shown-text.ts";

describe("toShown", () => {
  it("leaves ordinary text as it is", () => {
    assert.equal(toShown(" Zugriff verweigert: ключ "), "Zugriff verweigert: ключ");
  });

  it("takes out control characters, line ends and turns of direction", () => {
    assert.equal(toShown("a\u001b[2J\r\nb\u009bc\u202ed\u2028e\ud800f"), "a [2J b c d e f");
  });

  it("cuts what is long", () => {
    assert.equal(toShown("x".repeat(1_000_000)), `${"x".repeat(300)}…`);
  });
});

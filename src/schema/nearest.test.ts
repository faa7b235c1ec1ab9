import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nearest } from "./nearest.ts";

describe("nearest", () => {
  it("finds the name one edit away, a swap counting as one", () => {
    assert.equal(nearest("addd", ["sub", "add"]), "add");
    assert.equal(nearest("tset", ["test", "rest"]), "test");
    assert.equal(nearest("coulor", ["size", "color"]), "color");
  });

  it("ignores case and prefers the closest", () => {
    assert.equal(nearest("UserId", ["userIds", "userid"]), "userid");
  });

  it("offers nothing for a name that is merely short or far away", () => {
    assert.equal(nearest("c", ["a", "b"]), undefined);
    assert.equal(nearest("elephant", ["giraffe"]), undefined);
    assert.equal(nearest("x".repeat(65), ["x".repeat(64)]), undefined);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { unknownName } from "./unknown-name.ts";

describe("unknownName", () => {
  it("names the nearest, or says how to find out", () => {
    assert.equal(unknownName("tool", "addd", ["sub", "add"]).message, 'no tool "addd". Did you mean "add"?');
    assert.equal(unknownName("tool", "xyz", ["add"]).message, 'no tool "xyz". Ask for the list first');
    assert.equal(unknownName("tool", "add", []).rpcCode, -32602);
  });

  it("compares a bounded number of names and repeats a bounded part of a long one", () => {
    let compared = 0;
    const endless = {
      *[Symbol.iterator]() {
        for (;;) {
          compared += 1;
          yield `name${compared}`;
        }
      },
    };
    const { message } = unknownName("tool", "x".repeat(10_000), endless);
    assert.ok(compared <= 2_001);
    assert.ok(message.length < 200);
  });
});

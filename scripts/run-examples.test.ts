import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chooseExamples } from "./run-examples.ts";

describe("chooseExamples", () => {
  it("runs the main file of a story, or each of its programs", () => {
    const stories = new Map([
      ["demo", ["main.ts", "server.ts"]],
      ["tools", ["valibot.ts", "part-server.ts", "arktype.ts", "README.md"]],
    ]);
    assert.deepEqual(chooseExamples(stories), [
      "examples/demo/main.ts",
      "examples/tools/arktype.ts",
      "examples/tools/valibot.ts",
    ]);
  });
});

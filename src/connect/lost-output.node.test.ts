import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { tolerateLostOutput } from "./lost-output.node.ts";

describe("tolerateLostOutput", () => {
  it("listens once, however often it is asked to, and swallows a broken pipe", () => {
    tolerateLostOutput();
    const counts = [process.stdout, process.stderr].map((stream) => stream.listenerCount("error"));
    tolerateLostOutput();
    assert.deepEqual(
      [process.stdout, process.stderr].map((stream) => stream.listenerCount("error")),
      counts,
    );
    assert.equal(process.stderr.emit("error", new Error("write EPIPE")), true);
  });
});

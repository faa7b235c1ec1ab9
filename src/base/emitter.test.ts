import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Emitter } from "./emitter.ts";

describe("Emitter", () => {
  it("tells every listener in order, and none after it unsubscribed", () => {
    const heard: string[] = [];
    const emitter = new Emitter<{ change: string }>(assert.ifError);
    const listener = (event: string): number => heard.push(event);
    const off = emitter.on("change", listener);
    emitter.on("change", listener);
    assert.equal(emitter.emit("change", "one"), true);
    off();
    off();
    emitter.emit("change", "two");
    assert.deepEqual(heard, ["one", "one", "two"]);
  });

  it("says when nobody listens", () => {
    const emitter = new Emitter<{ change: string }>(assert.ifError);
    emitter.on("change", () => undefined)();
    assert.equal(emitter.emit("change", "one"), false);
  });

  it("reports a listener that throws and goes on with the others", () => {
    const faults: unknown[] = [];
    const heard: string[] = [];
    const emitter = new Emitter<{ change: string }>((error, name) => faults.push([name, String(error)]));
    emitter.on("change", () => {
      throw new Error("broken listener");
    });
    emitter.on("change", (event) => heard.push(event));
    emitter.emit("change", "one");
    assert.deepEqual(heard, ["one"]);
    assert.deepEqual(faults, [["change", "Error: broken listener"]]);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Notifications } from "./notifications.ts";

describe("Notifications", () => {
  it("calls the listeners of a method and says whether there were any", () => {
    const heard: unknown[] = [];
    const notifications = new Notifications(() => assert.fail());
    const stop = notifications.on("x/a", (params) => heard.push(params));
    assert.equal(notifications.emit("x/a", { n: 1 }), true);
    assert.equal(notifications.emit("x/b", {}), false);
    stop();
    stop();
    assert.equal(notifications.emit("x/a", { n: 2 }), false);
    assert.deepEqual(heard, [{ n: 1 }]);
  });

  it("goes on after a listener that throws, and reports what it threw", () => {
    const faults: unknown[] = [];
    const heard: number[] = [];
    const notifications = new Notifications((error, method) => faults.push([method, String(error)]));
    notifications.on("x/a", () => {
      throw new Error("no");
    });
    notifications.on("x/a", () => heard.push(2));
    notifications.emit("x/a", undefined);
    assert.deepEqual(faults, [["x/a", "Error: no"]]);
    assert.deepEqual(heard, [2]);
  });
});

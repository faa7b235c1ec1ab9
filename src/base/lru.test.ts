import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Lru } from "./lru.ts";

describe("Lru", () => {
  it("drops the entry used longest ago when it is full", () => {
    const map = new Lru<number>(2);
    map.set("a", 1);
    map.set("b", 2);
    map.get("a");
    map.set("c", 3);
    assert.deepEqual([map.get("a"), map.get("b"), map.get("c")], [1, undefined, 3]);
    assert.equal(map.size, 2);
  });

  it("forgets entries whose time is over", () => {
    let now = 0;
    const map = new Lru<number>(10, () => now);
    map.set("a", 1, 100);
    now = 99;
    assert.equal(map.get("a"), 1);
    now = 100;
    assert.equal(map.get("a"), undefined);
    assert.equal(map.size, 0);
  });

  it("deletes on request", () => {
    const map = new Lru<number>(10);
    map.set("a", 1);
    assert.deepEqual([map.delete("a"), map.delete("a"), map.get("a")], [true, false, undefined]);
  });
});

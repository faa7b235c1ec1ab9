import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { chain, drop, fill, inEach, inValues, within } from "./shape.ts";

describe("steps", () => {
  it("return the very same object where there is nothing to change", () => {
    const value = { a: 1, list: [{ b: 2 }], record: { x: { y: 1 } } };
    for (const step of [
      drop("z"),
      within("a", drop("b")),
      within("missing", drop("b")),
      inEach("list", drop("z")),
      inEach("a", drop("z")),
      inValues("record", drop("z")),
      chain(drop("z"), inEach("list", drop("z"))),
    ]) {
      assert.equal(step(value), value);
    }
  });

  it("change copies and never their argument", () => {
    const value = { a: 1, b: 2, list: [{ c: 3, d: 4 }, "text"], record: { x: { y: 1, z: 2 } } };
    const before = structuredClone(value);
    assert.deepEqual(drop("a")(value), { b: 2, list: value.list, record: value.record });
    assert.deepEqual(fill({ a: 9, e: 5 })({ a: 1 }), { a: 1, e: 5 });
    assert.deepEqual(inEach("list", drop("c"))(value).list, [{ d: 4 }, "text"]);
    assert.deepEqual(inValues("record", drop("y"))(value).record, { x: { z: 2 } });
    assert.deepEqual(value, before);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { diffLists, isEmptyDiff } from "./list-diff.ts";

const keyOf = ({ name }: { name: string }): string => name;

describe("diffLists", () => {
  it("tells added, removed and changed items apart [PP-049]", () => {
    const before = [{ name: "a", x: [1] }, { name: "b" }, { name: "c" }];
    const current = [{ name: "a", x: [2] }, { name: "c" }, { name: "d" }];
    assert.deepEqual(diffLists<{ name: string; x?: number[] }>(before, current, keyOf), {
      added: [{ name: "d" }],
      removed: [{ name: "b" }],
      changed: [{ name: "a", x: [2] }],
      current,
    });
  });

  it("takes items whose members come in another order for the same", () => {
    const before = [{ name: "a", s: { type: "object", list: [1, { k: null }] } }];
    const current = [{ s: { list: [1, { k: null }], type: "object" }, name: "a" }];
    assert.ok(isEmptyDiff(diffLists(before, current, keyOf)));
    assert.ok(!isEmptyDiff(diffLists<{ name: string; s?: unknown }>(before, [{ name: "a", s: [] }], keyOf)));
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { readMeta, readProgressToken, withMeta } from "./meta.ts";

describe("readProgressToken", () => {
  it("reads strings and integers under this very key and nothing else [META-006] [META-007] [PROG-001]", () => {
    const tokens = [1, "a", 1.5, {}, null, true].map((progressToken) =>
      readProgressToken({ _meta: { progressToken } }),
    );
    assert.deepEqual(tokens, [1, "a", undefined, undefined, undefined, undefined]);
    assert.equal(readProgressToken({ _meta: { "com.example/progressToken": 1, progresstoken: 2 } }), undefined);
    assert.equal(readProgressToken({ progressToken: 1 }), undefined);
  });
});

describe("readMeta", () => {
  it("gives nothing where there is no object", () => {
    assert.deepEqual([{ _meta: [] }, { _meta: "x" }, {}, undefined].map(readMeta), [
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});

describe("withMeta", () => {
  it("adds a key and keeps the caller's others, without changing the argument [META-001]", () => {
    const params = { name: "add", _meta: { "com.example/x": 1 } };
    assert.deepEqual(withMeta(params, "k", 2), { name: "add", _meta: { "com.example/x": 1, k: 2 } });
    assert.deepEqual(params._meta, { "com.example/x": 1 });
    assert.deepEqual(withMeta(undefined, "k", 2), { _meta: { k: 2 } });
  });
});

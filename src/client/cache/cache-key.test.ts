import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { cacheableMethods, isCacheableMethod, isLaterPage, readKeyUri, toCacheGroup, toCacheKey } from "./cache-key.ts";

describe("toCacheKey", () => {
  it("is the same for params that say the same [M-CACHE-011]", () => {
    const key = toCacheKey({ uri: "a:b", filter: { x: 1, y: [{ p: 1, q: 2 }] } });
    assert.equal(toCacheKey({ filter: { y: [{ q: 2, p: 1 }], x: 1 }, uri: "a:b", cursor: undefined }), key);
    assert.equal(toCacheKey({ _meta: { progressToken: 7 } }), toCacheKey());
  });

  it("differs where the params do, also by an empty cursor or by order in an array [M-CACHE-011]", () => {
    const keys = [
      {},
      { cursor: "" },
      { cursor: "a" },
      { uri: "a" },
      { uri: "A" },
      { list: [1, 2] },
      { list: [2, 1] },
    ].map((params) => toCacheKey(params));
    assert.equal(new Set(keys).size, keys.length);
  });

  it("takes a member called __proto__ for a member", () => {
    const params = JSON.parse('{"x":{"__proto__":{"a":1}}}');
    assert.equal(toCacheKey(params), '{"x":{"__proto__":{"a":1}}}');
  });

  it("has none for requests that carry answers or state [M-CACHE-012]", () => {
    assert.equal(toCacheKey({ uri: "a:b", inputResponses: {} }), undefined);
    assert.equal(toCacheKey({ uri: "a:b", requestState: "" }), undefined);
    assert.equal(toCacheKey({ uri: "a:b", inputResponses: undefined }), toCacheKey({ uri: "a:b" }));
  });

  it("can be read again", () => {
    assert.equal(readKeyUri(toCacheKey({ uri: 'a:"b"' }) ?? ""), 'a:"b"');
    assert.equal(readKeyUri("{}"), undefined);
    assert.equal(isLaterPage(toCacheKey({ cursor: "" }) ?? ""), true);
    assert.equal(isLaterPage("{}"), false);
  });
});

describe("isCacheableMethod", () => {
  it("knows the six methods and no others [M-CACHE-011]", () => {
    assert.equal(cacheableMethods.every(isCacheableMethod), true);
    for (const method of ["tools/call", "prompts/get", "completion/complete", "tasks/get", "toString"]) {
      assert.equal(isCacheableMethod(method), false, method);
    }
  });
});

describe("toCacheGroup", () => {
  const view = { server: "s", revision: "r", owner: "o" };

  it("separates servers, revisions, methods and scopes [M-CACHE-011]", () => {
    const groups = [
      toCacheGroup(view, "tools/list", "private"),
      toCacheGroup(view, "tools/list", "public"),
      toCacheGroup(view, "prompts/list", "private"),
      toCacheGroup({ ...view, server: "s2" }, "tools/list", "private"),
      toCacheGroup({ ...view, revision: "r2" }, "tools/list", "private"),
    ];
    assert.equal(new Set(groups).size, groups.length);
  });

  it("separates owners where results are private, and only there [M-CACHE-013]", () => {
    const other = { ...view, owner: "o2" };
    assert.notEqual(toCacheGroup(view, "tools/list", "private"), toCacheGroup(other, "tools/list", "private"));
    assert.equal(toCacheGroup(view, "tools/list", "public"), toCacheGroup(other, "tools/list", "public"));
  });
});

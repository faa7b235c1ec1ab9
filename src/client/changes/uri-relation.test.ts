import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { areRelatedUris, isWithinUri } from "./uri-relation.ts";

describe("isWithinUri", () => {
  it("takes whole segments", () => {
    assert.equal(isWithinUri("file:///a/b", "file:///a"), true);
    assert.equal(isWithinUri("file:///a/b", "file:///a/"), true);
    assert.equal(isWithinUri("file:///a", "file:///a"), true);
    assert.equal(isWithinUri("file:///ab", "file:///a"), false);
    assert.equal(isWithinUri("file:///a", "file:///a/b"), false);
  });
});

describe("areRelatedUris", () => {
  it("relates a resource with what is above and below it, whatever its query", () => {
    for (const other of ["file:///a/b", "file:///a", "file:///a/", "file:///", "file:///a/b/c", "file:///a/b?x=/c#d"]) {
      assert.equal(areRelatedUris("file:///a/b", other), true, other);
      assert.equal(areRelatedUris(other, "file:///a/b"), true, other);
    }
  });

  it("does not relate siblings", () => {
    for (const other of ["file:///a/c", "file:///a/bc", "http:///a/b", "file:///a/b%2Fc"]) {
      assert.equal(areRelatedUris("file:///a/b", other), false, other);
    }
  });

  it("is done at once with a text of slashes", () => {
    assert.equal(areRelatedUris(`a:${"/".repeat(200_000)}x`, `a:${"/".repeat(200_000)}`), true);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkRootUri, isWithinRoots } from "./roots.ts";

describe("checkRootUri", () => {
  it("takes only URIs that start with file:// [ROOT-003]", () => {
    assert.equal(checkRootUri("file:///users/me/a%20b"), undefined);
    assert.equal(checkRootUri("file:///"), undefined);
    for (const uri of ["https://x", "/home", "file:/home", "", 5, undefined]) {
      assert.match(checkRootUri(uri) ?? "", /^uri: expected a URI that starts with file:\/\/, got /);
    }
  });

  it("refuses traversal, plain and encoded [ROOT-007]", () => {
    const climbing = [
      "file:///a/../b",
      "file:///a/..",
      "file:///a/%2e%2e/b",
      "file:///a/%2E./b",
      "file:///a/%252e%252e/b",
      "file:///a/%25%32%65%2e/b",
      "file:///a/..%2fb",
      "file:///a/..%5cb",
      "file:///a/..\\b",
      "file:///a/%00",
      "file:///a/%ff",
    ];
    for (const uri of climbing) {
      assert.match(checkRootUri(uri, "roots[0].uri") ?? "", /^roots\[0\]\.uri: expected a file URI without/, uri);
    }
    assert.equal(checkRootUri("file:///a/..b/c.."), undefined);
  });

  it("refuses a query and a fragment", () => {
    assert.match(checkRootUri("file:///a?b") ?? "", /without query or fragment/);
    assert.match(checkRootUri("file:///a#b") ?? "", /without query or fragment/);
  });
});

describe("isWithinRoots", () => {
  const roots = [{ uri: "file:///a" }, { uri: "file:///office/space/" }];

  it("finds what lies in a root, and the root itself [ROOT-010]", () => {
    for (const uri of [
      "file:///a",
      "file:///a/",
      "file:///a/b/c",
      "file:///office/space/x",
      "file:///%61/b",
      "file:///./a/b",
    ]) {
      assert.equal(isWithinRoots(uri, roots), true, uri);
    }
  });

  it("keeps out siblings with the same beginning, parents and climbers [ROOT-010]", () => {
    for (const uri of [
      "file:///ab",
      "file:///work",
      "file:///",
      "file:///a/../b",
      "file:///a/%2e%2e/b",
      "file:///a/b/..%2f..%2fetc",
      "file://host/a",
      "https:///a",
      "/a",
    ]) {
      assert.equal(isWithinRoots(uri, roots), false, uri);
    }
  });

  it("takes localhost for no host and drive letters in any case", () => {
    assert.equal(isWithinRoots("file://localhost/a/b", roots), true);
    assert.equal(isWithinRoots("file:///C:/x", [{ uri: "file:///c%3A" }]), true);
    assert.equal(isWithinRoots("file:///A/b", roots), false);
  });

  it("finds nothing in no roots and nothing in an unsafe root", () => {
    assert.equal(isWithinRoots("file:///a", []), false);
    assert.equal(isWithinRoots("file:///a", [{ uri: "file:///b/.." }]), false);
  });
});

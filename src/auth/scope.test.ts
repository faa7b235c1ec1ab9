import assert from "node:assert/strict";
import { describe, it } from "node:test";

import fc from "fast-check";

import { encodeScope, includesAll, isScope, parseScope, unionScopes } from "./scope.ts";

describe("parseScope", () => {
  it("gives every scope once, in order, whatever the spacing", () => {
    assert.deepEqual(parseScope("  files:read  files:write\tfiles:read openid "), [
      "files:read",
      "files:write",
      "openid",
    ]);
    assert.deepEqual(parseScope(""), []);
  });

  it("leaves out what no scope is made of", () => {
    assert.deepEqual(parseScope('ok a"b a\\b caf\u00e9 \u0000 https://x.example/y?z'), ["ok", "https://x.example/y?z"]);
  });

  it("reads back what encodeScope wrote, and never throws", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), (texts) => {
        const scopes = unionScopes(texts);
        assert.deepEqual(parseScope(encodeScope(texts)), scopes);
        assert.ok(scopes.every(isScope));
      }),
    );
  });
});

describe("unionScopes", () => {
  it("keeps the order in which scopes first appear", () => {
    assert.deepEqual(unionScopes(["b", "a"], [], ["a", "c", "b"]), ["b", "a", "c"]);
  });
});

describe("includesAll", () => {
  it("wants every scope, and is content with none", () => {
    assert.equal(includesAll(["a", "b"], ["b", "a"]), true);
    assert.equal(includesAll(["a", "b"], ["a", "c"]), false);
    assert.equal(includesAll([], []), true);
    assert.equal(includesAll(["ab"], ["a"]), false);
  });
});

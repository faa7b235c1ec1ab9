import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { checkPathValue, isSafePathValue } from "./path-value.ts";
import { parseUriTemplate } from "./uri-template.ts";
import { createUriTemplateMatcher } from "./uri-template-match.ts";

function capture(template: string, uri: string): string {
  const parsed = parseUriTemplate(template);
  const matcher = parsed.ok ? createUriTemplateMatcher(parsed.template) : parsed;
  const match = matcher.ok ? matcher.match(uri) : undefined;
  assert.ok(match?.ok, uri);
  return String(match.values.path);
}

describe("checkPathValue", () => {
  it("reports parent segments, however the URI spelled them [RES-017]", () => {
    for (const tail of ["../x", "a/../../x", "a/..", "%2e%2e/x", ".%2E/x", "..%2fx", "..%5Cx", "%2e%2e%5cx"]) {
      assert.match(checkPathValue(capture("file:///{+path}", `file:///${tail}`)) ?? "", /"\.\." segment/, tail);
    }
  });

  it("reports NUL and other control characters [RES-017]", () => {
    assert.match(checkPathValue(capture("file:///{path}", "file:///a%00.txt")) ?? "", /no NUL/);
    assert.match(checkPathValue("a\nb") ?? "", /control character/);
  });

  it("reports dots, separators and NUL that were escaped twice [RES-017]", () => {
    for (const tail of ["%252e%252e/x", "a%252fb", "a%255cb", "a%2500"]) {
      assert.match(checkPathValue(capture("file:///{+path}", `file:///${tail}`)) ?? "", /still percent-encoded/, tail);
    }
  });

  it("reports what leaves the root by starting anew [RES-017]", () => {
    for (const value of ["/etc/passwd", "\\\\host\\share", "C:\\Windows", "c:x"]) {
      assert.match(checkPathValue(value) ?? "", /neither a separator nor a drive letter/, value);
      assert.equal(checkPathValue(value, "absolute"), undefined, value);
    }
    assert.match(checkPathValue("/a/../b", "absolute") ?? "", /"\.\." segment/);
  });

  it("reports separators where one segment is meant [RES-017]", () => {
    assert.match(checkPathValue(capture("file:///{path}", "file:///a%2Fb"), "segment") ?? "", /no separator/);
    assert.match(checkPathValue("a\\b", "segment") ?? "", /no separator/);
    assert.match(checkPathValue(".", "segment") ?? "", /directory itself/);
    assert.equal(checkPathValue("a.b", "segment"), undefined);
  });
});

describe("isSafePathValue", () => {
  it("accepts ordinary names and paths", () => {
    for (const value of ["a", "a/b c/ü.txt", "...", "a..b", ".git", "100%", ""]) {
      assert.equal(isSafePathValue(value), true, value);
    }
    assert.equal(isSafePathValue("a/../b"), false);
    assert.equal(isSafePathValue("a/b", "segment"), false);
  });
});

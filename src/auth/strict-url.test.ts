import assert from "node:assert/strict";
import { describe, it } from "node:test";

import fc from "fast-check";

import { parseStrictUrl, toShownUrl } from "./strict-url.ts";

/** The reason and the problem of a refusal. */
function refusal(text: string, base?: URL): string {
  const result = parseStrictUrl(text, base);
  assert.equal(result.ok, false, text);
  return result.ok ? "" : `${result.reason}: ${result.problem}`;
}

describe("parseStrictUrl", () => {
  it("takes https: to any host, and http: to this machine only [SEC-015] [AUTH-052]", () => {
    for (const text of ["https://as.example/x?y=z", "http://localhost:9000", "http://127.0.0.1/", "http://[::1]:1/"]) {
      assert.equal(parseStrictUrl(text).ok, true, text);
    }
    assert.match(refusal("http://as.example/token"), /^scheme: expected https:, or http: .*, got http: to as.example$/);
    assert.match(refusal("http://10.0.0.1/"), /^scheme:/);
    assert.match(refusal("http://localhost.evil.example/"), /^scheme:/);
  });

  it("refuses every scheme that is not on its list [SEC-025]", () => {
    const texts = [
      "foo://as.example/",
      "ftp://as.example/",
      "file:///etc/passwd",
      "data:text/html,x",
      "blob:https://a.b/c",
    ];
    for (const text of [...texts, "javascript:alert(1)", "ws://as.example/", "urn:a:b", "JAVASCRIPT:x"]) {
      assert.match(refusal(text), /^scheme: expected https:/, text);
    }
  });

  it("refuses control and invisible characters, spaces and backslashes [SEC-027]", () => {
    const marks = [
      "\u0000",
      "\t",
      "\n",
      "\u007f",
      "\u0085",
      "\u200b",
      "\u202e",
      "\u2028",
      "\u00a0",
      "\ufeff",
      " ",
      "\\",
      "\ud800",
    ];
    for (const mark of marks) {
      for (const text of [`https://as.ex${mark}ample/`, `${mark}https://as.example/`, `https://as.example/x${mark}`]) {
        assert.match(refusal(text), /^url: expected a URL without control/, JSON.stringify(text));
      }
    }
  });

  it("refuses what parsers read differently, and what is no URL [SEC-027]", () => {
    for (const text of [
      "",
      "as.example",
      "/token",
      "https:as.example",
      "https:/as.example",
      "https:///as.example",
      "https://",
    ]) {
      assert.match(refusal(text), /^url:/, text);
    }
    assert.match(refusal(`https://as.example/${"x".repeat(8_200)}`), /at most 8192 characters, got 8219/);
  });

  it("refuses user info without showing it [SEC-027]", () => {
    for (const text of ["https://me:secret@as.example/", "https://secret@as.example/", "https://:secret@as.example/"]) {
      assert.match(refusal(text), /^url: .*as\.example/);
      assert.doesNotMatch(refusal(text), /secret/);
    }
  });

  it("reads a relative URL where there is a base, as strictly", () => {
    const base = new URL("https://as.example/a/b");
    const result = parseStrictUrl("../c?d", base);
    assert.equal(result.ok && result.url.href, "https://as.example/c?d");
    assert.match(refusal("http://as.example/", base), /^scheme:/);
    assert.match(refusal("/x\ty", base), /^url:/);
    assert.match(refusal("//me@as.example/", base), /^url:/);
  });
});

describe("toShownUrl", () => {
  it("shows where a URL leads, and nothing that may be a secret", () => {
    assert.equal(toShownUrl("https://me:secret@as.example:1/a?code=secret#secret"), "https://as.example:1/a");
    assert.equal(toShownUrl("https://se@cret@as.example/@a"), "https://as.example/@a");
    assert.equal(toShownUrl("data:text/html,secret"), "data:");
    assert.equal(toShownUrl("me:secret@as.example"), "me:");
    assert.equal(toShownUrl("as.example/a?secret"), "as.example/a");
    assert.equal(toShownUrl("https://as.example/\u001b[31m\n"), "https://as.example/[31m");
    assert.equal(toShownUrl(`https://${"secret".repeat(100)}@as.example/`), "https://as.example/");
  });

  it("is short and fast whatever it is given", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => assert.ok(toShownUrl(text).length <= 200)));
    for (const unit of ["@", "/", "a", ":", "https://", "\\"]) {
      assert.ok(toShownUrl(unit.repeat(200_000)).length <= 200);
    }
  });
});

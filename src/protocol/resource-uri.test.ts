import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { isUriScheme, maxUriLength, parseResourceUri } from "./resource-uri.ts";

function problem(text: string): string {
  const result = parseResourceUri(text);
  assert.equal(result.ok, false, text);
  return result.ok ? "" : result.problem;
}

describe("isUriScheme", () => {
  it("accepts what RFC 3986 calls a scheme and nothing else [RES-016]", () => {
    for (const scheme of ["file", "note+v1", "a", "x-y.z", "GIT"]) {
      assert.equal(isUriScheme(scheme), true, scheme);
    }
    for (const scheme of ["", "1a", "my scheme", "a_b", "note\n", "é"]) {
      assert.equal(isUriScheme(scheme), false, scheme);
    }
  });
});

describe("parseResourceUri", () => {
  it("accepts any scheme that RFC 3986 allows [RES-016]", () => {
    assert.deepEqual(parseResourceUri("note+v1://x"), { ok: true, scheme: "note+v1", rest: "//x" });
    for (const uri of [
      "file:///a%20b.txt",
      "https://example.com/?q=1#top",
      "urn:isbn:0451450523",
      "http://[2001:db8::1]:80/a",
      "GIT://host/(a)@b;c=d,e",
      "x:",
    ]) {
      assert.equal(parseResourceUri(uri).ok, true, uri);
    }
  });

  it("refuses a scheme with a space, and says why [RES-016]", () => {
    assert.match(problem("my scheme://x"), /URI scheme is a letter followed by.*"my scheme"/);
  });

  it("refuses a URI without a scheme [RES-016]", () => {
    assert.match(problem("notes/1"), /starts with a scheme/);
    assert.match(problem("/a:b"), /starts with "\/a"/);
    assert.match(problem(""), /starts with a scheme/);
  });

  it("names the character that has to be percent-encoded [RES-017]", () => {
    assert.match(problem("file:///a b"), /" " at position 9.*as %20/);
    assert.match(problem("file:///ü"), /"ü" at position 8.*as %C3%BC/);
    assert.match(problem("file:///a\u0000"), /"\\u0000" at position 9.*as %00/);
    assert.match(problem("file:///\ud800"), /percent-encoded\./);
  });

  it("refuses broken escapes, second fragments and stray brackets [RES-017]", () => {
    assert.match(problem("file:///%zz"), /two hexadecimal digits.*position 8/);
    assert.match(problem("file:///%4"), /two hexadecimal digits/);
    assert.match(problem("x:a#b#c"), /one "#" at most.*position 5/);
    assert.match(problem("x:a[0]"), /around an IP address/);
    assert.match(problem("x://h]ost/"), /around an IP address/);
  });

  it("refuses more characters than the limit [RES-017]", () => {
    assert.match(problem(`x:${"a".repeat(maxUriLength)}`), /65536 characters.*65538/);
  });
});

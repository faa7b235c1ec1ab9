import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { checkAddress, checkIssuer, isUriText } from "./address.ts";

describe("checkAddress", () => {
  it("takes https anywhere and http on this machine only [AUTH-052]", () => {
    for (const address of [
      "https://as.example/token",
      "http://localhost:3000/a",
      "http://127.0.0.1/",
      "HTTPS://AS.example",
    ]) {
      assert.equal(checkAddress(address), undefined, address);
    }
    assert.match(checkAddress("http://as.example/token") ?? "", /expected https:, or http: to this machine/);
  });

  it("refuses every other scheme, known or not [SEC-024] [SEC-025]", () => {
    for (const address of [
      "javascript:alert(1)",
      "data:text/html,x",
      "file:///etc/passwd",
      "vbscript:x",
      "foo://a",
      "//a/b",
    ]) {
      assert.match(checkAddress(address) ?? "", /expected (https:|an absolute URL)/, address);
    }
  });

  it("refuses what a URL parser would repair [SEC-027]", () => {
    for (const address of [
      "https://as.example/\ntoken",
      " https://as.example",
      "https:/\tas.example",
      "https:as.example",
      "https://as.example\\@evil.example",
      "https://exämple.com",
      "https://",
      `https://as.example/${"a".repeat(3000)}`,
    ]) {
      assert.equal(typeof checkAddress(address), "string", address);
    }
  });

  it("refuses user names and fragments, and shows no password [SEC-027]", () => {
    const problem = checkAddress("https://user:hunter2@as.example/") ?? "";
    assert.match(problem, /without user name and password/);
    assert.doesNotMatch(problem, /hunter2/);
    assert.match(checkAddress("https://as.example/#") ?? "", /without fragment/);
  });
});

describe("checkIssuer", () => {
  it("takes an address without query only", () => {
    assert.equal(checkIssuer("https://as.example/tenant"), undefined);
    assert.match(checkIssuer("https://as.example/?a=1") ?? "", /without query/);
    assert.match(checkIssuer("urn:as") ?? "", /expected https:/);
  });
});

describe("isUriText", () => {
  it("takes URNs and refuses spaces, control characters and quotes", () => {
    assert.equal(isUriText("urn:example:mcp"), true);
    for (const text of ["", "a b", "a\u0000", 'a"b', "a\\b", "é"]) {
      assert.equal(isUriText(text), false, JSON.stringify(text));
    }
  });
});

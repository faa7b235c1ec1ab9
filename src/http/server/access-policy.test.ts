import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { UsageError } from "../../base/error.ts";
import { compileHosts, compileOrigins, isLocalOrigin, parseAuthority, parseOrigin } from "./access-policy.ts";

function allowsHost(rules: (string | RegExp)[], text: string): boolean {
  const host = parseAuthority(text);
  assert.ok(host);
  return compileHosts(rules)(host, text);
}

function allowsOrigin(rules: (string | RegExp)[], text: string): boolean {
  const origin = parseOrigin(text);
  assert.ok(origin);
  return compileOrigins("allowedOrigins", rules)(origin, text);
}

describe("parseAuthority", () => {
  it("takes names and addresses with and without ports, and refuses the rest", () => {
    assert.deepEqual(parseAuthority("Example.COM:8080"), { hostname: "example.com", port: "8080" });
    assert.deepEqual(parseAuthority("[::1]:3000"), { hostname: "[::1]", port: "3000" });
    for (const bad of ["", "a b", "a:b", "a/b", "user@host", "::1", "[::1", "a:1:2", "a:123456", "a\u0000"]) {
      assert.equal(parseAuthority(bad), undefined, bad);
    }
    fc.assert(fc.property(fc.string(), (text) => parseAuthority(text) === undefined || !/[\s/@]/.test(text)));
  });
});

describe("compileHosts", () => {
  it("takes names on any port, on one port, below a domain, and patterns [PP-106]", () => {
    assert.equal(allowsHost(["example.com"], "EXAMPLE.com:8443"), true);
    assert.equal(allowsHost(["example.com"], "example.com.evil.test"), false);
    assert.equal(allowsHost(["example.com:8443"], "example.com:8443"), true);
    assert.equal(allowsHost(["example.com:8443"], "example.com"), false);
    assert.equal(allowsHost(["*.example.com"], "a.b.example.com"), true);
    assert.equal(allowsHost(["*.example.com"], "example.com"), false);
    assert.equal(allowsHost(["*.example.com"], "evilexample.com"), false);
    const pattern = /^[a-z]+\.test$/g;
    assert.deepEqual(
      [1, 2, 3].map(() => allowsHost([pattern], "abc.test")),
      [true, true, true],
    );
    assert.equal(allowsHost([], "localhost"), false);
  });

  it("explains a rule that is no host", () => {
    assert.throws(() => compileHosts(["https://example.com"]), UsageError);
  });
});

describe("compileOrigins", () => {
  it("takes exact origins, any port, subdomains, other schemes and patterns [PP-107]", () => {
    assert.equal(allowsOrigin(["https://example.com"], "https://EXAMPLE.com"), true);
    assert.equal(allowsOrigin(["https://example.com"], "https://example.com:443"), true);
    assert.equal(allowsOrigin(["https://example.com"], "http://example.com"), false);
    assert.equal(allowsOrigin(["https://example.com"], "https://example.com:8443"), false);
    assert.equal(allowsOrigin(["https://*.example.com"], "https://a.example.com"), true);
    assert.equal(allowsOrigin(["https://*.example.com"], "https://example.com"), false);
    assert.equal(allowsOrigin(["http://localhost:*"], "http://localhost:5173"), true);
    assert.equal(allowsOrigin(["chrome-extension://abcdef"], "chrome-extension://abcdef"), true);
    assert.equal(allowsOrigin([/^vscode-webview:\/\//], "vscode-webview://x1"), true);
    assert.equal(allowsOrigin(["null"], "null"), true);
    assert.equal(allowsOrigin(["https://example.com"], "null"), false);
  });

  it("explains a rule that is no origin, by the option's name", () => {
    assert.throws(() => compileOrigins("cors.origins", ["example.com"]), /cors\.origins: expected an origin/);
  });
});

describe("isLocalOrigin", () => {
  it("takes pages of this machine for a loopback host, and of the same host otherwise [PP-106]", () => {
    const check = (origin: string, host: string): boolean => {
      const [page, server] = [parseOrigin(origin), parseAuthority(host)];
      assert.ok(page !== undefined && server !== undefined);
      return isLocalOrigin(page, server);
    };
    assert.equal(check("http://localhost:5173", "127.0.0.1:3000"), true);
    assert.equal(check("http://[::1]:1", "localhost:3000"), true);
    assert.equal(check("http://evil.example", "localhost:3000"), false);
    assert.equal(check("null", "localhost:3000"), false);
    assert.equal(check("chrome-extension://localhost", "localhost"), false);
    assert.equal(check("https://example.com", "example.com"), true);
    assert.equal(check("https://example.com", "example.com:443"), true);
    assert.equal(check("https://example.com:8443", "example.com"), false);
    assert.equal(check("http://localhost", "example.com"), false);
  });
});

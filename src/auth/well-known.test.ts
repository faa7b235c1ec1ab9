import assert from "node:assert/strict";
import { describe, it } from "node:test";

import {
  resourceMetadataPaths,
  resourceMetadataUrls,
  serverMetadataUrls,
  toResourceMetadataUrl,
} from "./well-known.ts";

const urlsOf = (text: string): readonly string[] => resourceMetadataUrls(new URL(text));

describe("resourceMetadataUrls", () => {
  it("names the path form first, then the root [AUTH-009] [AUTH-011]", () => {
    assert.deepEqual(urlsOf("https://mcp.example:8443/public/mcp"), [
      "https://mcp.example:8443/.well-known/oauth-protected-resource/public/mcp",
      "https://mcp.example:8443/.well-known/oauth-protected-resource",
    ]);
  });

  it("names only the root for an endpoint at the root [AUTH-011]", () => {
    assert.deepEqual(urlsOf("https://mcp.example"), ["https://mcp.example/.well-known/oauth-protected-resource"]);
    assert.deepEqual(urlsOf("https://mcp.example/"), ["https://mcp.example/.well-known/oauth-protected-resource"]);
  });

  it("keeps the slash that ends a path, and tries without it for servers that drop it [AUTH-011]", () => {
    assert.deepEqual(urlsOf("https://mcp.example/a/mcp/"), [
      "https://mcp.example/.well-known/oauth-protected-resource/a/mcp/",
      "https://mcp.example/.well-known/oauth-protected-resource/a/mcp",
      "https://mcp.example/.well-known/oauth-protected-resource",
    ]);
  });

  it("drops the slash after the host, keeps the query in the path form, and takes neither fragment nor user info along", () => {
    assert.deepEqual(urlsOf("https://me:pw@mcp.example/mcp?tenant=a#top"), [
      "https://mcp.example/.well-known/oauth-protected-resource/mcp?tenant=a",
      "https://mcp.example/.well-known/oauth-protected-resource",
    ]);
    assert.deepEqual(urlsOf("https://mcp.example/?tenant=a"), [
      "https://mcp.example/.well-known/oauth-protected-resource?tenant=a",
      "https://mcp.example/.well-known/oauth-protected-resource",
    ]);
  });
});

describe("resourceMetadataPaths", () => {
  it("lets a server answer at the path form and at the root [AUTH-009]", () => {
    assert.deepEqual(resourceMetadataPaths(new URL("https://mcp.example/public/mcp?x")), [
      "/.well-known/oauth-protected-resource/public/mcp",
      "/.well-known/oauth-protected-resource",
    ]);
    assert.deepEqual(resourceMetadataPaths(new URL("https://mcp.example/mcp/")), [
      "/.well-known/oauth-protected-resource/mcp/",
      "/.well-known/oauth-protected-resource/mcp",
      "/.well-known/oauth-protected-resource",
    ]);
    assert.deepEqual(resourceMetadataPaths(new URL("https://mcp.example/")), ["/.well-known/oauth-protected-resource"]);
  });
});

describe("toResourceMetadataUrl", () => {
  it("is the first address that a client tries [AUTH-009]", () => {
    for (const text of [
      "https://mcp.example/mcp",
      "https://mcp.example/mcp/",
      "https://mcp.example/",
      "https://mcp.example/a?b=c",
    ]) {
      assert.equal(toResourceMetadataUrl(new URL(text)), urlsOf(text)[0]);
    }
  });
});

describe("serverMetadataUrls", () => {
  it("names three addresses for an issuer with a path, in order [AUTH-022] [M-AUTH-009] [AUTHDRAFT-013]", () => {
    const expected = [
      { url: "https://as.example/.well-known/oauth-authorization-server/tenant1", kind: "oauth" },
      { url: "https://as.example/.well-known/openid-configuration/tenant1", kind: "openid" },
      { url: "https://as.example/tenant1/.well-known/openid-configuration", kind: "openid" },
    ];
    assert.deepEqual(serverMetadataUrls("https://as.example/tenant1"), expected);
    assert.deepEqual(serverMetadataUrls("https://as.example/tenant1/"), expected);
  });

  it("names two addresses for an issuer without a path [AUTH-023] [M-AUTH-009] [AUTHDRAFT-013]", () => {
    const expected = [
      { url: "https://as.example/.well-known/oauth-authorization-server", kind: "oauth" },
      { url: "https://as.example/.well-known/openid-configuration", kind: "openid" },
    ];
    assert.deepEqual(serverMetadataUrls("https://as.example"), expected);
    assert.deepEqual(serverMetadataUrls("https://as.example/"), expected);
  });

  it("stays on the issuer's host, whatever the issuer [PP-085]", () => {
    for (const { url } of serverMetadataUrls("https://as.example//evil.example/x/../@y")) {
      assert.equal(new URL(url).host, "as.example");
    }
  });

  it("names none for what is no issuer", () => {
    for (const text of ["", "as.example", "mailto:a@b.c", "https://as.example/?a", "https://as.example/#a"]) {
      assert.deepEqual(serverMetadataUrls(text), [], text);
    }
  });
});

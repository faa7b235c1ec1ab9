import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { canonicalResource, checkResource, parseResourceMetadata } from "./resource-metadata.ts";

const endpoint = new URL("https://mcp.example/team/mcp");

function problemOf(json: unknown): string {
  const parsed = parseResourceMetadata(json);
  return parsed.ok ? "" : parsed.problem;
}

describe("parseResourceMetadata", () => {
  it("takes over what is read of a document, the identifier byte for byte [PP-097]", () => {
    const json = {
      resource: "HTTPS://MCP.example/team/mcp/",
      authorization_servers: ["https://as.example", "https://as.example"],
      scopes_supported: ["read"],
      dpop_bound_access_tokens_required: true,
      jwks_uri: "javascript:1",
    };
    assert.deepEqual(parseResourceMetadata(json), {
      ok: true,
      value: {
        resource: "HTTPS://MCP.example/team/mcp/",
        authorizationServers: ["https://as.example"],
        scopesSupported: ["read"],
        requiresDpop: true,
      },
    });
  });

  it("takes a document that has an identifier and nothing else", () => {
    assert.deepEqual(parseResourceMetadata({ resource: "urn:a" }), {
      ok: true,
      value: { resource: "urn:a", authorizationServers: [], scopesSupported: undefined, requiresDpop: false },
    });
  });

  it("refuses a document whose fields have the wrong type or are not there", () => {
    assert.match(problemOf([]), /expected a JSON object, got a list/);
    assert.match(problemOf({}), /expected a resource, got none/);
    assert.match(problemOf({ resource: ["https://a.example"] }), /expected resource to be a text/);
    assert.match(problemOf({ resource: "https://a.example", authorization_servers: "https://as" }), /to be a list/);
    assert.match(problemOf({ resource: "https://a.example", authorization_servers: [{}] }), /to be a list/);
    assert.match(problemOf({ resource: "https://a.example", scopes_supported: "read write" }), /scopes_supported/);
    assert.match(
      problemOf({ resource: "https://a.example", dpop_bound_access_tokens_required: "yes" }),
      /true or false/,
    );
  });

  it("refuses an identifier that is no URI", () => {
    assert.match(problemOf({ resource: "https://mcp.example/team/mcp\n" }), /to be a URI, got "https:.*\\n"/);
  });

  it("takes sixteen authorization servers and no more", () => {
    const listOf = (length: number): string[] => Array.from({ length }, (_, index) => `https://as${index}.example`);
    assert.equal(problemOf({ resource: "urn:a", authorization_servers: listOf(16) }), "");
    assert.match(problemOf({ resource: "urn:a", authorization_servers: listOf(17) }), /at most 16 .* got 17/);
  });

  it("is not led astray by prototype keys", () => {
    const json: unknown = JSON.parse('{"__proto__": {"resource": "urn:evil"}, "authorization_servers": []}');
    assert.match(problemOf(json), /expected a resource, got none/);
  });
});

describe("checkResource", () => {
  it("finds the endpoint's own identifier right, however it is written [PP-097]", () => {
    for (const resource of [
      "https://mcp.example/team/mcp",
      "HTTPS://MCP.Example:443/team/mcp",
      "https://mcp.example/team/mcp/",
    ]) {
      assert.equal(checkResource(resource, endpoint), undefined, resource);
    }
  });

  it("finds an identifier right whose path leads to the endpoint", () => {
    for (const resource of [
      "https://mcp.example",
      "https://mcp.example/",
      "https://mcp.example/team",
      "https://mcp.example/team/",
    ]) {
      assert.equal(checkResource(resource, endpoint), undefined, resource);
    }
  });

  it("refuses other hosts, schemes, ports and paths, naming both identifiers [AUTH-013] [AUTHDRAFT-010] [M-AUTH-027]", () => {
    for (const resource of [
      "https://evil.example/team/mcp",
      "http://mcp.example/team/mcp",
      "https://mcp.example:8443/team/mcp",
      "https://mcp.example/team/mc",
      "https://mcp.example/team/mcp/deeper",
      "https://mcp.example/Team",
      "https://mcp.example/team/mcp?a=1",
      "https://user:pw@mcp.example/team/mcp",
      "https://mcp.example.evil.example/team/mcp",
    ]) {
      const problem = checkResource(resource, endpoint) ?? "";
      assert.match(problem, /^expected the resource "https:\/\/mcp\.example\/team\/mcp" or one/, resource);
      assert.ok(problem.includes(`got "${resource}"`), problem);
    }
  });

  it("wants the endpoint's own query where the identifier has one", () => {
    const queried = new URL("https://mcp.example/mcp?tenant=a");
    assert.equal(checkResource("https://mcp.example/mcp?tenant=a", queried), undefined);
    assert.equal(checkResource("https://mcp.example/mcp", queried), undefined);
    assert.match(checkResource("https://mcp.example/mcp?tenant=b", queried) ?? "", /got/);
    assert.match(checkResource("https://mcp.example/?tenant=a", queried) ?? "", /got/);
  });

  it("names the setting that accepts an identifier of another form, and goes by it [PP-098]", () => {
    for (const resource of ["api://0000-1111", "urn:example:mcp"]) {
      assert.match(checkResource(resource, endpoint) ?? "", /accept it with acceptResource$/);
      const seen: unknown[] = [];
      const accept = (...given: unknown[]): boolean => seen.push(...given) > 0;
      assert.equal(checkResource(resource, endpoint, accept), undefined);
      assert.deepEqual(seen, [resource, endpoint]);
      assert.match(checkResource(resource, endpoint, () => false) ?? "", /got/);
    }
  });

  it("refuses fragments, whatever the setting says [PP-098]", () => {
    for (const resource of ["https://mcp.example/team/mcp#", "urn:example:mcp#x"]) {
      assert.match(checkResource(resource, endpoint, () => true) ?? "", /which has a fragment$/);
    }
  });
});

describe("canonicalResource", () => {
  it("leaves out the fragment and keeps path and query [AUTH-043]", () => {
    assert.equal(canonicalResource(new URL("https://h.example/mcp#x")), "https://h.example/mcp");
    assert.equal(canonicalResource(new URL("https://h.example/mcp?a=1#x")), "https://h.example/mcp?a=1");
    assert.equal(canonicalResource(new URL("https://h.example/?a=1")), "https://h.example/?a=1");
  });

  it("writes scheme and host in lower case and no slash for no path [AUTH-044]", () => {
    assert.equal(canonicalResource(new URL("HTTPS://Mcp.Example.com")), "https://mcp.example.com");
    assert.equal(canonicalResource(new URL("https://mcp.example.com/")), "https://mcp.example.com");
    assert.equal(canonicalResource(new URL("https://mcp.example.com:8443/A/")), "https://mcp.example.com:8443/A/");
  });

  it("never has a user name or a password", () => {
    assert.equal(canonicalResource(new URL("https://user:pw@h.example/mcp")), "https://h.example/mcp");
  });
});

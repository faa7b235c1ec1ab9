import assert from "node:assert/strict";
import { describe, it } from "node:test";

import type { ResourceMetadata, ServerMetadata } from "./discovery.ts";
import { chooseScopes, isCovered, unionScopes } from "./scope-choice.ts";

const server: ServerMetadata = { issuer: "https://as.example", token_endpoint: "https://as.example/token" };
const withOffline: ServerMetadata = { ...server, scopes_supported: ["read", "offline_access"] };

function listing(...scopesSupported: string[]): ResourceMetadata {
  return { resource: "https://mcp.example", authorizationServers: [], scopesSupported, requiresDpop: false };
}

describe("chooseScopes", () => {
  it("asks for what is demanded, whether or not anybody lists it [AUTH-017] [AUTH-018] [M-AUTH-017]", () => {
    const choice = { challenged: ["write", "admin"], resourceMetadata: listing("read"), server: withOffline };
    assert.deepEqual(chooseScopes({ ...choice, wantsRefresh: false }), ["write", "admin"]);
  });

  it("asks for all that the resource lists where nothing is demanded, else leaves the scope out [AUTH-039]", () => {
    const resourceMetadata = listing("read", "write");
    assert.deepEqual(chooseScopes({ resourceMetadata, server, wantsRefresh: false }), ["read", "write"]);
    assert.deepEqual(chooseScopes({ challenged: [], resourceMetadata, server, wantsRefresh: false }), [
      "read",
      "write",
    ]);
    assert.equal(chooseScopes({ resourceMetadata: listing(), server, wantsRefresh: false }), undefined);
    assert.equal(chooseScopes({ server, wantsRefresh: false }), undefined);
  });

  it("adds no scope of the authorization server's list [AUTH-040]", () => {
    assert.equal(chooseScopes({ server: withOffline, wantsRefresh: false }), undefined);
    assert.deepEqual(chooseScopes({ resourceMetadata: listing("x"), server: withOffline, wantsRefresh: false }), ["x"]);
  });

  it("goes by configured scopes in place of the list, and beside a demand [AUTH-040]", () => {
    const choice = { resourceMetadata: listing("read", "write"), server, wantsRefresh: false };
    assert.deepEqual(chooseScopes({ ...choice, configured: ["read"] }), ["read"]);
    assert.equal(chooseScopes({ ...choice, configured: [] }), undefined);
    assert.deepEqual(chooseScopes({ ...choice, configured: ["own", "read"], challenged: ["read"] }), ["read", "own"]);
  });

  it("adds offline_access only where the authorization server lists it and it is wanted [M-AUTH-024]", () => {
    const challenged = ["read"];
    assert.deepEqual(chooseScopes({ challenged, server: withOffline, wantsRefresh: true }), ["read", "offline_access"]);
    assert.deepEqual(chooseScopes({ challenged, server: withOffline, wantsRefresh: false }), ["read"]);
    assert.deepEqual(chooseScopes({ challenged, server, wantsRefresh: true }), ["read"]);
    const elsewhere: ServerMetadata = { ...server, scopes_supported: ["read"] };
    assert.deepEqual(chooseScopes({ challenged, server: elsewhere, wantsRefresh: true }), ["read"]);
  });

  it("never sends offline_access alone, in the place of the server's own default", () => {
    assert.equal(chooseScopes({ server: withOffline, wantsRefresh: true }), undefined);
  });
});

describe("chooseScopes, of a server that wants very much", () => {
  const demand = (challenged: string[]) => chooseScopes({ challenged, server, wantsRefresh: false });

  it("asks for a hundred scopes and refuses more, whoever names them", () => {
    const many = Array.from({ length: 101 }, (_, index) => `s${index}`);
    assert.equal(demand(many.slice(1))?.length, 100);
    const refusal = { code: "MCP_AUTHORIZATION", stage: "authorization", message: /at most 100 scopes.*got 101/ };
    assert.throws(() => demand(many), refusal);
    assert.throws(() => chooseScopes({ resourceMetadata: listing(...many), server, wantsRefresh: false }), {
      message: /configure `scopes`/,
    });
  });

  it("asks for 4096 characters of scopes and refuses more, without repeating them", () => {
    assert.equal(demand(["x".repeat(4_096)])?.length, 1);
    assert.throws(() => demand(["x".repeat(4_000), "y".repeat(96)]), /got 2 of 4097 characters\. [^xy]*Where/);
  });
});

describe("unionScopes", () => {
  it("keeps what there was and adds what is demanded, each once [M-AUTH-018]", () => {
    assert.deepEqual(unionScopes(["a"], ["b"]), ["a", "b"]);
    assert.deepEqual(unionScopes(["a", "b"], ["b", "d"]), ["a", "b", "d"]);
  });
});

describe("isCovered", () => {
  it("compares what is demanded with what was granted [PP-088]", () => {
    assert.equal(isCovered(["a"], { grantedScopes: ["a", "b"] }), true);
    assert.equal(isCovered([], { grantedScopes: [] }), true);
    assert.equal(isCovered(["a", "c"], { grantedScopes: ["a", "b"] }), false);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { describeServer } from "../../../../test/fixtures/auth/metadata-web.ts";
import type { ServerMetadata } from "./discovery.ts";
import { checkPkce, parseServerMetadata } from "./server-metadata.ts";

const issuer = "https://as.example/tenant";

function parse(changes: object): ServerMetadata {
  const parsed = parseServerMetadata({ ...describeServer(issuer), ...changes }, issuer);
  assert.ok(parsed.ok, parsed.ok ? "" : parsed.problem);
  return parsed.value;
}

function problemOf(json: unknown): string {
  const parsed = parseServerMetadata(json, issuer);
  return parsed.ok ? "" : parsed.problem;
}

describe("parseServerMetadata", () => {
  it("takes over what the client goes by, and nothing else", () => {
    const known = {
      registration_endpoint: "https://as.example/register",
      scopes_supported: ["read", "offline_access"],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: false,
    };
    const json = { ...known, service_documentation: "javascript:1", subject_types_supported: [1] };
    assert.deepEqual(parse(json), { ...describeServer(issuer), ...known });
  });

  it("wants the issuer to be the same text, not the same URL [AUTH-024] [M-AUTH-008]", () => {
    for (const named of [
      "https://honest.example",
      `${issuer}/`,
      "https://AS.example/tenant",
      "https://as.example:443/tenant",
      "https://as.example/%74enant",
    ]) {
      const problem = problemOf({ ...describeServer(issuer), issuer: named });
      assert.equal(
        problem,
        `expected the issuer to be exactly ${JSON.stringify(issuer)}, got ${JSON.stringify(named)}`,
      );
    }
    assert.match(problemOf({ ...describeServer(issuer), issuer: undefined }), /got none$/);
    assert.match(problemOf({ ...describeServer(issuer), issuer: [issuer] }), /expected issuer to be a text/);
  });

  it("refuses endpoints over http, but for those of this machine [AUTH-052]", () => {
    for (const name of ["authorization_endpoint", "token_endpoint", "registration_endpoint", "revocation_endpoint"]) {
      assert.match(
        problemOf({ ...describeServer(issuer), [name]: "http://as.example/x" }),
        /expected https:, or http: to this machine/,
      );
      assert.equal(parse({ [name]: "http://localhost:8080/x" })[name], "http://localhost:8080/x");
    }
  });

  it("refuses endpoints of any other scheme [SEC-024]", () => {
    for (const address of [
      "javascript:alert(1)//",
      "data:text/html,x",
      "file:///bin/sh",
      "vbscript:x",
      "ms-settings:",
    ]) {
      const problem = problemOf({ ...describeServer(issuer), authorization_endpoint: address });
      assert.match(problem, /^authorization_endpoint: expected https:/, address);
    }
  });

  it("wants a token endpoint, and can do without an authorization endpoint", () => {
    assert.match(
      problemOf({ ...describeServer(issuer), token_endpoint: undefined }),
      /expected a token_endpoint, got none/,
    );
    assert.equal(parse({ authorization_endpoint: undefined }).authorization_endpoint, undefined);
  });

  it("takes null for absence and refuses other types", () => {
    assert.equal("registration_endpoint" in parse({ registration_endpoint: null }), false);
    for (const json of [
      "x",
      [describeServer(issuer)],
      { ...describeServer(issuer), scopes_supported: "a b" },
      { ...describeServer(issuer), scopes_supported: { 0: "a" } },
      { ...describeServer(issuer), client_id_metadata_document_supported: "true" },
      { ...describeServer(issuer), token_endpoint: ["https://as.example/token"] },
    ]) {
      assert.match(problemOf(json), /^expected /);
    }
  });

  it("is not led astray by prototype keys", () => {
    const evil = JSON.stringify({ ...describeServer(issuer), token_endpoint: undefined });
    const json: unknown = JSON.parse(`{"__proto__": {"token_endpoint": "https://evil.example/"}, ${evil.slice(1)}`);
    assert.match(problemOf(json), /expected a token_endpoint, got none/);
  });
});

describe("checkPkce", () => {
  it("finds no fault with a server that names S256 [AUTH-045]", () => {
    assert.equal(checkPkce(parse({ code_challenge_methods_supported: ["plain", "S256"] })), undefined);
  });

  it("finds fault with a server that names no method or not that one [AUTH-045] [AUTH-046]", () => {
    assert.match(checkPkce(parse({ code_challenge_methods_supported: undefined })) ?? "", /got no such field$/);
    assert.match(checkPkce(parse({ code_challenge_methods_supported: [] })) ?? "", /got ""$/);
    assert.match(checkPkce(parse({ code_challenge_methods_supported: ["plain"] })) ?? "", /got "plain"$/);
    assert.match(checkPkce(parse({ code_challenge_methods_supported: ["s256"] })) ?? "", /got "s256"$/);
  });
});

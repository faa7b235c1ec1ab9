import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TokenSet } from "../storage/credential.ts";
import { readTokens, type TokenReadingContext } from "./token-response.ts";

const context: TokenReadingContext = {
  issuer: "https://as.example",
  resource: "https://mcp.example/mcp",
  clientId: "client-1",
  scopes: ["a", "b"],
  hasProof: false,
  receivedAtMs: 1_000,
};

function read(body: Record<string, unknown>, more: Partial<TokenReadingContext> = {}): TokenSet {
  const reading = readTokens({ access_token: "at", ...body }, { ...context, ...more });
  assert.ok(reading.ok);
  return reading.tokens;
}

describe("readTokens", () => {
  it("takes what servers leave out or write differently", () => {
    assert.equal(read({}).tokenType, "Bearer");
    assert.equal(read({ token_type: "bEARER" }).tokenType, "Bearer");
    assert.equal(read({ token_type: null }).tokenType, "Bearer");
    assert.equal(read({ refresh_token: "" }).refreshToken, undefined);
    assert.equal(read({ refresh_token: null }).refreshToken, undefined);
    assert.equal(read({ id_token: 7 }).accessToken, "at");
  });

  it("reads a lifetime as number or text, and none out of anything else [PP-091]", () => {
    assert.equal(read({ expires_in: 60 }).expiresAtMs, 61_000);
    assert.equal(read({ expires_in: "60" }).expiresAtMs, 61_000);
    for (const value of [undefined, null, "", "soon", 0, -1, Number.NaN, {}, [], true]) {
      assert.equal(read({ expires_in: value }).expiresAtMs, undefined, String(value));
    }
    assert.ok(Number.isSafeInteger(read({ expires_in: 1e300 }).expiresAtMs));
    assert.ok(Number.isSafeInteger(read({ expires_in: "Infinity" }).expiresAtMs));
  });

  it("notes the scopes granted as the server says, else as asked for", () => {
    assert.deepEqual(read({ scope: "a  c a" }).grantedScopes, ["a", "c"]);
    assert.deepEqual(read({}).grantedScopes, ["a", "b"]);
    assert.deepEqual(read({ scope: "" }).grantedScopes, ["a", "b"]);
    assert.deepEqual(read({ scope: 7 }).grantedScopes, ["a", "b"]);
    assert.deepEqual(read({}, { scopes: undefined }).grantedScopes, []);
    assert.deepEqual(read({ scope: "a" }).requestedScopes, ["a", "b"]);
  });

  it("takes no scope that is none, and no more of them than are meant", () => {
    assert.deepEqual(read({ scope: 'a \u001b[2J "b" c\u0000 d' }).grantedScopes, ["a", "d"]);
    assert.deepEqual(read({ scope: "x".repeat(20_000) }).grantedScopes, ["a", "b"]);
    const many = Array.from({ length: 2_000 }, (_, index) => `s${index}`);
    assert.equal(read({ scope: many.join(" ") }).grantedScopes.length, 1_000);
  });

  it("refuses an answer without a token that could be sent", () => {
    for (const value of [undefined, null, "", 7, "a b", "a\r\nx: y", "ü"]) {
      assert.equal(readTokens({ access_token: value }, context).ok, false, String(value));
    }
  });

  it("takes a bound token only where a proof was sent [X-DPOP-001]", () => {
    assert.equal(read({ token_type: "DPoP" }, { hasProof: true }).tokenType, "DPoP");
    const reading = readTokens({ access_token: "at", token_type: "DPoP" }, context);
    assert.match(reading.ok ? "" : reading.problem, /no proof of a key was sent/);
  });

  it("refuses token types that nothing is known of", () => {
    for (const value of ["mac", "N_A", 7, {}]) {
      assert.equal(readTokens({ access_token: "at", token_type: value }, context).ok, false, String(value));
    }
  });
});

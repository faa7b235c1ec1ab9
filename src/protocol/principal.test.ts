import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isSamePrincipal, toPrincipalKey } from "./principal.ts";

const ann = { token: "1", clientId: "app", scopes: [], subject: "ann", issuer: "https://a.example" };

describe("isSamePrincipal", () => {
  it("compares user, client and issuer, not tokens and scopes [SEC-019] [SEC-020]", () => {
    assert.equal(isSamePrincipal(ann, { ...ann, token: "2", scopes: ["x"] }), true);
    assert.equal(isSamePrincipal(ann, { ...ann, subject: "bob" }), false);
    assert.equal(isSamePrincipal(ann, { ...ann, clientId: "other" }), false);
    assert.equal(isSamePrincipal(ann, { ...ann, issuer: "https://b.example" }), false);
    assert.equal(isSamePrincipal(ann, undefined), false);
    assert.equal(isSamePrincipal(undefined, undefined), true);
  });
});

describe("toPrincipalKey", () => {
  it("is the same exactly for the same caller, and nothing for nobody", () => {
    const auth = { token: "t", clientId: "a", scopes: [], subject: "u", issuer: "https://as.example" };
    assert.equal(toPrincipalKey(auth), toPrincipalKey({ ...auth, token: "renewed", scopes: ["x"] }));
    for (const other of [{ clientId: "b" }, { subject: "v" }, { issuer: "https://other.example" }]) {
      assert.notEqual(toPrincipalKey(auth), toPrincipalKey({ ...auth, ...other }));
    }
    assert.equal(toPrincipalKey(undefined), undefined);
  });
});

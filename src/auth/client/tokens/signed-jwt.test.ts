import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { generateKeyPair, jwtVerify } from "jose";
import { UsageError } from "../../../base/error.ts";
import { assertSigningAlgorithm, createKeySigner, signJwt } from "./signed-jwt.ts";

describe("signJwt", () => {
  for (const algorithm of ["ES256", "ES384", "ES512", "RS256", "PS256", "EdDSA", "Ed25519"]) {
    it(`signs with ${algorithm} so that anybody can verify it`, async () => {
      const { privateKey, publicKey } = await generateKeyPair(algorithm);
      const jwt = await signJwt({ typ: "x+jwt", kid: undefined }, { sub: "ü" }, createKeySigner(privateKey, algorithm));
      const { payload, protectedHeader } = await jwtVerify(jwt, publicKey);
      assert.deepEqual(payload, { sub: "ü" });
      assert.deepEqual(protectedHeader, { alg: algorithm, typ: "x+jwt" });
    });
  }
});

describe("createKeySigner", () => {
  it("refuses keys of another kind", async () => {
    const { privateKey, publicKey } = await generateKeyPair("ES256");
    const rsa = await generateKeyPair("RS256");
    assert.throws(() => createKeySigner(publicKey, "ES256"), UsageError);
    assert.throws(() => createKeySigner(privateKey, "ES384"), UsageError);
    assert.throws(() => createKeySigner(privateKey, "RS256"), UsageError);
    assert.throws(() => createKeySigner(rsa.privateKey, "RS512"), UsageError);
    assert.throws(() => createKeySigner(rsa.privateKey, "PS256"), UsageError);
  });
});

describe("assertSigningAlgorithm", () => {
  it("takes no algorithm whose key is shared, and not the absence of one [X-DPOP-002]", () => {
    for (const algorithm of ["HS256", "none", "", "A128KW"]) {
      assert.throws(() => assertSigningAlgorithm(algorithm, "algorithm"), UsageError, algorithm);
    }
  });
});

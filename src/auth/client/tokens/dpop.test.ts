import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { describe, it } from "node:test";
import {
  decodeJwt,
  decodeProtectedHeader,
  EmbeddedJWK,
  exportJWK,
  generateKeyPair,
  type JWTPayload,
  jwtVerify,
} from "jose";
import { createGrantRig, startMs } from "../../../../test/fixtures/auth/grant-rig.ts";
import { UsageError } from "../../../base/error.ts";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import { createFakeClock } from "../../../test/clock.ts";
import { openDpopKeys } from "./dpop.ts";
import type { DpopRequest } from "./dpop-keys.ts";
import { createKeySigner } from "./signed-jwt.ts";

const issuer = "https://as.example";
const clock = createFakeClock(startMs);
const resource: DpopRequest = {
  audience: "resource",
  method: "POST",
  url: "https://mcp.example/mcp",
  accessToken: "at",
};
const server: DpopRequest = { audience: "authorization-server", method: "POST", url: "https://as.example/token" };

/** The claims of a proof whose signature, by the key it carries, is right. */
async function verify(proof: string): Promise<JWTPayload> {
  return (await jwtVerify(proof, EmbeddedJWK, { typ: "dpop+jwt", currentDate: new Date(startMs) })).payload;
}

function withNonce(nonce: string): Response {
  return new Response("", { headers: { "dpop-nonce": nonce } });
}

describe("DpopKeys.prove", () => {
  for (const algorithm of ["ES256", "RS256", "Ed25519"]) {
    it(`makes fifty different proofs with ${algorithm}, each of them good and without anything private [X-DPOP-002] [AUTHDRAFT-019]`, async () => {
      const keys = await openDpopKeys({ issuer, algorithm, clock });
      const ids = new Set<unknown>();
      for (let count = 0; count < 50; count += 1) {
        const proof = await keys.prove(resource);
        ids.add((await verify(proof)).jti);
        const { jwk, alg, typ } = decodeProtectedHeader(proof);
        assert.deepEqual([alg, typ], [algorithm, "dpop+jwt"]);
        assert.ok(!Object.keys(jwk ?? {}).some((member) => ["d", "p", "q", "dp", "dq", "qi"].includes(member)));
      }
      assert.equal(ids.size, 50);
      assert.equal(keys.algorithm, algorithm);
    });
  }

  it("names method and endpoint, without query and fragment, time and token [X-DPOP-003] [AUTHDRAFT-019]", async () => {
    const keys = await openDpopKeys({ issuer, clock });
    const claims = await verify(
      await keys.prove({ ...resource, method: "GET", url: "https://u:p@mcp.example:8443/a/mcp?x=1&y#z" }),
    );
    assert.equal(claims.htm, "GET");
    assert.equal(claims.htu, "https://mcp.example:8443/a/mcp");
    assert.equal(claims.iat, startMs / 1_000);
    assert.equal(claims.ath, createHash("sha256").update("at").digest("base64url"));
    assert.deepEqual(Object.keys(claims).sort(), ["ath", "htm", "htu", "iat", "jti"]);
  });

  it("binds the body of requests to resources on demand only [X-DPOP-018]", async () => {
    const plain = await openDpopKeys({ issuer, clock });
    assert.ok(!("content_digest" in decodeJwt(await plain.prove({ ...resource, body: "{}" }))));
    const keys = await openDpopKeys({ issuer, clock, contentDigest: true });
    const claims = decodeJwt(await keys.prove({ ...resource, body: "{ü}" }));
    assert.equal(claims.content_digest, `sha-256=:${createHash("sha256").update("{ü}").digest("base64")}:`);
    assert.ok(!("content_digest" in decodeJwt(await keys.prove({ ...server, body: "a=b" }))));
    assert.ok(!("content_digest" in decodeJwt(await keys.prove(resource))));
  });
});

describe("DpopKeys.takeNonce", () => {
  it("uses the newest nonce, and tells whether it is another one [X-DPOP-006]", async () => {
    const keys = await openDpopKeys({ issuer, clock });
    assert.equal(keys.takeNonce("resource", resource.url, withNonce("n-1")), true);
    assert.equal(decodeJwt(await keys.prove(resource)).nonce, "n-1");
    assert.equal(keys.takeNonce("resource", resource.url, withNonce("n-1")), false);
    assert.equal(keys.takeNonce("resource", `${resource.url}?x`, withNonce("n-2")), true);
    assert.equal(keys.takeNonce("resource", resource.url, new Response("")), false);
    assert.equal(decodeJwt(await keys.prove(resource)).nonce, "n-2");
  });

  it("keeps nonces of the two kinds of server apart, also at one origin, and those of two origins [X-DPOP-007]", async () => {
    const keys = await openDpopKeys({ issuer, clock });
    keys.takeNonce("resource", "https://one.example/mcp", withNonce("r-1"));
    keys.takeNonce("authorization-server", "https://one.example/token", withNonce("a-1"));
    const nonceFor = async (request: DpopRequest): Promise<unknown> => decodeJwt(await keys.prove(request)).nonce;
    assert.equal(await nonceFor({ ...resource, url: "https://one.example/other" }), "r-1");
    assert.equal(await nonceFor({ ...server, url: "https://one.example/token" }), "a-1");
    assert.equal(await nonceFor(resource), undefined);
    assert.equal(await nonceFor(server), undefined);
  });

  it("takes nothing that is no nonce, and forgets the oldest of many", async () => {
    const keys = await openDpopKeys({ issuer, clock });
    for (const nonce of ["", "a b", 'a"b', "x".repeat(3_000)]) {
      assert.equal(keys.takeNonce("resource", resource.url, withNonce(nonce)), false);
    }
    for (let count = 0; count < 101; count += 1) {
      keys.takeNonce("resource", `https://h${count}.example/`, withNonce("n"));
    }
    assert.equal(decodeJwt(await keys.prove({ ...resource, url: "https://h0.example/" })).nonce, undefined);
    assert.equal(decodeJwt(await keys.prove({ ...resource, url: "https://h100.example/" })).nonce, "n");
  });
});

describe("openDpopKeys", () => {
  it("makes a key that cannot be taken out where it is kept nowhere [X-DPOP-008]", async (t) => {
    const generate = t.mock.method(crypto.subtle, "generateKey");
    await openDpopKeys({ issuer, clock });
    assert.deepEqual(
      generate.mock.calls.map(({ arguments: [, isExtractable] }) => isExtractable),
      [false],
    );
  });

  it("keeps one key for each issuer, also when opened twice at once [X-DPOP-004]", async () => {
    const { credentials } = createGrantRig().context;
    const keyOf = async (at: string): Promise<unknown> =>
      decodeProtectedHeader(await (await openDpopKeys({ issuer: at, credentials, clock })).prove(resource)).jwk;
    const [first, second] = await Promise.all([keyOf(issuer), keyOf(issuer)]);
    assert.deepEqual(first, second);
    assert.deepEqual(await keyOf(issuer), first);
    assert.notDeepEqual(await keyOf("https://other.example"), first);
  });

  it("goes on with the kept key's own algorithm", async () => {
    const { credentials } = createGrantRig().context;
    await openDpopKeys({ issuer, credentials, algorithm: "RS256", clock });
    const keys = await openDpopKeys({ issuer, credentials, algorithm: "ES256", clock });
    assert.equal(keys.algorithm, "RS256");
    await verify(await keys.prove(resource));
  });

  it("says so where something else is kept in its place, without showing it [X-CC-013]", async () => {
    for (const text of [
      "hush",
      "{}",
      `{"kty":"oct","k":"hush","alg":"HS256"}`,
      `{"kty":"EC","d":"hush","alg":"ES256"}`,
    ]) {
      const { credentials } = createGrantRig().context;
      await credentials.saveKey(issuer, text);
      await assert.rejects(
        openDpopKeys({ issuer, credentials, clock }),
        (error) => error instanceof AuthorizationError && error.issuer === issuer && !error.message.includes("hush"),
      );
    }
  });

  it("signs by a signer elsewhere, showing only the public members of its key [X-DPOP-008]", async () => {
    const { privateKey, publicKey } = await generateKeyPair("ES384", { extractable: true });
    const signed: number[] = [];
    const inner = createKeySigner(privateKey, "ES384");
    const keys = await openDpopKeys({
      issuer,
      clock,
      signer: {
        algorithm: "ES384",
        publicJwk: { ...(await exportJWK(privateKey)), kid: "device" },
        sign: (data) => {
          signed.push(data.length);
          return inner.sign(data);
        },
      },
    });
    const proof = await keys.prove(resource);
    await verify(proof);
    assert.equal(signed.length, 1);
    assert.deepEqual(decodeProtectedHeader(proof).jwk, await exportJWK(publicKey));
  });

  it("refuses keys that are shared and algorithms that do not sign [X-DPOP-002]", async () => {
    const sign = async (): Promise<Uint8Array> => new Uint8Array();
    const publicJwk = { kty: "EC", crv: "P-256", x: "x", y: "y" };
    await assert.rejects(openDpopKeys({ issuer, clock, algorithm: "HS256" }), UsageError);
    await assert.rejects(openDpopKeys({ issuer, clock, signer: { algorithm: "none", publicJwk, sign } }), UsageError);
    const shared = { algorithm: "ES256", publicJwk: { kty: "oct", k: "k" }, sign };
    await assert.rejects(openDpopKeys({ issuer, clock, signer: shared }), UsageError);
  });
});

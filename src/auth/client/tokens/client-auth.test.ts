import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type CryptoKey, decodeJwt, exportJWK, exportPKCS8, generateKeyPair, jwtVerify } from "jose";
import { startMs, toServer } from "../../../../test/fixtures/auth/grant-rig.ts";
import { UsageError } from "../../../base/error.ts";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import { createFakeClock } from "../../../test/clock.ts";
import type { ServerMetadata } from "../discovery/discovery.ts";
import type { Registration } from "../storage/credential.ts";
import { type ChosenClientAuth, type ClientKey, chooseClientAuth, importClientKey } from "./client-auth.ts";

const issuer = "https://as.example";
const clock = createFakeClock(startMs);

function toClient(more: Partial<Registration> = {}): Registration {
  return { kind: "preregistered", issuer, clientId: "my-client_1.a", redirectUris: [], ...more };
}

function taking(...methods: string[]): ServerMetadata {
  return toServer(issuer, { token_endpoint_auth_methods_supported: methods });
}

/** A server that says nothing of methods. */
const silent: ServerMetadata = { issuer, token_endpoint: `${issuer}/token` };

async function apply({ authenticate }: ChosenClientAuth): Promise<{ body: URLSearchParams; headers: Headers }> {
  const body = new URLSearchParams();
  const headers = new Headers();
  await authenticate(silent, { client_id: "my-client_1.a" }, body, headers);
  return { body, headers };
}

async function makeKey(algorithm = "ES256"): Promise<ClientKey & { readonly publicKey: CryptoKey }> {
  const { privateKey, publicKey } = await generateKeyPair(algorithm);
  return { ...(await importClientKey(privateKey, algorithm, "key-1")), publicKey };
}

describe("chooseClientAuth", () => {
  it("honours what the server lists: basic, post or none [M-AUTH-028] [X-CC-008]", () => {
    const client = toClient({ clientSecret: "s" });
    const methodAt = (server: ServerMetadata): string => chooseClientAuth(server, client).method;
    assert.equal(methodAt(taking("client_secret_post", "client_secret_basic")), "client_secret_basic");
    assert.equal(methodAt(taking("client_secret_post")), "client_secret_post");
    assert.equal(methodAt(taking("none")), "none");
    assert.equal(methodAt(silent), "client_secret_basic");
  });

  it("takes what was agreed at registration first", () => {
    const client = toClient({ clientSecret: "s", tokenEndpointAuthMethod: "client_secret_post" });
    assert.equal(chooseClientAuth(taking("client_secret_basic"), client).method, "client_secret_post");
    assert.equal(chooseClientAuth(silent, { ...client, tokenEndpointAuthMethod: "none" }).method, "none");
  });

  it("is a public client where it has nothing [AUTHDRAFT-021]", async () => {
    for (const server of [silent, taking("none"), taking("client_secret_basic")]) {
      const chosen = chooseClientAuth(server, toClient());
      assert.equal(chosen.method, "none");
      const { body, headers } = await apply(chosen);
      assert.deepEqual([...body], [["client_id", "my-client_1.a"]]);
      assert.deepEqual([...headers], []);
    }
  });

  it("sends the secret by HTTP Basic, readable also for servers that do not decode [X-CC-005] [X-CC-008]", async () => {
    const { body, headers } = await apply(chooseClientAuth(silent, toClient({ clientSecret: "a-b_c.d: é" })));
    assert.deepEqual([...body], []);
    const text = Buffer.from(headers.get("authorization")?.replace("Basic ", "") ?? "", "base64").toString();
    assert.equal(text, "my-client_1.a:a-b_c.d%3A+%C3%A9");
  });

  it("sends the secret in the body where only that is taken [X-CC-008]", async () => {
    const { body, headers } = await apply(
      chooseClientAuth(taking("client_secret_post"), toClient({ clientSecret: "a b" })),
    );
    assert.deepEqual(Object.fromEntries(body), { client_id: "my-client_1.a", client_secret: "a b" });
    assert.deepEqual([...headers], []);
  });

  for (const algorithm of ["ES256", "RS256"]) {
    it(`signs an assertion with ${algorithm}, for the issuer, without client_id beside it [AUTH-030] [X-CC-005] [X-CC-006] [X-CC-007]`, async () => {
      const key = await makeKey(algorithm);
      const chosen = chooseClientAuth(silent, toClient(), key, clock);
      assert.equal(chosen.method, "private_key_jwt");
      const { body, headers } = await apply(chosen);
      assert.deepEqual([...headers], []);
      assert.deepEqual([...body.keys()], ["client_assertion_type", "client_assertion"]);
      assert.equal(body.get("client_assertion_type"), "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
      const { payload, protectedHeader } = await jwtVerify(body.get("client_assertion") ?? "", key.publicKey, {
        audience: issuer,
        issuer: "my-client_1.a",
        subject: "my-client_1.a",
        currentDate: new Date(startMs),
        requiredClaims: ["exp", "iat", "jti"],
      });
      assert.equal(payload.iat, startMs / 1_000);
      assert.equal(payload.exp, startMs / 1_000 + 60);
      assert.deepEqual(protectedHeader, { alg: algorithm, kid: "key-1" });
    });
  }

  it("makes another assertion each time [X-CC-006]", async () => {
    const chosen = chooseClientAuth(silent, toClient(), await makeKey(), clock);
    const ids = new Set<unknown>();
    for (let count = 0; count < 3; count += 1) {
      ids.add(decodeJwt((await apply(chosen)).body.get("client_assertion") ?? "").jti);
    }
    assert.equal(ids.size, 3);
  });

  it("refuses to sign with an algorithm that the server does not list, before anything is sent [X-CC-007]", async () => {
    const key = await makeKey("ES256");
    const server = { ...silent, token_endpoint_auth_signing_alg_values_supported: ["RS256", "PS256"] };
    assert.throws(
      () => chooseClientAuth(server, toClient(), key),
      (error) =>
        error instanceof AuthorizationError &&
        error.stage === "token" &&
        error.issuer === issuer &&
        /signs with ES256, but the server takes only "RS256, PS256"/.test(error.message),
    );
    const listed = { ...silent, token_endpoint_auth_signing_alg_values_supported: ["ES256"] };
    assert.equal(chooseClientAuth(listed, toClient(), key).method, "private_key_jwt");
  });

  it("uses the secret where there are both and the server takes no assertions", async () => {
    const client = toClient({ clientSecret: "s" });
    assert.equal(
      chooseClientAuth(taking("client_secret_basic"), client, await makeKey()).method,
      "client_secret_basic",
    );
  });

  it("says what is missing, without saying the secret [X-CC-013]", async () => {
    const key = await makeKey();
    const refusals: [() => unknown, RegExp][] = [
      [
        () => chooseClientAuth(taking("client_secret_basic"), toClient(), key),
        /has a private key, but the server takes only/,
      ],
      [
        () => chooseClientAuth(taking("tls_client_auth"), toClient({ clientSecret: "hush-hush" })),
        /has a secret, but the server takes only "tls_client_auth"/,
      ],
      [() => chooseClientAuth(silent, toClient({ tokenEndpointAuthMethod: "client_secret_post" })), /no secret/],
      [() => chooseClientAuth(silent, toClient({ tokenEndpointAuthMethod: "private_key_jwt" })), /no private key/],
      [
        () => chooseClientAuth(silent, toClient({ clientSecret: "hush-hush", tokenEndpointAuthMethod: "magic" })),
        /got "magic"/,
      ],
    ];
    for (const [choose, pattern] of refusals) {
      assert.throws(
        choose,
        (error) =>
          error instanceof AuthorizationError && pattern.test(error.message) && !error.message.includes("hush-hush"),
      );
    }
  });
});

describe("importClientKey", () => {
  it("takes PEM, JWK and CryptoKey, and the id of a JWK [X-CC-007]", async () => {
    const { privateKey } = await generateKeyPair("ES256", { extractable: true });
    const jwk = { ...(await exportJWK(privateKey)), kid: "from-jwk" };
    assert.equal((await importClientKey(await exportPKCS8(privateKey), "ES256", "a")).keyId, "a");
    assert.equal((await importClientKey(privateKey, "ES256")).keyId, undefined);
    assert.equal((await importClientKey(jwk, "ES256")).keyId, "from-jwk");
    assert.equal((await importClientKey(jwk, "ES256", "own")).keyId, "own");
    assert.equal((await importClientKey(jwk, "ES256")).signer.algorithm, "ES256");
  });

  it("refuses what is no such key without showing any of it [X-CC-013]", async () => {
    const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
    const jwk = await exportJWK(privateKey);
    const keys = [
      "-----BEGIN EC PRIVATE KEY-----\nhush-hush\n-----END EC PRIVATE KEY-----",
      "-----BEGIN PRIVATE KEY-----\naHVzaC1odXNo\n-----END PRIVATE KEY-----",
      { kty: "oct", k: "hush-hush" },
      { ...jwk, d: "hush-hush" },
      publicKey,
      await exportJWK(publicKey),
    ];
    for (const key of keys) {
      await assert.rejects(
        importClientKey(key, "ES256"),
        (error) => error instanceof UsageError && !/hush-hush|aHVzaC1odXNo/.test(error.message),
      );
    }
    await assert.rejects(importClientKey(jwk, "HS256"), UsageError);
    await assert.rejects(importClientKey(jwk, "ES384"), UsageError);
  });
});

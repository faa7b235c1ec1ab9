import assert from "node:assert/strict";
import { createHash, generateKeyPairSync } from "node:crypto";
import { describe, it } from "node:test";
import { exportJWK, SignJWT } from "jose";
import {
  type Answer,
  createGrantRig,
  createPerson,
  type Person,
  toJson,
} from "../../../../test/fixtures/auth/grant-rig.ts";
import { UsageError } from "../../../base/error.ts";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import { signInAtIdp } from "./idp-sign-in.ts";

const issuer = "https://idp.example";
const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const stranger = generateKeyPairSync("ec", { namedCurve: "P-256" });

interface Claims {
  readonly iss?: string;
  readonly aud?: string;
  readonly nonce?: string;
}

/** An identity provider that knows the page a person was on. */
function createIdp(answerOf: (page: URL) => Record<string, string>, claims: Claims = {}, key = privateKey) {
  const person: Person = createPerson(answerOf);
  const giveToken: Answer = async () => {
    const nonce = person.pages.at(-1)?.searchParams.get("nonce") ?? "";
    const token = new SignJWT({ iss: issuer, aud: "app", sub: "ann", nonce, ...claims })
      .setProtectedHeader({ alg: "ES256", kid: "k1" })
      .setIssuedAt(Math.floor(rig.clock.now() / 1_000))
      .setExpirationTime(Math.floor(rig.clock.now() / 1_000) + 600);
    return toJson({ access_token: "at-idp", token_type: "Bearer", id_token: await token.sign(key) });
  };
  const rig = createGrantRig({
    [`${issuer}/.well-known/openid-configuration`]: () =>
      toJson({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        id_token_signing_alg_values_supported: ["ES256"],
      }),
    [`${issuer}/token`]: giveToken,
    [`${issuer}/jwks`]: async () =>
      toJson({ keys: [{ ...(await exportJWK(publicKey)), kid: "k1", alg: "ES256", use: "sig" }] }),
  });
  const { fetch, record, clock } = rig.context;
  const context = { fetch, record, clock, signal: new AbortController().signal, hold: () => () => undefined };
  const source = signInAtIdp({ issuer, clientId: "app", userAgent: person });
  return { rig, person, source, signIn: async () => source(context) };
}

const agree = (page: URL) => ({ code: "c1", state: page.searchParams.get("state") ?? "" });

async function failure(promise: Promise<unknown>): Promise<AuthorizationError> {
  const error = await promise.catch((reason: unknown) => reason);
  assert.ok(error instanceof AuthorizationError, String(error));
  return error;
}

describe("signInAtIdp", () => {
  it("signs in with state, PKCE and nonce, and gives a verified ID token [X-EMA-021]", async () => {
    const { rig, person, source, signIn } = createIdp(agree);
    const token = await signIn();
    assert.equal(typeof token === "string" && token.split(".").length, 3);
    assert.equal(source.isInteractive, true);
    const { searchParams } = person.pages[0] as URL;
    assert.equal(searchParams.get("scope"), "openid");
    assert.ok(searchParams.get("nonce") && searchParams.get("state"));
    const verifier = rig.sent.find(({ url }) => url === `${issuer}/token`)?.form.get("code_verifier") ?? "";
    assert.equal(searchParams.get("code_challenge"), createHash("sha256").update(verifier).digest("base64url"));
    assert.equal(person.open, 0);
  });

  it("asks for no token after an answer with a wrong state or issuer [X-EMA-021]", async () => {
    for (const change of [{ state: "other" }, { iss: "https://evil.example" }]) {
      const { rig, person, signIn } = createIdp((page) => ({ ...agree(page), ...change }));
      await failure(signIn());
      assert.equal(
        rig.sent.some(({ method }) => method === "POST"),
        false,
      );
      assert.equal(person.open, 0);
    }
  });

  it("refuses an ID token with another nonce, audience, issuer or signature, without showing it [X-EMA-021]", async () => {
    for (const run of [
      createIdp(agree, { nonce: "other" }),
      createIdp(agree, { aud: "other" }),
      createIdp(agree, { iss: "https://evil.example" }),
      createIdp(agree, {}, stranger.privateKey),
    ]) {
      const error = await failure(run.signIn());
      assert.equal(error.issuer, issuer);
      assert.equal(error.cause, undefined);
      assert.doesNotMatch(`${error.message}${run.rig.steps()}`, /eyJ|at-idp/);
    }
  });

  it("has the user sign in once while the token is good, also for several at once, and anew when it ends [X-EMA-018]", async () => {
    const { rig, person, signIn } = createIdp(agree);
    const [one, two] = await Promise.all([signIn(), signIn()]);
    assert.equal(one, two);
    assert.equal(await signIn(), one);
    assert.equal(person.pages.length, 1);
    await rig.clock.advance(600_000);
    assert.notEqual(await signIn(), one);
    assert.equal(person.pages.length, 2);
  });

  it("lets others sign in after one has failed", async () => {
    let visits = 0;
    const { signIn } = createIdp((page) =>
      ++visits === 1 ? { error: "access_denied", state: agree(page).state } : agree(page),
    );
    const [first, second] = await Promise.allSettled([signIn(), signIn()]);
    assert.equal(first.status, "rejected");
    assert.equal(second.status, "fulfilled");
  });

  it("refuses an issuer that is not reached by TLS, and parameters of the protocol [X-EMA-016]", () => {
    const userAgent = createPerson(agree);
    assert.throws(() => signInAtIdp({ issuer: "http://idp.example", clientId: "app", userAgent }), UsageError);
    assert.throws(
      () => signInAtIdp({ issuer, clientId: "app", userAgent, extraParameters: { nonce: "n" } }),
      UsageError,
    );
  });
});

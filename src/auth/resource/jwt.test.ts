import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { base64url, generateKeyPair, SignJWT } from "jose";
import { createResourceRequest } from "../../../test/fixtures/resource-request.ts";
import { TokenIssuer, type TokenSpelling } from "../../../test/fixtures/token-issuer.ts";
import { UsageError } from "../../base/error.ts";
import { createFakeClock, type FakeClock } from "../../test/clock.ts";
import { type JwtVerifierOptions, jwtVerifier } from "./jwt.ts";
import { isTokenRejected, isVerifierUnavailable, type VerifiedToken, type Verifier } from "./verifier.ts";

const audience = "https://mcp.example/mcp";
const context = { resource: audience, request: createResourceRequest() };

let clock: FakeClock;
let issuer: TokenIssuer;
beforeEach(async () => {
  clock = createFakeClock(1_800_000_000_000);
  issuer = await TokenIssuer.create(clock);
});

function create(options: Partial<JwtVerifierOptions> = {}): Verifier {
  return jwtVerifier({ issuer: issuer.issuer, audience, clock, fetch: issuer.fetch, ...options });
}

async function verify(verifier: Verifier, token: string): Promise<VerifiedToken> {
  const verified = await verifier(token, context);
  assert.ok(verified);
  return verified;
}

async function rejects(verifier: Verifier, token: string, why: RegExp): Promise<void> {
  await assert.rejects(
    async () => verifier(token, context),
    (error) => isTokenRejected(error) && why.test(error.message) && !error.message.includes(token),
  );
}

async function unavailable(verifier: Verifier, token: string): Promise<void> {
  await assert.rejects(async () => verifier(token, context), isVerifierUnavailable);
}

describe("jwtVerifier", () => {
  it("accepts tokens of the strict profile", async () => {
    const { claims, ...verified } = await verify(create(), await issuer.sign());
    assert.deepEqual(verified, {
      clientId: "client-1",
      scopes: ["files:read"],
      audience: [audience],
      subject: "user-1",
      issuer: issuer.issuer,
      expiresAtMs: clock.now() + 3_600_000,
      keyThumbprint: undefined,
    });
    assert.equal(claims?.jti, "t-1");
  });

  it("refuses a token that fails one check, and says which [AUTH-060] [AUTH-061] [M-AUTH-026] [AUTHDRAFT-034] [PP-104] [X-WIF-011]", async () => {
    const { privateKey } = await generateKeyPair("ES256");
    const now = clock.now() / 1_000;
    const faults: readonly (readonly [TokenSpelling, RegExp])[] = [
      [{ claims: { exp: now - 31 } }, /expired/],
      [{ claims: { exp: undefined } }, /lacks the claim exp/],
      [{ claims: { exp: "never" } }, /claim exp/],
      [{ claims: { aud: "https://sister.example/mcp" } }, /another resource/],
      [{ claims: { aud: undefined } }, /lacks the claim aud/],
      [{ claims: { aud: `${audience}/more` } }, /another resource/],
      [{ claims: { iss: "https://evil.example" } }, /authorization server/],
      [{ claims: { iss: undefined } }, /authorization server/],
      [{ claims: { nbf: now + 31 } }, /not valid yet/],
      [{ claims: { sub: undefined } }, /lacks the claim sub/],
      [{ claims: { client_id: undefined } }, /lacks the claim client_id/],
      [{ claims: { client_id: 7 } }, /claim client_id/],
      [{ header: { typ: "JWT" } }, /at\+jwt/],
      [{ header: { typ: undefined } }, /at\+jwt/],
      [{ header: { kid: "other" } }, /does not publish/],
      [{ key: privateKey }, /signature/],
    ];
    const verifier = create();
    for (const [spelling, why] of faults) {
      await rejects(verifier, await issuer.sign(spelling), why);
    }
    for (const token of ["opaque", "a.b.c", "..", `${base64url.encode('{"alg":"none"}')}.${base64url.encode("{}")}.`]) {
      await rejects(verifier, token, /./);
    }
    assert.ok(await verify(verifier, await issuer.sign({ claims: { exp: now - 29 } })));
  });

  it("takes no algorithm with a shared secret, nor none, nor one that is not listed [PP-104]", async () => {
    const claims = { iss: issuer.issuer, aud: audience, exp: clock.now() / 1_000 + 60 };
    const shared = await new SignJWT(claims)
      .setProtectedHeader({ alg: "HS256", typ: "at+jwt" })
      .sign(new Uint8Array(32));
    const none = [{ alg: "none", typ: "at+jwt" }, claims]
      .map((part) => base64url.encode(JSON.stringify(part)))
      .join(".");
    await rejects(create(), shared, /algorithm/);
    await rejects(create(), `${none}.`, /./);
    await rejects(create({ algorithms: ["RS256"] }), await issuer.sign(), /algorithm/);
    assert.throws(() => create({ algorithms: ["HS256"] }), UsageError);
    assert.throws(() => create({ algorithms: [] }), UsageError);
    assert.throws(() => create({ audience: [] }), UsageError);
    assert.throws(() => create({ jwksUri: "http://login.example/keys" }), UsageError);
  });

  it("reads scopes and client in the spellings of other servers where it is told to be tolerant", async () => {
    const verifier = create({ profile: "tolerant", scopeClaims: ["scope", "scp", "permissions"] });
    const header = { typ: "JWT" };
    const bare = { client_id: undefined, scope: undefined, sub: undefined, jti: undefined };
    const spellings: readonly (readonly [object, string, readonly string[]])[] = [
      [{ azp: "a", scp: ["x", "y"] }, "a", ["x", "y"]],
      [{ cid: "b", scp: "x y" }, "b", ["x", "y"]],
      [{ appid: "c", permissions: ["p"], scope: "x" }, "c", ["x", "p"]],
      [{ client_id: "d", scope: [1, "x", ""] }, "d", ["x"]],
    ];
    for (const [claims, clientId, scopes] of spellings) {
      const verified = await verify(verifier, await issuer.sign({ header, claims: { ...bare, ...claims } }));
      assert.deepEqual([verified.clientId, verified.scopes], [clientId, scopes]);
    }
    await rejects(verifier, await issuer.sign({ header, claims: bare }), /no client/);
  });

  it("takes no name of a user or client but a text, and a number where it is told to be tolerant [SEC-019] [AUTH-060]", async () => {
    const tolerant = create({ profile: "tolerant" });
    for (const claim of ["sub", "client_id"]) {
      for (const name of [2, true, {}, ["user-1"], null, ""]) {
        await rejects(create(), await issuer.sign({ claims: { [claim]: name } }), new RegExp(`claim ${claim} `));
      }
      for (const name of [true, {}, ["user-1"], 1.5]) {
        await rejects(tolerant, await issuer.sign({ claims: { [claim]: name } }), new RegExp(`claim ${claim} `));
      }
    }
    const numbers = await verify(tolerant, await issuer.sign({ claims: { sub: 2, client_id: 7 } }));
    assert.deepEqual([numbers.subject, numbers.clientId], ["2", "7"]);
  });

  it("takes a client that acts for itself, and calls it no user [X-CC-014]", async () => {
    const own = await verify(create(), await issuer.sign({ claims: { sub: "client-1" } }));
    assert.equal(own.subject, undefined);
    const none = await verify(create({ profile: "tolerant" }), await issuer.sign({ claims: { sub: undefined } }));
    assert.equal(none.subject, undefined);
    await rejects(
      create(),
      await issuer.sign({ claims: { sub: "client-1", aud: "https://other.example" } }),
      /another/,
    );
  });

  it("tells a bound token from a plain one, also when the binding is malformed [X-DPOP-013]", async () => {
    const thumbprintOf = async (cnf: unknown) =>
      (await verify(create(), await issuer.sign({ claims: { cnf } }))).keyThumbprint;
    assert.equal(await thumbprintOf({ jkt: "abc" }), "abc");
    assert.equal(await thumbprintOf({ jkt: 5 }), "");
    assert.equal(await thumbprintOf({}), undefined);
  });

  it("takes the client for the audience only where that is asked for, and only of tokens without any [AUTH-061]", async () => {
    const verifier = create({ audience: [audience, "client-1"], audienceFallback: "client" });
    const bare = await issuer.sign({ claims: { aud: undefined } });
    assert.deepEqual((await verify(verifier, bare)).audience, ["client-1"]);
    assert.ok(await verify(verifier, await issuer.sign()));
    for (const aud of ["https://sister.example/mcp", [], "", null, 7]) {
      await rejects(verifier, await issuer.sign({ claims: { aud } }), /another resource/);
    }
    await rejects(verifier, await issuer.sign({ claims: { aud: undefined, client_id: "client-2" } }), /another/);
    await rejects(create({ audience: [audience, "client-1"] }), bare, /lacks the claim aud/);
  });

  it("holds claims to the values they must have, and reads them as it is told", async () => {
    const verifier = create({
      expectedClaims: { use: ["access", "api"], kind: "a" },
      interpret: (reading, claims) => ({ ...reading, subject: undefined, scopes: [`${claims.kind}:x`] }),
    });
    for (const use of ["access", "api", ["id", "api"]]) {
      const verified = await verify(verifier, await issuer.sign({ claims: { use, kind: "a" } }));
      assert.deepEqual([verified.subject, verified.scopes], [undefined, ["a:x"]]);
    }
    for (const use of ["id", "Access", undefined, ["id"], 7, { access: true }]) {
      await rejects(verifier, await issuer.sign({ claims: { use, kind: "a" } }), /claim use/);
    }
    await rejects(verifier, await issuer.sign({ claims: { use: "api" } }), /claim kind/);
  });

  it("fetches metadata and keys once for many tokens at once [PP-104]", async () => {
    const verifier = create();
    const tokens = await Promise.all(Array.from({ length: 20 }, () => issuer.sign()));
    await Promise.all(tokens.map((token) => verify(verifier, token)));
    assert.deepEqual(issuer.log, ["/.well-known/oauth-authorization-server", "/keys"]);
  });

  it("follows the rotation of keys with one fetch in a cooldown, and refuses keys that are gone [PP-104] [X-EMA-017]", async () => {
    const verifier = create({ jwksUri: "https://login.example/keys" });
    const old = await issuer.sign();
    await verify(verifier, old);
    await issuer.rotate("key-2");
    const fresh = await issuer.sign();
    await rejects(verifier, fresh, /does not publish/);
    assert.deepEqual(issuer.log, ["/keys"]);
    await clock.advance(30_000);
    await Promise.all(Array.from({ length: 10 }, () => verify(verifier, fresh)));
    assert.deepEqual(issuer.log, ["/keys", "/keys"]);
    await rejects(verifier, old, /does not publish/);
    const unknown = await issuer.sign({ header: { kid: "made-up" } });
    await Promise.all(Array.from({ length: 10 }, () => rejects(verifier, unknown, /does not publish/)));
    assert.deepEqual(issuer.log, ["/keys", "/keys"]);
  });

  it("says that it cannot know while the issuer is out of reach, asks it seldom, and recovers [PP-103]", async () => {
    const verifier = create();
    const token = await issuer.sign();
    for (const failure of [0, 500, 404]) {
      issuer.failure = failure;
      issuer.log.length = 0;
      await unavailable(verifier, token);
      const asked = issuer.log.length;
      assert.ok(asked > 0);
      await unavailable(verifier, token);
      assert.equal(issuer.log.length, asked);
      await clock.advance(5_000);
    }
    issuer.failure = undefined;
    assert.ok(await verify(verifier, token));
  });

  it("uses keys it has for an hour where they cannot be fetched again", async () => {
    const verifier = create();
    const sign = () => issuer.sign();
    await verify(verifier, await sign());
    issuer.failure = 500;
    await clock.advance(3_000_000);
    assert.ok(await verify(verifier, await sign()));
    await unavailable(verifier, await issuer.sign({ header: { kid: "newer" } }));
    await clock.advance(700_000);
    await unavailable(verifier, await sign());
  });

  it("does not believe metadata that names another issuer", async () => {
    const verifier = create({
      fetch: async (url, init) =>
        url.includes(".well-known")
          ? Response.json({ issuer: "https://evil.example", jwks_uri: "https://evil.example/keys" })
          : issuer.fetch(url, init),
    });
    await unavailable(verifier, await issuer.sign());
    assert.deepEqual(issuer.log, []);
  });

  it("tries several keys where a token does not say which", async () => {
    await issuer.add("key-2");
    const token = await issuer.sign({ header: { kid: undefined } });
    assert.ok(await verify(create(), token));
    const { privateKey } = await generateKeyPair("ES256");
    await rejects(create(), await issuer.sign({ header: { kid: undefined }, key: privateKey }), /signature/);
  });

  it("keeps the keys of several issuers apart [AUTH-060]", async () => {
    const other = await TokenIssuer.create(clock, "https://other.example");
    const fetch: JwtVerifierOptions["fetch"] = (url, init) =>
      (url.startsWith("https://other") ? other : issuer).fetch(url, init);
    const verifier = create({ issuer: [issuer.issuer, other.issuer], fetch });
    assert.equal((await verify(verifier, await other.sign())).issuer, "https://other.example");
    await rejects(verifier, await other.sign({ claims: { iss: issuer.issuer } }), /signature/);
  });
});

import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { calculateJwkThumbprint, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { createResourceRequest, type RequestSpelling, readChallenge } from "../../../test/fixtures/resource-request.ts";
import { TokenIssuer } from "../../../test/fixtures/token-issuer.ts";
import { createMemoryStore } from "../../store/memory.ts";
import { createFakeClock, type FakeClock } from "../../test/clock.ts";
import type { DpopOptions } from "./dpop.ts";
import { protectResource } from "./guard.ts";
import { hashText } from "./hash.ts";
import type { ResourceAuthentication, ResourceGuard } from "./message.ts";
import type { ResourceOptions } from "./options.ts";

type KeyPair = Awaited<ReturnType<typeof generateKeyPair>>;

const audience = "https://mcp.example/mcp";

let clock: FakeClock;
let issuer: TokenIssuer;
let keys: KeyPair;
let publicKey: JWK;
let token: string;
let serial = 0;
beforeEach(async () => {
  clock = createFakeClock(1_800_000_000_000);
  issuer = await TokenIssuer.create(clock);
  keys = await generateKeyPair("ES256", { extractable: true });
  publicKey = await exportJWK(keys.publicKey);
  token = await issuer.sign({ claims: { cnf: { jkt: await calculateJwkThumbprint(publicKey) } } });
});

function protect(dpop: boolean | DpopOptions = true, options: Partial<ResourceOptions> = {}): ResourceGuard {
  return protectResource({ issuer: issuer.issuer, audience, clock, fetch: issuer.fetch, dpop, ...options });
}

interface ProofSpelling {
  readonly header?: object;
  readonly claims?: object;
  readonly key?: KeyPair["privateKey"];
}

/** A good proof for a POST to the endpoint, which `spelling` changes. */
async function prove({ header = {}, claims = {}, key = keys.privateKey }: ProofSpelling = {}): Promise<string> {
  serial += 1;
  const iat = clock.now() / 1_000;
  const usual = { jti: `proof-${serial}`, htm: "POST", htu: audience, iat, ath: await hashText(token) };
  return new SignJWT(JSON.parse(JSON.stringify({ ...usual, ...claims })))
    .setProtectedHeader(JSON.parse(JSON.stringify({ alg: "ES256", typ: "dpop+jwt", jwk: publicKey, ...header })))
    .sign(key);
}

function present(
  guard: ResourceGuard,
  dpop: string | undefined,
  authorization = `DPoP ${token}`,
  spelling: RequestSpelling = {},
): Promise<ResourceAuthentication> {
  return guard.authenticate(createResourceRequest({ ...spelling, headers: { authorization, dpop } }));
}

/** The error of the challenge, or `ok`. */
async function verdict(...args: Parameters<typeof present>): Promise<string | undefined> {
  const outcome = await present(...args);
  if (outcome.ok) {
    return "ok";
  }
  assert.equal(outcome.reply.status, 401);
  return readChallenge(outcome.reply).error;
}

describe("tokens bound to a key", () => {
  it("are accepted with a proof of the key [AUTHDRAFT-020]", async () => {
    const outcome = await present(protect(), await prove());
    assert.ok(outcome.ok);
    assert.equal(outcome.auth.subject, "user-1");
    assert.equal(await verdict(protect(), await prove({ claims: { htu: "HTTPS://MCP.example:443/mcp?x#y" } })), "ok");
  });

  it("are refused when any part of the proof is wrong [X-DPOP-010] [X-DPOP-012] [AUTHDRAFT-020]", async () => {
    const other = await generateKeyPair("ES256", { extractable: true });
    const privateJwk = await exportJWK(keys.privateKey);
    const rsa = await generateKeyPair("RS256");
    const faults: readonly ProofSpelling[] = [
      { header: { typ: "JWT" } },
      { header: { typ: undefined } },
      { header: { jwk: undefined } },
      { header: { jwk: privateJwk } },
      { header: { jwk: { ...publicKey, k: "AAAA" } } },
      { header: { jwk: { kty: "oct", k: "AAAA" } } },
      { header: { jwk: "text" } },
      { key: other.privateKey },
      { key: other.privateKey, header: { jwk: await exportJWK(other.publicKey) } },
      { key: rsa.privateKey, header: { alg: "RS256", jwk: await exportJWK(rsa.publicKey) } },
      { claims: { htm: "GET" } },
      { claims: { htm: undefined } },
      { claims: { htu: "https://mcp.example/other" } },
      { claims: { htu: "http://mcp.example/mcp" } },
      { claims: { htu: "nonsense" } },
      { claims: { htu: undefined } },
      { claims: { ath: undefined } },
      { claims: { ath: await hashText("other") } },
      { claims: { jti: undefined } },
      { claims: { jti: "" } },
      { claims: { jti: "x".repeat(513) } },
      { claims: { iat: undefined } },
      { claims: { iat: "now" } },
    ];
    const guard = protect({ algorithms: ["ES256"] });
    for (const fault of faults) {
      const outcome = await present(guard, await prove(fault));
      assert.ok(!outcome.ok, JSON.stringify(fault));
      const { scheme, error, algs } = readChallenge(outcome.reply);
      assert.deepEqual([outcome.reply.status, scheme, error, algs], [401, "DPoP", "invalid_dpop_proof", "ES256"]);
    }
    const [one, two] = [await prove(), await prove()];
    for (const header of [undefined, "", "x", "a.b.c", `${one}, ${two}`, `${one}${"A".repeat(8_192)}`]) {
      assert.equal(await verdict(guard, header), "invalid_dpop_proof");
    }
  });

  it("take proofs made within five minutes either way [X-DPOP-011]", async () => {
    const now = clock.now() / 1_000;
    const at = async (iat: number) => verdict(protect(), await prove({ claims: { iat } }));
    assert.deepEqual(
      [await at(now - 301), await at(now - 299), await at(now + 299), await at(now + 301)],
      ["invalid_dpop_proof", "ok", "ok", "invalid_dpop_proof"],
    );
  });

  it("are refused as plain bearer tokens, whether or not proofs are taken [X-DPOP-013]", async () => {
    assert.equal(await verdict(protect(), await prove(), `Bearer ${token}`), "invalid_token");
    assert.equal(await verdict(protect(false), undefined, `Bearer ${token}`), "invalid_token");
  });

  it("are checked for their audience like any other [X-DPOP-014]", async () => {
    const jkt = await calculateJwkThumbprint(publicKey);
    token = await issuer.sign({ claims: { aud: "https://other.example", cnf: { jkt } } });
    assert.equal(await verdict(protect(), await prove()), "invalid_token");
  });

  it("are taken with each proof once, also between nodes that share a store [X-DPOP-015] [AUTHDRAFT-020]", async () => {
    const store = createMemoryStore({ clock });
    const [one, two] = [protect(true, { store }), protect(true, { store })];
    const proof = await prove({ claims: { iat: clock.now() / 1_000 + 290 } });
    assert.equal(await verdict(one, proof), "ok");
    assert.equal(await verdict(one, proof), "invalid_dpop_proof");
    await clock.advance(580_000);
    assert.equal(await verdict(two, proof), "invalid_dpop_proof");
    const free = protect({ replayProtection: false });
    const again = await prove();
    assert.deepEqual([await verdict(free, again), await verdict(free, again)], ["ok", "ok"]);
  });

  it("get 503 while the store of proofs is out of reach [PP-103]", async () => {
    const store = { ...createMemoryStore(), set: () => Promise.reject(new Error("no connection")) };
    const outcome = await present(protect(true, { store }), await prove());
    assert.equal(outcome.ok ? 200 : outcome.reply.status, 503);
  });

  it("need a nonce where that is asked for, which every reply brings and every node knows [X-DPOP-012] [X-DPOP-015]", async () => {
    const secret = new Uint8Array(32).fill(7);
    const [one, two] = [protect({ nonce: secret }), protect({ nonce: secret })];
    const first = await present(one, await prove());
    assert.ok(!first.ok);
    assert.equal(readChallenge(first.reply).error, "use_dpop_nonce");
    const nonce = first.reply.headers["dpop-nonce"];
    const second = await present(two, await prove({ claims: { nonce } }));
    assert.ok(second.ok);
    assert.equal(second.headers["dpop-nonce"], nonce);
    await clock.advance(150_000);
    assert.equal(await verdict(one, await prove({ claims: { nonce } })), "ok");
    await clock.advance(150_000);
    assert.equal(await verdict(one, await prove({ claims: { nonce } })), "use_dpop_nonce");
    assert.equal(await verdict(protect({ nonce: true }), await prove({ claims: { nonce } })), "use_dpop_nonce");
  });

  it("are compared with the public address behind a proxy [PP-101]", async () => {
    const resource = "https://mcp.example/tools/mcp";
    const proof = () => prove({ claims: { htu: resource } });
    const behind = { url: "/mcp", authority: "10.0.0.1:3000" };
    assert.equal(await verdict(protect(true, { resource }), await proof(), undefined, behind), "ok");
    assert.equal(await verdict(protect(true, { resource }), await proof(), undefined, { url: "/tools/mcp" }), "ok");
    assert.equal(await verdict(protect(true, { resource }), await prove(), undefined, behind), "invalid_dpop_proof");
    const root = { url: "/mcp?x=1" };
    assert.equal(
      await verdict(protect(true, { resource: "https://mcp.example" }), await prove(), undefined, root),
      "ok",
    );
  });
});

describe("proofs behind a proxy that takes a prefix off", () => {
  it("are compared with the public address of every path, not only that of the endpoint [X-DPOP-010] [PP-101]", async () => {
    const at = async (path: string | undefined, url: string, htu: string) =>
      verdict(
        protect(true, { resource: "https://mcp.example/api/mcp", path }),
        await prove({ claims: { htu: `https://mcp.example${htu}` } }),
        undefined,
        { url },
      );
    for (const path of ["/mcp", "/mcp/", "/messages", "/mcp/x"]) {
      assert.equal(await at(undefined, path, `/api${path}`), "ok", path);
      assert.equal(await at(undefined, path, path), "invalid_dpop_proof", path);
      assert.equal(await at(undefined, `/api${path}`, `/api${path}`), "ok", path);
    }
    assert.equal(await at("/", "/", "/api/mcp"), "ok");
    assert.equal(await at("/", "/messages", "/api/mcp/messages"), "ok");
    assert.equal(await at("/api/mcp", "/api/messages", "/api/messages"), "ok");
    assert.equal(await at("/other", "/other", "/other"), "ok");
  });

  it("name an address without user and password [X-DPOP-010]", async () => {
    for (const user of ["user:pw@", "user@", ":pw@"]) {
      const proof = await prove({ claims: { htu: `https://${user}mcp.example/mcp` } });
      assert.equal(await verdict(protect(), proof), "invalid_dpop_proof");
    }
  });
});

describe("plain tokens where proofs are taken", () => {
  it("are accepted as such, unless proofs are required, and never with a proof", async () => {
    const plain = await issuer.sign();
    assert.equal(await verdict(protect(), undefined, `Bearer ${plain}`), "ok");
    assert.equal(await verdict(protect(), await prove(), `DPoP ${plain}`), "invalid_token");
    const outcome = await present(protect({ required: true }), undefined, `Bearer ${plain}`);
    assert.ok(!outcome.ok);
    assert.match(outcome.reply.headers["www-authenticate"] ?? "", /^DPoP /);
    assert.equal(await verdict(protect(false), await prove(), `DPoP ${token}`), undefined);
  });

  it("offer both schemes to who comes without a token", async () => {
    const outcome = await protect().authenticate(createResourceRequest());
    assert.ok(!outcome.ok);
    assert.match(
      outcome.reply.headers["www-authenticate"] ?? "",
      /^Bearer resource_metadata="[^"]+", DPoP algs="ES256 /,
    );
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decodeJwt } from "jose";
import { None } from "oauth4webapi";
import {
  type Answer,
  createGrantRig,
  type GrantRig,
  toDiscovery,
  toJson,
} from "../../../../test/fixtures/auth/grant-rig.ts";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import type { GrantContext } from "../grant.ts";
import { openDpopKeys } from "./dpop.ts";
import { renewTokens, requestTokens, type TokenExchange } from "./token-endpoint.ts";

const issuer = "https://as.example";
const endpoint = `${issuer}/token`;
const good = { access_token: "at-1", token_type: "Bearer" };

function toExchange(): TokenExchange {
  return {
    discovery: toDiscovery(),
    clientId: "client-1",
    clientAuth: None(),
    grantType: "authorization_code",
    parameters: { code: "code-1", code_verifier: "verifier-1", redirect_uri: "http://127.0.0.1:1/cb" },
    scopes: ["a", "b"],
    stage: "token",
    signal: new AbortController().signal,
  };
}

function answering(...answers: Answer[]): GrantRig {
  let count = 0;
  return createGrantRig({
    [endpoint]: (sent) => {
      count += 1;
      return (answers[Math.min(count, answers.length) - 1] as Answer)(sent);
    },
  });
}

async function failureOf(promise: Promise<unknown>): Promise<AuthorizationError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof AuthorizationError, String(error));
  return error;
}

async function withDpop(rig: GrantRig): Promise<GrantContext> {
  return { ...rig.context, dpop: await openDpopKeys({ issuer, clock: rig.clock }) };
}

describe("requestTokens with a key", () => {
  it("carries a proof without a token's hash, and marks the tokens as bound [X-DPOP-001] [X-DPOP-004]", async () => {
    const rig = answering(() => toJson({ ...good, token_type: "dpop" }));
    const tokens = await requestTokens(toExchange(), await withDpop(rig));
    const claims = decodeJwt(rig.sent[0]?.headers.get("dpop") ?? "");
    assert.deepEqual([claims.htm, claims.htu, claims.ath], ["POST", endpoint, undefined]);
    assert.equal(tokens.tokenType, "DPoP");
  });

  it("takes a plain token for a plain token although it sent a proof [X-DPOP-001]", async () => {
    const rig = answering(() => toJson(good));
    assert.equal((await requestTokens(toExchange(), await withDpop(rig))).tokenType, "Bearer");
  });

  it("repeats once with the nonce the server wants, in a new proof [X-DPOP-005]", async () => {
    const wanting: Answer = () =>
      new Response(JSON.stringify({ error: "use_dpop_nonce" }), { status: 400, headers: { "dpop-nonce": "n-1" } });
    const rig = answering(wanting, () => toJson({ ...good, token_type: "DPoP" }));
    await requestTokens(toExchange(), await withDpop(rig));
    const [first, second] = rig.sent.map(({ headers }) => decodeJwt(headers.get("dpop") ?? ""));
    assert.deepEqual([first?.nonce, second?.nonce], [undefined, "n-1"]);
    assert.notEqual(first?.jti, second?.jti);
  });

  it("repeats each of two requests that were refused at once with the same nonce [X-DPOP-005]", async () => {
    const rig = answering(({ headers }) =>
      decodeJwt(headers.get("dpop") ?? "").nonce === "n-1"
        ? toJson({ ...good, token_type: "DPoP" })
        : new Response(JSON.stringify({ error: "use_dpop_nonce" }), { status: 400, headers: { "dpop-nonce": "n-1" } }),
    );
    const context = await withDpop(rig);
    await Promise.all([requestTokens(toExchange(), context), requestTokens(toExchange(), context)]);
    assert.equal(rig.sent.length, 4);
  });

  it("does not go round in circles over nonces [X-DPOP-005]", async () => {
    let count = 0;
    const always: Answer = () => {
      count += 1;
      const headers = { "dpop-nonce": `n-${count}` };
      return new Response(JSON.stringify({ error: "use_dpop_nonce" }), { status: 400, headers });
    };
    const rig = answering(always);
    assert.equal((await failureOf(requestTokens(toExchange(), await withDpop(rig)))).oauthError, "use_dpop_nonce");
    assert.equal(rig.sent.length, 2);
    const without = answering(() => toJson({ error: "use_dpop_nonce" }, 400));
    await failureOf(requestTokens(toExchange(), await withDpop(without)));
    assert.equal(without.sent.length, 1);
  });
});

describe("renewTokens with a key", () => {
  it("carries a proof of the key, without a token's hash [X-DPOP-004]", async () => {
    const rig = answering(() => toJson({ ...good, token_type: "DPoP" }));
    const tokens = {
      issuer,
      resource: "https://mcp.example/mcp",
      clientId: "client-1",
      accessToken: "at-0",
      tokenType: "DPoP",
      refreshToken: "rt-0",
      receivedAtMs: 0,
      requestedScopes: [],
      grantedScopes: [],
    } as const;
    const registration = { kind: "dynamic", issuer, clientId: "client-1", redirectUris: [] } as const;
    const { discovery, clientAuth, signal } = toExchange();
    await renewTokens({ discovery, tokens, registration, clientAuth, signal }, await withDpop(rig));
    const claims = decodeJwt(rig.sent[0]?.headers.get("dpop") ?? "");
    assert.deepEqual([claims.htm, claims.htu, claims.ath], ["POST", endpoint, undefined]);
  });
});

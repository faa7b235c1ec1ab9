import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { createResourceRequest, readChallenge } from "../../../test/fixtures/resource-request.ts";
import { TokenIssuer, type TokenSpelling } from "../../../test/fixtures/token-issuer.ts";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { UsageError } from "../../base/error.ts";
import { createFakeClock } from "../../test/clock.ts";
import { protectResource } from "./guard.ts";
import type { ResourceAuthentication, ResourceGuard, ResourceReply } from "./message.ts";
import type { ResourceOptions } from "./options.ts";
import { requireUserAuthentication } from "./requirement.ts";

const clock = createFakeClock(1_800_000_000_000);
const audience = "https://mcp.example/mcp";
const metadataUrl = "https://mcp.example/.well-known/oauth-protected-resource/mcp";

let issuer: TokenIssuer;
before(async () => {
  issuer = await TokenIssuer.create(clock);
});

function protect(options: Partial<ResourceOptions> = {}): ResourceGuard {
  return protectResource({ issuer: issuer.issuer, audience, clock, fetch: issuer.fetch, ...options });
}

function present(guard: ResourceGuard, authorization?: string, url = "/mcp"): Promise<ResourceAuthentication> {
  return guard.authenticate(createResourceRequest({ url, headers: { authorization } }));
}

async function refusal(guard: ResourceGuard, authorization?: string, url?: string): Promise<ResourceReply> {
  const outcome = await present(guard, authorization, url);
  assert.ok(!outcome.ok, "expected a refusal");
  return outcome.reply;
}

/** The auth of a caller with a good token, which `spelling` changes. */
async function accept(guard: ResourceGuard, spelling?: TokenSpelling) {
  const outcome = await present(guard, `Bearer ${await issuer.sign(spelling)}`);
  assert.ok(outcome.ok, outcome.ok ? "" : outcome.reply.body);
  return outcome.auth;
}

describe("protectResource", () => {
  it("says who calls", async () => {
    const { token, claims, ...auth } = await accept(protect());
    assert.deepEqual(auth, {
      clientId: "client-1",
      scopes: ["files:read"],
      subject: "user-1",
      issuer: "https://login.example",
      expiresAtMs: clock.now() + 3_600_000,
      resource: audience,
    });
    assert.equal(claims?.jti, "t-1");
    assert.equal(token.split(".").length, 3);
  });

  it("answers a request without token by 401 with metadata and scopes but no error code [AUTH-015] [AUTH-016] [AUTH-062] [AUTHDRAFT-005] [AUTHDRAFT-006]", async () => {
    const guard = protect({ scopes: ["files:read", "files:list"], scopesSupported: ["files:read", "files:write"] });
    const reply = await refusal(guard);
    assert.equal(reply.status, 401);
    const expected = { scheme: "Bearer", scope: "files:read files:list", resource_metadata: metadataUrl };
    assert.deepEqual(readChallenge(reply), expected);
    assert.deepEqual(readChallenge(await refusal(guard)), expected);
    assert.deepEqual(readChallenge(await refusal(guard, "Basic YTpi")), expected);
    const body = JSON.parse(reply.body) as { jsonrpc: string; error: { code: number } };
    assert.deepEqual([body.jsonrpc, body.error.code], ["2.0", -32600]);
    assert.equal(reply.headers["content-type"], "application/json");
  });

  it("takes no token from the query [AUTH-058]", async () => {
    const reply = await refusal(protect(), undefined, `/mcp?access_token=${await issuer.sign()}`);
    assert.equal(reply.status, 401);
    assert.equal(readChallenge(reply).error, undefined);
  });

  it("answers the three faults by 400, 401 and 403, each with the metadata [AUTH-063] [AUTHDRAFT-007] [AUTHDRAFT-008]", async () => {
    const guard = protect({ scopes: ["files:write"] });
    const replies = [
      await refusal(guard, "Bearer a b"),
      await refusal(guard, "Bearer abc"),
      await refusal(guard, `Bearer ${await issuer.sign()}`),
    ];
    assert.deepEqual(
      replies.map((reply) => [reply.status, readChallenge(reply).error, readChallenge(reply).resource_metadata]),
      [
        [400, "invalid_request", metadataUrl],
        [401, "invalid_token", metadataUrl],
        [403, "insufficient_scope", metadataUrl],
      ],
    );
  });

  it("names in a 403 all scopes that are needed, and those the token has of them [AUTH-065] [AUTH-066] [M-AUTH-020] [SEC-029]", async () => {
    const guard = protect({ scopesSupported: ["files:read", "files:write", "files:admin"] });
    const auth = await accept(guard, { claims: { scope: "files:read openid" } });
    const request = createResourceRequest({ headers: { authorization: `Bearer ${auth.token}` } });
    const headers = guard.challengeScopes(["files:write", "files:admin"], auth, request);
    const challenge = readChallenge({ kind: "text", status: 403, headers, body: "" });
    assert.equal(challenge.error, "insufficient_scope");
    assert.equal(challenge.scope, "files:read files:write files:admin");
    assert.equal(challenge.resource_metadata, metadataUrl);
    const needy = protect({ scopes: ["one", "two"] });
    const reply = await refusal(needy, `Bearer ${await issuer.sign({ claims: { scope: "two" } })}`);
    assert.deepEqual([reply.status, readChallenge(reply).scope], [403, "two one"]);
  });

  it("lets a token with few scopes do what needs no more, and asks for no more at first [SEC-029]", async () => {
    const guard = protect({ scopes: ["files:read"], scopesSupported: ["files:read", "files:write"] });
    assert.deepEqual((await accept(guard)).scopes, ["files:read"]);
    assert.equal(readChallenge(await refusal(guard)).scope, "files:read");
  });

  it("takes a broader scope for the narrower ones it stands for [M-AUTH-021]", async () => {
    const spelling = { claims: { scope: "files" } };
    for (const scopeHierarchy of [
      { files: ["files:write"], "files:write": ["files:read", "files"] },
      (scope: string) => (scope === "files" ? ["files:read"] : []),
    ]) {
      const auth = await accept(protect({ scopes: ["files:read"], scopeHierarchy }), spelling);
      assert.ok(auth.scopes.includes("files:read"));
    }
    const reply = await refusal(protect({ scopes: ["files:read"] }), `Bearer ${await issuer.sign(spelling)}`);
    assert.equal(reply.status, 403);
    assert.deepEqual((await accept(protect({ scopeHierarchy: {} }), { claims: { scope: "constructor" } })).scopes, [
      "constructor",
    ]);
  });

  it("emits offline_access nowhere and says so when it is configured [M-AUTH-025]", async () => {
    const told: Diagnostic[] = [];
    const guard = protect({ scopes: ["files:read", "offline_access"], onDiagnostic: (said) => told.push(said) });
    assert.deepEqual(
      told.map(({ code }) => code),
      ["MCP_D_OFFLINE_ACCESS"],
    );
    assert.equal(readChallenge(await refusal(guard)).scope, "files:read");
    const auth = await accept(guard);
    const headers = guard.challengeScopes(["offline_access", "x"], auth, createResourceRequest());
    assert.doesNotMatch(headers["www-authenticate"] ?? "", /offline/);
    const [document] = guard.documents.values();
    assert.doesNotMatch(document?.(createResourceRequest({ method: "GET" })).body ?? "offline", /offline/);
  });

  it("refuses options without an audience or issuer, and those that are unsafe [PP-104]", () => {
    const faults: Partial<ResourceOptions>[] = [
      { audience: "" },
      { audience: [] },
      { audience: undefined as never },
      { issuer: [] },
      { issuer: "http://login.example" },
      { algorithms: ["HS256"] },
      { algorithms: ["none"] },
      { resource: "https://mcp.example/mcp#x" },
      { scopes: ["a b"] },
      { scopes: "files:read" as never },
      { verify: { kind: "jwt", profile: "strict" as never } },
      { verify: { kind: "nope" as never } },
      { verify: { kind: "jwt", keyCooldownMs: Number.NaN } },
      { verify: { kind: "jwt", keyCooldownMs: -1 } },
      { verify: { kind: "introspection", clientId: "a", clientSecret: "b", cacheMs: Number.NaN } },
      { verifyTimeoutMs: Number.POSITIVE_INFINITY },
      { issuer: "https://login.example?x" },
      { issuer: "https://login.example#x" },
      { resource: "http://public.example/mcp" },
      { dpop: true, audience: "urn:mcp" },
      { dangerouslySkipAudienceCheck: true },
      { clockToleranceSeconds: Number.NaN },
      { dpop: { nonce: new Uint8Array(8) } },
      {
        verify: { kind: "introspection", clientId: "a", clientSecret: "b" },
        issuer: ["https://a.example", "https://b.example"],
      },
    ];
    for (const fault of faults) {
      assert.throws(() => protect(fault), UsageError, JSON.stringify(fault));
    }
  });

  it("takes plain HTTP for a resource on this machine", () => {
    assert.ok(protect({ resource: "http://127.0.0.1:3000/mcp" }));
  });

  it("asks by a challenge for another login where the user's is too weak or too old [AUTHDRAFT-033]", async () => {
    const guard = protect({
      requirements: [requireUserAuthentication({ acrValues: ["phr", "phrh"], maxAgeSeconds: 60 })],
    });
    const now = clock.now() / 1_000;
    assert.ok(await accept(guard, { claims: { acr: "phrh", auth_time: now - 59 } }));
    for (const claims of [{}, { acr: "pwd", auth_time: now }, { acr: "phr", auth_time: now - 61 }, { acr: "phr" }]) {
      const reply = await refusal(guard, `Bearer ${await issuer.sign({ claims })}`);
      const { error, acr_values, max_age } = readChallenge(reply);
      assert.deepEqual(
        [reply.status, error, acr_values, max_age],
        [401, "insufficient_user_authentication", "phr phrh", "60"],
      );
    }
    assert.throws(() => requireUserAuthentication({}), UsageError);
    assert.throws(() => requireUserAuthentication({ acrValues: ["a b"] }), UsageError);
    assert.throws(() => requireUserAuthentication({ maxAgeSeconds: -1 }), UsageError);
  });

  it("lets requirements refuse a user whose token has every scope [SEC-031]", async () => {
    const guard = protect({
      scopes: ["files:read"],
      requirements: [(auth) => (auth.subject === "user-1" ? { status: 403, message: "not you" } : undefined)],
    });
    assert.equal((await refusal(guard, `Bearer ${await issuer.sign()}`)).status, 403);
    assert.ok(await accept(guard, { claims: { sub: "user-2" } }));
  });

  it("has nothing at which a user could log in [AUTHDRAFT-003]", () => {
    assert.deepEqual(
      [...protect().documents.keys()],
      ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"],
    );
  });

  it("answers malformed and oversized tokens by 400 [AUTHDRAFT-008]", async () => {
    const hostile = ["Bearer", "Bearer ", 'Bearer a"b', "Bearer a,b", `Bearer ${"a".repeat(16_385)}`, "DPoP x, DPoP y"];
    for (const authorization of hostile) {
      const reply = await refusal(protect({ dpop: true }), authorization);
      assert.equal(reply.status, 400, authorization.slice(0, 20));
    }
    assert.equal((await refusal(protect(), "Bearerabc")).status, 401);
  });
});

import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { appId, pool, providerRows, resource, tenant } from "../../../../test/fixtures/auth/provider-rows.ts";
import { ProviderWeb } from "../../../../test/fixtures/auth/provider-web.ts";
import { createResourceRequest, readChallenge } from "../../../../test/fixtures/resource-request.ts";
import { UsageError } from "../../../base/error.ts";
import type { AuthInfo } from "../../../protocol/types/auth.ts";
import { createFakeClock } from "../../../test/clock.ts";
import { protectResource } from "../guard.ts";
import type { ResourceGuard } from "../message.ts";
import { auth0 } from "./auth0.ts";
import { clerk } from "./clerk.ts";
import { cognito } from "./cognito.ts";
import { entra } from "./entra.ts";
import { keycloak } from "./keycloak.ts";
import { okta } from "./okta.ts";
import type { ProviderPreset } from "./preset.ts";
import { supabase } from "./supabase.ts";
import { workos } from "./workos.ts";

const clock = createFakeClock(1_800_000_000_000);
function protect(web: ProviderWeb, preset: ProviderPreset): ResourceGuard {
  return protectResource({ ...preset, resource, clock, fetch: web.fetch });
}

async function accept(guard: ResourceGuard, token: string): Promise<AuthInfo> {
  const outcome = await guard.authenticate(createResourceRequest({ headers: { authorization: `Bearer ${token}` } }));
  assert.ok(outcome.ok, outcome.ok ? "" : JSON.stringify(outcome.reply));
  return outcome.auth;
}

async function refuse(guard: ResourceGuard, token: string, why: RegExp): Promise<void> {
  const outcome = await guard.authenticate(createResourceRequest({ headers: { authorization: `Bearer ${token}` } }));
  assert.ok(!outcome.ok, "expected a refusal");
  const { error, error_description: message = "" } = readChallenge(outcome.reply);
  assert.deepEqual([outcome.reply.status, error], [401, "invalid_token"]);
  assert.match(message, why);
}

for (const { name, preset, algorithm = "RS256", header, claims, expected, own, neighbour, refused } of providerRows) {
  describe(`the preset of ${name}`, () => {
    let web: ProviderWeb;
    before(async () => {
      web = await ProviderWeb.create(name, clock, algorithm);
    });

    it("finds the keys by the metadata that the provider publishes, and takes its tokens [AUTH-060]", async () => {
      const auth = await accept(protect(web, preset), await web.sign(header, claims));
      assert.equal(preset.issuer, web.recorded.metadata.issuer);
      assert.deepEqual([auth.clientId, auth.subject, auth.scopes], expected);
      assert.deepEqual(web.log.slice(-2), [web.recorded.address, web.recorded.metadata.jwks_uri]);
    });

    it("refuses tokens for others, of other tenants and of other issuers, and says why [AUTH-060] [AUTH-061] [PP-104]", async () => {
      const guard = protect(web, preset);
      const good = await web.sign(header, claims);
      for (const [wrong, why] of refused) {
        await refuse(guard, await web.sign(header, { ...claims, ...wrong }), why);
      }
      for (const iss of [neighbour, "https://evil.example", undefined]) {
        await refuse(guard, await web.sign(header, { ...claims, iss }), /authorization server/);
      }
      const stranger = await ProviderWeb.create(name, clock, algorithm);
      await refuse(guard, await stranger.sign(header, claims), /signature/);
      await refuse(guard, await web.sign(header, { ...claims, exp: clock.now() / 1_000 - 31 }), /expired/);
      await accept(guard, good);
    });

    if (own !== undefined) {
      it("calls a client that acts for itself no user [X-CC-014]", async () => {
        const auth = await accept(protect(web, preset), await web.sign(header, { ...claims, ...own }));
        assert.equal(auth.subject, undefined);
        assert.ok(auth.clientId);
      });
    }
  });
}

describe("presets", () => {
  it("take tokens of Cognito with an audience as well, and those without only where clients are listed [AUTH-061]", async () => {
    const web = await ProviderWeb.create("cognito", clock, "RS256");
    const claims = { token_use: "access", client_id: "dynamic", sub: "u-1" };
    const guard = protect(web, cognito({ ...pool, audience: resource }));
    assert.equal((await accept(guard, await web.sign({}, { ...claims, aud: resource }))).resource, resource);
    await refuse(guard, await web.sign({}, claims), /lacks the claim aud/);
  });

  it("count permissions and roles as scopes only where that is asked for", async () => {
    const tokens = await ProviderWeb.create("auth0", clock, "RS256");
    const permissive = auth0({ domain: "example.eu.auth0.com", audience: resource, permissionsAsScopes: true });
    const claims = { aud: resource, azp: "app", sub: "u-1", scope: "read", permissions: ["write", 7] };
    const permitted = await accept(protect(tokens, permissive), await tokens.sign({}, claims));
    assert.deepEqual(permitted.scopes, ["read", "write"]);

    const web = await ProviderWeb.create("entra", clock, "RS256");
    const app = await web.sign({}, { aud: appId, azp: "app", sub: "p-1", roles: ["Read.All"] });
    const scopesOf = async (rolesAsScopes: boolean): Promise<readonly string[]> =>
      (await accept(protect(web, entra({ tenant, audience: [appId, "https://mcp.example/"], rolesAsScopes })), app))
        .scopes;
    assert.deepEqual(await scopesOf(false), []);
    assert.deepEqual(await scopesOf(true), ["https://mcp.example/Read.All"]);
  });

  it("lead clients of Entra to the server that names itself as they find it, whatever its tokens say", () => {
    const preset = entra({ tenant, audience: appId, version: 1 });
    const [document] = protectResource({ ...preset, resource }).documents.values();
    const reply = document?.(createResourceRequest({ method: "GET" }));
    assert.ok(reply?.kind === "text");
    assert.deepEqual(JSON.parse(reply.body).authorization_servers, [
      `https://login.microsoftonline.com/${tenant}/v2.0`,
    ]);
  });

  it("ask Clerk about opaque tokens, and hold them to the listed clients too [AUTH-061]", async () => {
    const web = await ProviderWeb.create("clerk", clock, "RS256");
    web.answers.set("https://clerk.example.com/oauth/token_info", (init) => {
      const token = new URLSearchParams(init?.body).get("token") ?? "";
      return Response.json({ active: true, client_id: token.slice("oat_".length), sub: "user_1", scope: "profile" });
    });
    const introspection = { clientId: "server", clientSecret: "s" };
    const guard = protect(web, clerk({ frontendApi: "https://clerk.example.com", clientIds: "app", introspection }));
    assert.deepEqual((await accept(guard, "oat_app")).scopes, ["profile"]);
    await refuse(guard, "oat_stranger", /another resource/);
  });

  it("refuse a plain login of Supabase, which no client was issued [AUTH-061]", async () => {
    const web = await ProviderWeb.create("supabase", clock, "ES256");
    const guard = protect(web, supabase({ projectUrl: "abcdefgh.supabase.co" }));
    const login = { aud: "authenticated", role: "authenticated", sub: "u-1", session_id: "s-1" };
    await refuse(guard, await web.sign({}, login), /names no client/);
    assert.equal((await accept(guard, await web.sign({}, { ...login, client_id: "any" }))).subject, "u-1");
  });

  it("refuse options that would accept tokens for everybody, or lead elsewhere [PP-104]", () => {
    const audience = resource;
    const wrong: readonly (() => unknown)[] = [
      () => keycloak({ url: "https://login.example.com", realm: "main", audience: ["account"] }),
      () => keycloak({ url: "https://login.example.com?x", realm: "main", audience }),
      () => keycloak({ url: "https://login.example.com", realm: "main/../other", audience }),
      () => keycloak({ url: "https://login.example.com", realm: "..", audience }),
      () => entra({ tenant: "common", audience }),
      () => entra({ tenant: "contoso.onmicrosoft.com", audience }),
      () => cognito(pool),
      () => cognito({ ...pool, clientIds: [] }),
      () => clerk({ frontendApi: "https://clerk.example.com" }),
      () => auth0({ domain: "http://example.eu.auth0.com", audience }),
      () => auth0({ domain: "", audience }),
      () => okta({ domain: "example.okta.com/oauth2/default", audience }),
      () => workos({ domain: "user@example.authkit.app", audience }),
      () => supabase({ projectUrl: "https://abcdefgh.supabase.co/auth/v1" }),
      () => protectResource({ ...auth0({ domain: "example.eu.auth0.com", audience: [] }), resource }),
    ];
    for (const create of wrong) {
      assert.throws(create, UsageError, create.toString());
    }
    assert.equal(
      keycloak({ url: "https://a.example/auth/", realm: "m", audience }).issuer,
      "https://a.example/auth/realms/m",
    );
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { refuse, toInit, toTokens } from "../../../test/fixtures/auth/authorization-rig.ts";
import { AuthorizationError, AuthorizationRequiredError } from "../../protocol/authorization-errors.ts";
import { createMemoryStore } from "../../store/memory.ts";
import { createFakeClock } from "../../test/clock.ts";
import type { Fetch } from "../fetch.ts";
import { SharedParts } from "./access/server-access.ts";
import type { Grant, GrantContext, TokenRequest } from "./grant.ts";
import { createOAuthClient } from "./oauth-client.ts";
import { type OAuthClientOptions, resolveOAuthOptions } from "./options.ts";

const endpoint = "https://mcp.example/mcp";

/** A client with a web of metadata: each server `https://x.example` names the issuer `https://as-x.example`. */
function createClient(grant: Partial<Grant> = {}, more: Partial<OAuthClientOptions> = {}, metadata: object = {}) {
  const clock = createFakeClock(1_800_000_000_000);
  const asked: { url: string; body: string | undefined }[] = [];
  const obtained: { request: TokenRequest; context: GrantContext }[] = [];
  const fetch: Fetch = async (url, { body }) => {
    asked.push({ url, body });
    const { hostname, pathname, origin } = new URL(url);
    if (pathname === "/.well-known/oauth-protected-resource/mcp") {
      return Response.json({
        resource: `${origin}/mcp`,
        authorization_servers: [`https://as-${hostname}`],
        ...metadata,
      });
    }
    if (pathname === "/.well-known/oauth-authorization-server") {
      return Response.json({
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        revocation_endpoint: `${origin}/revoke`,
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["none"],
        ...metadata,
      });
    }
    return new Response("", { status: pathname === "/revoke" ? 200 : 404 });
  };
  const scripted: Grant = {
    type: "scripted",
    isInteractive: true,
    obtain: async (request, context) => {
      obtained.push({ request, context });
      const { issuer } = request.discovery;
      return toTokens(`token-${obtained.length}-of-${issuer}`, clock, { issuer, refreshToken: "refresh" });
    },
    ...grant,
  };
  const client = createOAuthClient({ grant: scripted, fetch, clock, random: () => 1, ...more });
  return { client, clock, asked, obtained };
}

const idle: Grant = { type: "idle", isInteractive: false, obtain: () => assert.fail("nothing is to be obtained") };

/** A server that takes every token. */
function createServer(respond?: (token: string | undefined) => Response) {
  const tokens: (string | undefined)[] = [];
  const fetch: Fetch = async (_url, { headers }) => {
    const token = headers.authorization;
    tokens.push(token);
    return respond?.(token) ?? (token === undefined ? refuse() : new Response("{}"));
  };
  return { fetch, tokens };
}

describe("createOAuthClient", () => {
  it("names the grant where there is none", () => {
    assert.throws(() => Reflect.apply(createOAuthClient, undefined, [{}]), /grant/);
  });

  it("finds out where tokens come from, gets one and sends it, and can say what it did", async () => {
    const { client, obtained } = createClient();
    const server = createServer();
    const response = await client.fetchFor(endpoint, server.fetch)(endpoint, toInit());
    assert.equal(response.status, 200);
    assert.deepEqual(server.tokens, [undefined, "Bearer token-1-of-https://as-mcp.example"]);
    assert.equal(obtained[0]?.request.server, endpoint);
    const urls = client.explain(endpoint).map(({ url }) => url);
    assert.ok(urls.includes("https://mcp.example/.well-known/oauth-protected-resource/mcp"));
    assert.ok(!JSON.stringify(client.explain(endpoint)).includes("token-1"));
  });

  it("keeps servers apart, and takes different spellings of one for the same [AUTH-059]", async () => {
    const { client } = createClient();
    const server = createServer();
    for (const url of [endpoint, "https://other.example/mcp", "HTTPS://MCP.example:443/mcp#x"]) {
      await client.fetchFor(url, server.fetch)(new URL(url).href, toInit());
    }
    const [one, two] = ["Bearer token-1-of-https://as-mcp.example", "Bearer token-2-of-https://as-other.example"];
    assert.deepEqual(server.tokens, [undefined, one, undefined, two, one]);
  });

  it("keeps the accounts of one store apart", async () => {
    const store = createMemoryStore();
    const one = createClient({}, { store, account: "one" });
    const two = createClient({}, { store, account: "two" });
    const server = createServer();
    await one.client.login(endpoint);
    await two.client.fetchFor(endpoint, server.fetch)(endpoint, toInit());
    assert.equal(server.tokens[0], undefined);
    assert.equal(two.obtained.length, 1);
  });

  it("announces the extension of its grant, and nothing where there is none [X-CC-002]", () => {
    assert.deepEqual(createClient({ extension: "example/extension" }).client.extensions, { "example/extension": {} });
    assert.deepEqual(createClient().client.extensions, {});
  });

  it("refuses options and servers that cannot work", () => {
    const faults: Partial<OAuthClientOptions>[] = [
      { renewAheadMs: Number.NaN },
      { renewAheadMs: -1 },
      { account: "" },
      { scopes: ["a b"] },
      { stepUp: { maxAttempts: 0 } },
      { stepUp: { deniedTtlMs: -1 } },
    ];
    for (const more of faults) {
      assert.throws(() => createClient({}, more), { code: "MCP_USAGE" });
    }
    const { client } = createClient();
    for (const server of ["mcp", "ftp://mcp.example", "https://user:secret@mcp.example/mcp"]) {
      assert.throws(
        () => client.fetchFor(server),
        (error) => error instanceof Error && !error.message.includes("secret"),
      );
    }
  });
});

describe("OAuthClient.login and logout", () => {
  it("logs in before anything is sent, and names the login", async () => {
    const { client, asked, obtained } = createClient({}, { scopes: ["a"] });
    assert.equal(client.grantOf(endpoint), undefined);
    await client.login(endpoint, { scopes: ["b"] });
    assert.deepEqual(obtained[0]?.request.scopes, ["a", "b"]);
    assert.ok(asked.every(({ url }) => url.includes("/.well-known/")));
    assert.equal(typeof client.grantOf(endpoint), "string");
    await assert.rejects(client.login(endpoint, { scopes: ["a b"] }), { code: "MCP_USAGE" });
  });

  it("allows again what was tried too often [AUTH-069]", async () => {
    const { client, obtained } = createClient();
    const server = createServer(() => refuse({ error: "insufficient_scope", scope: "x" }, 403));
    const fetch = client.fetchFor(endpoint, server.fetch);
    await client.login(endpoint);
    await assert.rejects(fetch(endpoint, toInit()), AuthorizationError);
    await assert.rejects(fetch(endpoint, toInit()), AuthorizationError);
    const before = obtained.length;
    await client.login(endpoint);
    await assert.rejects(fetch(endpoint, toInit()), AuthorizationError);
    assert.equal(obtained.length, before + 2);
  });

  it("forgets the tokens at logout, and tells the authorization server where that is wanted", async () => {
    const revoked: unknown[] = [];
    const { client } = createClient({
      revoke: async ({ discovery, tokens }) => {
        revoked.push([discovery.issuer, tokens.refreshToken]);
      },
    });
    await client.login(endpoint);
    await client.logout(endpoint, { revoke: true });
    assert.equal(client.grantOf(endpoint), undefined);
    assert.deepEqual(revoked, [["https://as-mcp.example", "refresh"]]);
    const server = createServer();
    await client.fetchFor(endpoint, server.fetch)(endpoint, toInit());
    assert.equal(server.tokens[0], undefined);
    await client.logout("https://never.example/mcp", { revoke: true });
  });
});

describe("OAuthClient, of a server over plain http", () => {
  const exposed = "http://mcp.example/mcp";

  it("asks nobody to log in, sends no token, and says what to do", async () => {
    const { client, asked, obtained } = createClient();
    const server = createServer();
    const fetch = client.fetchFor(exposed, server.fetch);
    for (const attempt of [fetch(exposed, toInit()), client.login(exposed)]) {
      await assert.rejects(attempt, (error) => {
        assert.ok(error instanceof AuthorizationError && !error.isTransient);
        assert.match(
          error.message,
          /http:\/\/mcp\.example\/mcp wants authorization.*plain http.*Use its https: address/,
        );
        return true;
      });
    }
    assert.deepEqual([server.tokens, obtained, asked], [[undefined], [], []]);
  });

  it("sends no tokens that the store has for it, and goes on with requests that need none", async () => {
    const store = createMemoryStore();
    const { client, clock } = createClient({}, { store });
    const { credentials } = new SharedParts(resolveOAuthOptions({ grant: idle, store }));
    await credentials.saveTokens(exposed, toTokens("kept", clock));
    const server = createServer(() => new Response("{}"));
    assert.equal((await client.fetchFor(exposed, server.fetch)(exposed, toInit())).status, 200);
    assert.deepEqual(server.tokens, [undefined]);
  });

  it("logs in where that is this machine", async () => {
    const local = "http://localhost:3000/mcp";
    const { client } = createClient();
    const server = createServer();
    await client.fetchFor(local, server.fetch)(local, toInit());
    assert.deepEqual(server.tokens, [undefined, "Bearer token-1-of-https://as-localhost"]);
  });
});

describe("OAuthClient.complete", () => {
  const sendAway = async (): Promise<never> => {
    throw new AuthorizationRequiredError("https://as-mcp.example/authorize", "log in");
  };

  it("ends a login whose answer came to the application, with all that belongs to its server", async () => {
    const seen: unknown[] = [];
    const { client, clock } = createClient({
      obtain: sendAway,
      complete: async (callbackUrl, discover, context) => {
        const { issuer } = await discover({ server: endpoint, issuer: "https://as-mcp.example" });
        seen.push(callbackUrl, context.record.steps.length > 0, context.dpop);
        return { server: endpoint, tokens: toTokens("completed", clock, { issuer }) };
      },
    });
    const server = createServer();
    const fetch = client.fetchFor(endpoint, server.fetch);
    await assert.rejects(fetch(endpoint, toInit()), AuthorizationRequiredError);
    assert.deepEqual(await client.complete("https://app.example/callback?code=1"), { server: endpoint });
    assert.deepEqual(seen, ["https://app.example/callback?code=1", true, undefined]);
    await fetch(endpoint, toInit());
    assert.deepEqual(server.tokens, [undefined, "Bearer completed"]);
  });

  it("binds the tokens to a key where the server requires it [AUTHDRAFT-018]", async () => {
    const algorithms: unknown[] = [];
    const complete: Grant["complete"] = async (_url, discover, context) => {
      await discover({ server: endpoint, issuer: "https://as-mcp.example" });
      algorithms.push(context.dpop?.algorithm);
      throw new AuthorizationError("stop", { stage: "authorization" });
    };
    const { client } = createClient({ complete }, {}, { dpop_bound_access_tokens_required: true });
    await assert.rejects(client.complete("https://app.example/callback"));
    assert.deepEqual(algorithms, ["ES256"]);
  });

  it("remembers the operation for which a person said no [SEC-030]", async () => {
    const { client, obtained } = createClient({
      obtain: sendAway,
      complete: async (_url, discover) => {
        await discover({ server: endpoint, issuer: "https://as-mcp.example" });
        throw new AuthorizationError("denied", { stage: "authorization", oauthError: "access_denied" });
      },
    });
    const server = createServer(() => refuse({ error: "insufficient_scope", scope: "x" }, 403));
    const fetch = client.fetchFor(endpoint, server.fetch);
    await assert.rejects(fetch(endpoint, toInit()), AuthorizationRequiredError);
    await assert.rejects(client.complete("https://app.example/callback"), { oauthError: "access_denied" });
    await assert.rejects(fetch(endpoint, toInit()), /denied a short while ago/);
    assert.equal(obtained.length, 0);
  });

  it("is refused where the grant has no such logins", async () => {
    await assert.rejects(createClient().client.complete("https://app.example/callback"), { code: "MCP_USAGE" });
  });
});

describe("OAuthClient, binding tokens to a key", () => {
  const offered = { dpop_signing_alg_values_supported: ["ES256"] };
  const cases = [
    { title: "does not unless the server requires it", dpop: undefined, metadata: offered, binds: false },
    { title: "does where the server requires it", dpop: undefined, metadata: { ...required() }, binds: true },
    { title: "does on request where the authorization server takes it", dpop: true, metadata: offered, binds: true },
    { title: "does not where the authorization server takes none", dpop: true, metadata: {}, binds: false },
    { title: "does not where it is turned off", dpop: false, metadata: { ...offered, ...required() }, binds: false },
    {
      title: "does not where the authorization server takes only other algorithms",
      dpop: true,
      metadata: { dpop_signing_alg_values_supported: ["ES512"] },
      binds: false,
    },
  ];
  for (const { title, dpop, metadata, binds } of cases) {
    it(`${title} [AUTHDRAFT-018]`, async () => {
      const { client, obtained } = createClient({}, { dpop }, metadata);
      await client.login(endpoint);
      assert.equal(obtained[0]?.context.dpop !== undefined, binds);
    });
  }
});

function required(): object {
  return { dpop_bound_access_tokens_required: true };
}

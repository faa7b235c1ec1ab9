// How a client comes to its tokens, whoever the authorization server is, and how it lets go of them.

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { authorizationCode, clientCredentials, type Grant } from "parley-mcp/auth/client";
import { connect } from "parley-mcp/connect";
import { createHttpHandler } from "parley-mcp/http/server";
import { defineServer, tool } from "parley-mcp/server";
import { createFakeClock } from "../../src/test/clock.ts";
import type { FakeAuthorizationOptions } from "../fixtures/auth/fake-authorization-server.ts";
import { ProtectedServer } from "../fixtures/auth/protected-server.ts";

const app = defineServer({
  name: "demo",
  version: "1.0.0",
  tools: { whoAmI: tool({ description: "Says who calls" }, (_args, ctx) => ctx.auth?.clientId ?? "nobody") },
});
const startMs = 1_800_000_000_000;

function createProtected(context: TestContext, fake: FakeAuthorizationOptions = {}) {
  return new ProtectedServer(
    (auth) => {
      const handler = createHttpHandler(app, { auth, allowedHosts: ["mcp.example"] });
      context.after(() => handler.close());
      return handler;
    },
    { fake },
  );
}

/** Connects, calls and closes; gives the name of the client. */
async function call(server: ProtectedServer, auth = server.createClient()): Promise<string> {
  const session = await connect(server.url, { auth, http: { fetch: server.fetch } });
  const { content } = await session.callTool("whoAmI", {});
  await session.close();
  return content[0]?.type === "text" ? content[0].text : "";
}

describe("a client", () => {
  it("logs in alike at servers of every kind, and with an id of its own where none can be had [AUTHDRAFT-002]", async (context) => {
    const kinds = [
      { knobs: { serverMetadataAt: ["oauth"] } },
      { knobs: { serverMetadataAt: ["openid"] } },
      { issuer: "https://as.example/tenant", knobs: { serverMetadataAt: ["openid-appended"] } },
      { knobs: { registers: false }, clients: [{ clientId: "agreed", redirectUris: [] }] },
    ] as const;
    for (const kind of kinds) {
      const server = createProtected(context, kind);
      const preregistered = "clients" in kind ? [{ issuer: server.fake.issuer, clientId: "agreed" }] : undefined;
      const grant = authorizationCode({
        client: { clientName: "tester" },
        userAgent: server.agent,
        preregistered,
      });
      assert.match(await call(server, server.createClient({ grant })), /^(client-1|agreed)$/);
    }
  });

  it("takes a grant of one's own, as for tickets of another kind [AUTHDRAFT-002]", async (context) => {
    const server = createProtected(context);
    const { state, issuer, endpoint } = server.fake;
    const kerberos: Grant = {
      type: "urn:example:kerberos",
      isInteractive: false,
      obtain: async ({ discovery: { resource } }) => {
        const grant = state.begin({ clientId: "by-ticket", scopes: [], resource, thumbprint: undefined });
        state.accessTokens.set("ticket-1", { grant, scopes: [], expiresAtMs: Number.POSITIVE_INFINITY });
        return {
          issuer,
          resource: endpoint,
          clientId: "by-ticket",
          accessToken: "ticket-1",
          tokenType: "Bearer",
          receivedAtMs: startMs,
          requestedScopes: [],
          grantedScopes: [],
        };
      },
    };
    assert.equal(await call(server, server.createClient({ grant: kerberos })), "by-ticket");
  });

  it("trades the code itself, with the verifier of the challenge, and only where PKCE is understood [AUTHDRAFT-022]", async (context) => {
    const server = createProtected(context);
    await call(server);
    const [trade] = server.fake.sent("token").map(({ form }) => form);
    assert.deepEqual([trade?.get("grant_type"), trade?.get("code")], ["authorization_code", "code-1"]);
    assert.match(trade?.get("code_verifier") ?? "", /^[\w.~-]{43,128}$/);
    assert.ok(server.passed.every(({ url, body }) => !`${url}${body}`.includes("code-1")));
    const without = createProtected(context, {
      knobs: { serverDocument: ({ code_challenge_methods_supported: _, ...document }) => document },
    });
    await assert.rejects(call(without), { code: "MCP_AUTHORIZATION" });
    assert.equal(without.agent.pages.length, 0);
  });

  it("uses the newest refresh token only, and no access token beyond its life [AUTHDRAFT-035]", async (context) => {
    const clock = createFakeClock(startMs);
    const server = createProtected(context, { clock, knobs: { expiresInSeconds: 600 } });
    const auth = server.createClient();
    for (let round = 1; round <= 3; round += 1) {
      await call(server, auth);
      assert.equal(server.passed.at(-1)?.headers.authorization, `Bearer access-${round}`);
      await clock.advance(601_000);
    }
    const renewals = server.fake.sent("token").map(({ form }) => form.get("refresh_token"));
    assert.deepEqual(renewals, [null, "refresh-1", "refresh-2"]);
    assert.deepEqual(
      server.passed.filter(({ status }) => status === 401).map(({ headers }) => headers.authorization),
      [undefined],
    );
  });

  it("without a user finds its authorization server by the refusal and the metadata, and asks where that says [X-CC-003]", async (context) => {
    const server = createProtected(context, {
      clients: [{ clientId: "job", clientSecret: "s" }],
      knobs: {
        serverDocument: (document) => ({ ...document, token_endpoint: "https://as.example/elsewhere" }),
        intercept: (request) =>
          request.url === "https://as.example/elsewhere"
            ? server.fake.fetch("https://as.example/token", { ...request, body: request.form })
            : undefined,
      },
    });
    const grant = clientCredentials({ clientId: "job", clientSecret: "s", issuer: server.fake.issuer });
    const steps: string[] = [];
    const fetch: typeof server.fetch = async (url, init) => {
      const reply = await server.fetch(url, init);
      steps.push(`${init.method} ${url} ${reply.status}`);
      return reply;
    };
    const session = await connect(server.url, { auth: server.createClient({ grant, fetch }), http: { fetch } });
    await session.close();
    assert.deepEqual(steps.slice(0, 5), [
      "POST https://mcp.example/mcp 401",
      "GET https://mcp.example/.well-known/oauth-protected-resource/mcp 200",
      "GET https://as.example/.well-known/oauth-authorization-server 200",
      "POST https://as.example/elsewhere 200",
      "POST https://mcp.example/mcp 200",
    ]);
  });
});

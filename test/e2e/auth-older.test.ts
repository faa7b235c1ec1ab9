// Authorization where older revisions are spoken: what they asked for less, and what is done all the same.

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { authorizationCode, createOAuthClient, type OAuthClientOptions } from "parley-mcp/auth/client";
import { connect } from "parley-mcp/connect";
import { createHttpHandler } from "parley-mcp/http/server";
import { defineServer, tool } from "parley-mcp/server";
import { handshakeRevisions } from "../../src/revision/registry.ts";
import {
  createFakeAuthorization,
  type FakeAuthorization,
  type FakeAuthorizationOptions,
} from "../fixtures/auth/fake-authorization-server.ts";
import type { FakeKnobs } from "../fixtures/auth/fake-knobs.ts";
import { ProtectedServer } from "../fixtures/auth/protected-server.ts";
import { createScriptedAgent } from "../fixtures/auth/scripted-agent.ts";

const app = defineServer({
  name: "demo",
  version: "1.0.0",
  tools: { hello: tool({ description: "Greets" }, (_args, ctx) => `hello in ${ctx.revision}`) },
});
const allowedHosts = ["mcp.example"];
const client = { clientName: "tester" };
const accept = { accept: "application/json, text/event-stream", "content-type": "application/json" };

/** A real server that the fake protects in its own way, and a client of it. */
function createOlder(context: TestContext, options: FakeAuthorizationOptions = {}) {
  const handler = createHttpHandler(app, { allowedHosts });
  context.after(() => handler.close());
  const answer: FakeKnobs["answer"] = ({ method, url, headers, body }) =>
    handler.fetch(new Request(url, { method, headers, ...(body === "" ? undefined : { body }) }));
  const fake = createFakeAuthorization({ ...options, knobs: { answer, ...options.knobs } });
  const agent = createScriptedAgent(fake.fetch);
  const createClient = (more: Partial<OAuthClientOptions> = {}) =>
    createOAuthClient({
      grant: authorizationCode({ client, userAgent: agent }),
      fetch: fake.fetch,
      clock: fake.state.clock,
      ...more,
    });
  return { fake, agent, createClient };
}

async function greet(fake: FakeAuthorization, auth: OAuthClientLike, revision?: string): Promise<unknown> {
  const session = await connect<typeof app>(fake.endpoint, { auth, revision, http: { fetch: fake.fetch } });
  const [block] = (await session.callTool("hello", {})).content;
  await session.close();
  return block?.type === "text" ? block.text : block;
}

type OAuthClientLike = ReturnType<typeof createOAuthClient>;

describe("a client that speaks an older revision", () => {
  for (const { id } of handshakeRevisions) {
    it(`logs in when ${id} is spoken, with PKCE and the resource [OLEG-017] [O24-024] [O0618-022]`, async (context) => {
      const { fake, createClient } = createOlder(context);
      assert.equal(await greet(fake, createClient(), id), `hello in ${id}`);
      const [page] = fake.sent("authorize").map(({ url }) => new URL(url).searchParams);
      const [trade] = fake.sent("token").map(({ form }) => form);
      assert.equal(page?.get("code_challenge_method"), "S256");
      assert.match(trade?.get("code_verifier") ?? "", /^[\w.~-]{43,128}$/);
      assert.deepEqual([page?.get("resource"), trade?.get("resource")], [fake.endpoint, fake.endpoint]);
    });

    it(`takes no answer of another issuer when ${id} is spoken, and shows its id to no other [OLEG-017]`, async (context) => {
      const mixed = createOlder(context, { knobs: { iss: { value: "https://evil.example" } } });
      await assert.rejects(greet(mixed.fake, mixed.createClient(), id), { code: "MCP_AUTHORIZATION" });
      assert.equal(mixed.fake.sent("token").length, 0);
      const { fake, agent, createClient } = createOlder(context);
      const preregistered = [{ issuer: "https://other.example", clientId: "of-other", clientSecret: "of-other" }];
      const grant = authorizationCode({ client, userAgent: agent, preregistered });
      await assert.rejects(greet(fake, createClient({ grant }), id), { code: "MCP_AUTHORIZATION" });
      assert.doesNotMatch(JSON.stringify(fake.log.map(({ url, headers, body }) => [url, headers, body])), /of-other/);
    });
  }

  it("finds both kinds of metadata of an authorization server [O0618-022] [AUTHDRAFT-002]", async (context) => {
    for (const at of ["oauth", "openid"] as const) {
      const { fake, createClient } = createOlder(context, { knobs: { serverMetadataAt: [at] } });
      assert.equal(await greet(fake, createClient(), "2025-06-18"), "hello in 2025-06-18");
    }
  });

  it("registers where metadata documents are not announced, and shows a 403 that names no scopes as it is [O0618-023]", async (context) => {
    const { fake, agent, createClient } = createOlder(context);
    const grant = authorizationCode({ client, userAgent: agent, clientIdUrl: "https://app.example/client.json" });
    const auth = createClient({ grant });
    const session = await connect(fake.endpoint, { auth, revision: "2025-06-18", http: { fetch: fake.fetch } });
    assert.equal(fake.sent("register").length, 1);
    assert.equal(new URL(agent.pages[0] ?? "").searchParams.get("client_id"), "client-1");
    fake.knobs.intercept = ({ url, body }) =>
      url === fake.endpoint && body.includes("tools/call") ? new Response("not for you", { status: 403 }) : undefined;
    await assert.rejects(session.callTool("hello", {}), { code: "MCP_HTTP", status: 403 });
    assert.equal(agent.pages.length, 1);
    await session.close();
  });
});

describe("a server of 2025-03-26 that is its own authorization server", () => {
  const own = {
    issuer: "https://mcp.example",
    knobs: { resourceMetadataAt: [], serverMetadataAt: [], challenge: () => undefined },
  } as const;

  it("has clients register at /register, or take an id that was agreed on [O0326-025] [O0326-026]", async (context) => {
    const { fake, createClient } = createOlder(context, own);
    assert.equal(await greet(fake, createClient(), "2025-03-26"), "hello in 2025-03-26");
    assert.equal(fake.sent("register")[0]?.url, "https://mcp.example/register");
    const known = createOlder(context, { ...own, clients: [{ clientId: "agreed", redirectUris: [] }] });
    const preregistered = [{ issuer: own.issuer, clientId: "agreed" }];
    const grant = authorizationCode({ client, userAgent: known.agent, preregistered });
    assert.equal(await greet(known.fake, known.createClient({ grant }), "2025-03-26"), "hello in 2025-03-26");
    assert.equal(known.fake.sent("register").length, 0);
  });

  it("is sent nobody by endpoints or to addresses without encryption, but for loopback [O0326-028]", async (context) => {
    for (const name of ["authorization_endpoint", "token_endpoint"]) {
      const { fake, agent, createClient } = createOlder(context, {
        knobs: { serverDocument: (document) => ({ ...document, [name]: `http://as.example/${name}` }) },
      });
      await assert.rejects(greet(fake, createClient(), "2025-03-26"), { code: "MCP_AUTHORIZATION" });
      assert.deepEqual([agent.pages.length, fake.sent("token").length], [0, 0]);
    }
    const open = () => authorizationCode({ client, redirectUri: "http://app.example/callback" });
    assert.throws(open, { code: "MCP_USAGE" });
    authorizationCode({ client, redirectUri: "http://localhost:3000/callback" });
  });
});

describe("a protected server", () => {
  /** The real guard, and what older clients send. */
  function createProtected(context: TestContext) {
    const server = new ProtectedServer(
      (auth) => {
        const handler = createHttpHandler(app, { auth, allowedHosts });
        context.after(() => handler.close());
        return handler;
      },
      { resource: { scopes: ["mcp"] } },
    );
    const send = (method: "POST" | "GET" | "DELETE", headers: Record<string, string>, body?: string) =>
      server.fetch(server.url, {
        method,
        headers: { ...accept, ...headers },
        ...(body === undefined ? undefined : { body }),
        redirect: "manual",
        signal: new AbortController().signal,
      });
    return { server, send };
  }

  it("lets clients of every revision in that log in, however old [O0326-026]", async (context) => {
    for (const revision of [...handshakeRevisions.map(({ id }) => id), undefined]) {
      const { server } = createProtected(context);
      const auth = server.createClient();
      const session = await connect<typeof app>(server.url, { auth, revision, http: { fetch: server.fetch } });
      assert.match(JSON.stringify(await session.tools.hello()), /hello in/);
      await session.close();
    }
  });

  it("names its metadata in every 401, in a session and outside [O0618-021] [O0326-026]", async (context) => {
    const { server, send } = createProtected(context);
    const auth = server.createClient();
    const revision = "2025-06-18";
    const session = await connect(server.url, { auth, revision, http: { fetch: server.fetch } });
    const id = server.passed.findLast(({ headers }) => headers["mcp-session-id"])?.headers["mcp-session-id"] ?? "";
    const inSession = { "mcp-session-id": id, "mcp-protocol-version": revision };
    const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
    for (const headers of [{}, inSession, { ...inSession, authorization: "Bearer wrong" }]) {
      for (const [method, body] of [["POST", ping], ["GET"], ["DELETE"]] as const) {
        const reply = await send(method, headers, body);
        assert.equal(reply.status, 401);
        const challenge = reply.headers.get("www-authenticate") ?? "";
        assert.ok(
          challenge.includes('resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp"'),
        );
        assert.ok(challenge.includes('scope="mcp"'));
      }
    }
    await session.close();
  });
});

// What must not go from one to another: tokens to other services, data of one server to the next, and logins of another
// service mistaken for one's own.

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { JsonObject } from "parley-mcp";
import { authorizationCode, clientCredentials, createOAuthClient } from "parley-mcp/auth/client";
import type { ResourceOptions, Verifier } from "parley-mcp/auth/resource";
import { defineClient } from "parley-mcp/client";
import { connect } from "parley-mcp/connect";
import type { Fetch } from "parley-mcp/http/client";
import { createHttpHandler, type HttpServerOptions } from "parley-mcp/http/server";
import { defineServer, type Server, tool } from "parley-mcp/server";
import { createMemoryStore } from "parley-mcp/store";
import { createFakeClock, type FakeClock } from "../../src/test/clock.ts";
import { createFakeAuthorization, joinFakes } from "../fixtures/auth/fake-authorization-server.ts";
import { ProtectedServer } from "../fixtures/auth/protected-server.ts";
import { createScriptedAgent } from "../fixtures/auth/scripted-agent.ts";

interface ProtectOptions {
  readonly http?: HttpServerOptions;
  /** The name of the server in addresses, and before its tokens. */
  readonly name?: string;
  readonly clock?: FakeClock;
  readonly resource?: Partial<ResourceOptions>;
}

function protect(context: TestContext, app: Server, options: ProtectOptions = {}): ProtectedServer {
  const { http, name = "own", clock = createFakeClock(1_800_000_000_000), resource } = options;
  return new ProtectedServer(
    (auth) => {
      const handler = createHttpHandler(app, { auth, allowedHosts: [`${name}.example`], ...http });
      context.after(() => handler.close());
      return handler;
    },
    {
      fake: {
        clock,
        prefix: `${name}-`,
        endpoint: `https://${name}.example/mcp`,
        issuer: `https://as-${name}.example`,
      },
      resource: { scopes: ["mcp"], scopesSupported: ["mcp", "mcp:admin"], ...resource },
    },
  );
}

describe("a server that calls another service", () => {
  it("shows it tokens of its own, never the caller's, and takes none that is for that service [AUTH-064] [AUTHDRAFT-025]", async (context) => {
    const upstream = createFakeAuthorization({
      endpoint: "https://api.example/v1",
      issuer: "https://as-api.example",
      prefix: "upstream-",
      clients: [{ clientId: "our-server", clientSecret: "s" }],
    });
    const { issuer, state, endpoint } = upstream;
    const own = createOAuthClient({
      grant: clientCredentials({ clientId: "our-server", clientSecret: "s", issuer }),
      fetch: upstream.fetch,
      clock: state.clock,
    });
    const callUpstream = own.fetchFor(endpoint, upstream.fetch);
    const inbound: (string | undefined)[] = [];
    const app = defineServer({
      name: "front",
      version: "1.0.0",
      tools: {
        relay: tool({ description: "Asks the other service" }, async (_args, ctx) => {
          inbound.push(ctx.auth?.token);
          const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
          const init = { method: "POST", headers: {}, body, redirect: "manual", signal: ctx.signal } as const;
          return String((await callUpstream(endpoint, init)).status);
        }),
      },
    });
    const server = protect(context, app);
    const session = await connect<typeof app>(server.url, {
      auth: server.createClient(),
      http: { fetch: server.fetch },
    });
    assert.deepEqual(await session.tools.relay(), [{ type: "text", text: "200" }]);
    await session.close();
    assert.deepEqual(inbound, ["own-access-1"]);
    const seen = JSON.stringify(upstream.log.map(({ url, headers, body }) => [url, headers, body]));
    assert.doesNotMatch(seen, /own-access/);
    const [foreign = ""] = state.accessTokens.keys();
    assert.ok(seen.includes(foreign));
    const shown = JSON.stringify(server.passed);
    assert.ok(!shown.includes(foreign));
    const reply = await server.fetch(server.url, {
      method: "POST",
      headers: { authorization: `Bearer ${foreign}` },
      body: "{}",
      redirect: "manual",
      signal: new AbortController().signal,
    });
    assert.equal(reply.status, 401);
  });

  it("sends the person to a page where a login there is missing, and never answers 401 for it [AUTHDRAFT-038]", async (context) => {
    const page = "https://accounts.example.com/link";
    const app = defineServer({
      name: "linking",
      version: "1.0.0",
      tools: {
        import: tool({ description: "Imports from the other service" }, async (_args, ctx) => {
          const elicitationId = await ctx.once("ticket", () => "ticket-1");
          const { action } = await ctx.elicitUrl({ message: "Sign in at the other service", url: page, elicitationId });
          return action === "accept" ? "imported" : "not imported";
        }),
      },
    });
    for (const revision of ["2025-11-25", undefined]) {
      const server = protect(context, app);
      const opened: string[] = [];
      const client = defineClient({
        name: "tester",
        version: "1.0.0",
        elicitation: { url: { consent: () => "accept", open: (url) => void opened.push(url) } },
      });
      const auth = server.createClient();
      const session = await connect<typeof app>(server.url, { auth, client, revision, http: { fetch: server.fetch } });
      assert.deepEqual(await session.tools.import(), [{ type: "text", text: "imported" }]);
      await session.close();
      assert.deepEqual(opened, [page]);
      const calls = server.passed.filter(({ body }) => body.includes("tools/call"));
      assert.ok(calls.length > 0 && calls.every(({ status }) => status === 200));
      assert.equal(server.agent.pages.length, 1);
    }
  });
});

describe("a server whose logins are elsewhere", () => {
  const app = defineServer({ name: "demo", version: "1.0.0", tools: { hello: tool({}, () => "hello") } });

  it("asks for the configured least, and ends sessions that nobody uses [AUTHDRAFT-025]", async (context) => {
    const clock = createFakeClock(1_800_000_000_000);
    const idleTimeoutMs = 60_000;
    const server = protect(context, app, {
      clock,
      http: { clock, store: createMemoryStore({ clock }), sessions: { idleTimeoutMs } },
    });
    const fetch = server.createClient().fetchFor(server.url, server.fetch);
    const send = (id: number, method: string, params: JsonObject, more: Record<string, string> = {}) =>
      fetch(server.url, {
        method: "POST",
        headers: { accept: "application/json, text/event-stream", "content-type": "application/json", ...more },
        body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
        redirect: "manual",
        signal: new AbortController().signal,
      });
    const clientInfo = { name: "tester", version: "1.0.0" };
    const opened = await send(1, "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    assert.equal(new URL(server.agent.pages[0] ?? "").searchParams.get("scope"), "mcp");
    const session = { "mcp-session-id": opened.headers.get("mcp-session-id") ?? "" };
    assert.equal((await send(2, "ping", {}, session)).status, 200);
    await clock.advance(idleTimeoutMs + 1);
    assert.equal((await send(3, "ping", {}, session)).status, 404);
  });
});

describe("a client of several servers", () => {
  const leaky = (name: string) =>
    defineServer({
      name,
      version: "1.0.0",
      instructions: `instructions of ${name}`,
      tools: { secret: tool({ description: `tool of ${name}` }, () => `secret of ${name}`) },
    });

  it("gives a server nothing of another: no token, name, address or content [SEC-005] [AUTHDRAFT-037]", async (context) => {
    const one = protect(context, leaky("one"), { name: "one" });
    const two = protect(context, leaky("two"), { name: "two" });
    const { auth, fetch } = joinServers(one, two);
    const client = defineClient({ name: "host", version: "1.0.0" });
    for (const server of [one, two, one, two]) {
      const session = await connect(server.url, { auth, client, http: { fetch } });
      await session.listTools().all();
      await session.callTool("secret", {});
      await session.close();
    }
    for (const [server, other] of [
      [one, "two"],
      [two, "one"],
    ] as const) {
      const requests = [...server.passed, ...server.fake.log].map(({ url, headers, body }) => [url, headers, body]);
      assert.ok(requests.length > 4);
      assert.doesNotMatch(JSON.stringify(requests), new RegExp(`${other}-\\w+-\\d|of ${other}|\\b${other}\\.example`));
    }
  });

  it("has a token for each, also where one authorization server gives out both [AUTHDRAFT-037]", async (context) => {
    const one = protect(context, leaky("one"), { name: "one" });
    const { issuer, state } = one.fake;
    const verify: Verifier = (token) => {
      const { grant, scopes = [] } = state.findAccess(token) ?? {};
      return grant && { clientId: grant.clientId, scopes, audience: grant.resource ?? "" };
    };
    const two = protect(context, leaky("two"), { name: "two", resource: { issuer, verify } });
    const { auth, fetch } = joinServers(one, two);
    for (const server of [one, two]) {
      await (await connect(server.url, { auth, http: { fetch } })).close();
    }
    assert.deepEqual(
      one.fake.sent("token").map(({ form }) => form.get("resource")),
      [one.url, two.url],
    );
    const tokensAt = ({ passed }: ProtectedServer) => [...new Set(passed.map(({ headers }) => headers.authorization))];
    assert.deepEqual(tokensAt(one), [undefined, "Bearer one-access-1"]);
    assert.deepEqual(tokensAt(two), [undefined, "Bearer one-access-2"]);
  });
});

/** One client of two servers, and what reaches both. */
function joinServers(one: ProtectedServer, two: ProtectedServer) {
  const hosts = new Map(
    [one, two].flatMap((server) => [server.url, server.fake.issuer].map((url) => [new URL(url).host, server])),
  );
  const fetch: Fetch = (url, init) => {
    const owner = hosts.get(new URL(url).host);
    return owner === undefined ? Promise.reject(new TypeError("fetch failed")) : owner.fetch(url, init);
  };
  const userAgent = createScriptedAgent(joinFakes(one.fake, two.fake));
  const grant = authorizationCode({ client: { clientName: "host" }, userAgent });
  return { auth: one.createClient({ grant, fetch }), fetch };
}

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { start, type TestHeaders } from "../../../test/fixtures/http/scripted-server.ts";
import { createRefusal } from "../status.ts";
import { withHeaders } from "./guard.ts";
import type { HttpServerOptions } from "./options.ts";

const methods = ["POST", "GET", "DELETE"] as const;

async function statusesOf(options: HttpServerOptions, headers: TestHeaders): Promise<number[]> {
  const statuses: number[] = [];
  for (const method of methods) {
    const { client, server } = await start({}, { dangerouslyAllowAnyHost: true, ...options, allowedHosts: undefined });
    client.sessionId = undefined;
    const before = server.received.length;
    const common = { "content-type": "application/json", accept: "*/*", ...headers };
    const body = method === "POST" ? '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}' : undefined;
    const response = await client.send(method, common, body);
    statuses.push(response.status);
    if (response.status === 403) {
      assert.equal(server.received.length, before, "no handler ran");
    }
  }
  return statuses;
}

describe("Guard", () => {
  it("refuses a foreign origin with 403 on every method before anything runs [HTTP-002] [HTTP-003]", async () => {
    assert.deepEqual(await statusesOf({}, { origin: "https://evil.example" }), [403, 403, 403]);
    assert.deepEqual(await statusesOf({}, { origin: "http://localhost:9" }), [200, 400, 400]);
    assert.deepEqual(await statusesOf({}, { origin: undefined }), [200, 400, 400]);
  });

  it("refuses hidden and malformed origins unless told otherwise [HTTP-003]", async () => {
    for (const origin of ["null", "", "evil", "http://", "http://a b", "http://localhost/path"]) {
      assert.deepEqual((await statusesOf({}, { origin }))[0], 403, origin);
    }
    assert.equal((await statusesOf({ dangerouslyAllowAnyOrigin: true }, { origin: "null" }))[0], 200);
    assert.equal((await statusesOf({ allowedOrigins: ["null"] }, { origin: "null" }))[0], 200);
  });

  it("refuses every host but loopback names by default, on any port, with a JSON-RPC body [PP-106]", async () => {
    const { client } = await start();
    for (const host of ["localhost", "localhost:1", "127.0.0.1:8080", "[::1]:3000", "app.localhost"]) {
      assert.equal((await client.call("echo", {}, 1, { host })).status, 200, host);
    }
    for (const host of ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "10.0.0.1"]) {
      const response = await client.call("echo", {}, 1, { host });
      assert.equal(response.status, 403, host);
      assert.equal(((await response.json()) as { jsonrpc: string }).jsonrpc, "2.0");
    }
  });

  it("answers a malformed host with 400", async () => {
    const { client } = await start();
    for (const host of ["_invalid_ x", "a:b", "a,b", "user@localhost"]) {
      assert.equal((await client.call("echo", {}, 1, { host })).status, 400, host);
    }
  });

  it("takes empty lists as closed, not as open [PP-106]", async () => {
    const hosts = await start({}, { allowedHosts: [] });
    assert.equal((await hosts.client.call("echo")).status, 403);
    assert.deepEqual((await statusesOf({ allowedOrigins: [] }, { origin: "http://localhost:3000" }))[0], 403);
    assert.deepEqual((await statusesOf({ allowedOrigins: [] }, {}))[0], 200);
  });

  it("serves the hosts it is told to, and any only by an option that says so [PP-106]", async () => {
    const listed = await start({}, { allowedHosts: ["mcp.example.com"] });
    const statusOf = async (host: string, origin?: string): Promise<number> =>
      (await listed.client.call("initialize", {}, 1, { host, origin, "mcp-session-id": undefined })).status;
    assert.equal(await statusOf("mcp.example.com:443"), 200);
    assert.equal(await statusOf("localhost"), 403);
    assert.equal(await statusOf("mcp.example.com", "https://mcp.example.com"), 200);
    assert.equal(await statusOf("mcp.example.com", "http://localhost:3000"), 403);
  });

  it("asks functions behind authentication, with the request and who calls [PP-107]", async () => {
    const seen: unknown[] = [];
    const auth = { token: "t", clientId: "c", scopes: [] };
    const options: HttpServerOptions = {
      allowedHosts: async (host) => host === "localhost:3000",
      allowedOrigins: async (origin, request, caller) => {
        seen.push([origin, request.method, caller?.clientId]);
        return origin === "https://good.example";
      },
      auth: {
        authenticate: () => {
          seen.push("authenticate");
          return { ok: true, auth };
        },
      },
    };
    const { client } = await start({}, options);
    seen.length = 0;
    assert.equal((await client.call("echo", {}, 1, { origin: "https://good.example" })).status, 200);
    assert.deepEqual(seen, ["authenticate", ["https://good.example", "POST", "c"]]);
    assert.equal((await client.call("echo", {}, 1, { origin: "https://bad.example" })).status, 403);
    assert.equal((await client.call("echo", {}, 1, { host: "other" })).status, 403);
  });

  it("verifies every request, sessions or not, and lets the refusal decide its status [HTTP-005] [SEC-018]", async () => {
    const { client, server } = await start(
      {},
      {
        auth: {
          authenticate: (request) =>
            request.header("authorization") === "Bearer bad"
              ? {
                  ok: false,
                  reply: createRefusal("unauthorized", "no token", { headers: { "www-authenticate": "Bearer" } }),
                }
              : { ok: true, auth: undefined },
        },
      },
    );
    const before = server.received.length;
    for (const method of methods) {
      const response = await client.send(
        method,
        { authorization: "Bearer bad", accept: "*/*" },
        method === "POST" ? "{}" : undefined,
      );
      assert.deepEqual([response.status, response.headers.get("www-authenticate")], [401, "Bearer"]);
    }
    assert.equal(server.received.length, before);
    assert.equal((await client.call("echo")).status, 200);
  });

  it("checks the origin before it asks who calls [HTTP-003]", async () => {
    let asked = 0;
    const { client } = await start(
      {},
      {
        auth: {
          authenticate: () => {
            asked += 1;
            return { ok: true, auth: undefined };
          },
        },
      },
    );
    asked = 0;
    assert.equal((await client.call("echo", {}, 1, { origin: "https://evil.example" })).status, 403);
    assert.equal(asked, 0);
  });

  it("answers preflights before authentication, for listed pages only [PP-107]", async () => {
    const { client } = await start(
      {},
      {
        cors: { origins: ["https://app.example"], allowHeaders: ["X-Trace"], maxAgeSeconds: 60 },
        auth: {
          authenticate: (request) =>
            request.method === "OPTIONS" ? assert.fail("a preflight was authenticated") : { ok: true, auth: undefined },
        },
      },
    );
    const ask = { "access-control-request-method": "POST", "access-control-request-headers": "mcp-session-id" };
    const response = await client.send("OPTIONS", { origin: "https://app.example", ...ask });
    assert.equal(response.status, 204);
    assert.equal(response.headers.get("access-control-allow-origin"), "https://app.example");
    assert.equal(response.headers.get("access-control-allow-methods"), "GET, POST, DELETE");
    assert.match(response.headers.get("access-control-allow-headers") ?? "", /last-event-id.*mcp-session-id.*x-trace/);
    assert.equal(response.headers.get("access-control-max-age"), "60");
    assert.equal((await client.send("OPTIONS", { origin: "https://evil.example", ...ask })).status, 403);
    assert.equal((await client.send("OPTIONS", { origin: "http://localhost:3000", ...ask })).status, 403);
  });

  it("lets listed pages send the headers that repeat the body, those of tool parameters by the names asked for [PP-107]", async () => {
    const { client } = await start({}, { cors: { origins: ["https://app.example"] } });
    const response = await client.send("OPTIONS", {
      origin: "https://app.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "Mcp-Param-Region,mcp-method, mcp-param-, x-other, mcp-param-a b",
    });
    const allowed = (response.headers.get("access-control-allow-headers") ?? "").split(", ");
    assert.ok(allowed.includes("mcp-method") && allowed.includes("mcp-name"));
    assert.deepEqual(
      allowed.filter((name) => /param|other/.test(name)),
      ["mcp-param-region"],
    );
    assert.equal(response.headers.get("vary"), "origin, access-control-request-headers");
  });

  it("lets listed pages read replies and refusals, and nobody without CORS [PP-107]", async () => {
    const shared = await start({}, { cors: { origins: [/^https:\/\/app\.example$/] } });
    for (const headers of [{}, { "content-type": "text/plain" }]) {
      const response = await shared.client.call("echo", {}, 1, { origin: "https://app.example", ...headers });
      assert.equal(response.headers.get("access-control-allow-origin"), "https://app.example");
      assert.match(response.headers.get("access-control-expose-headers") ?? "", /mcp-session-id, mcp-protocol-version/);
      assert.equal(response.headers.get("vary"), "origin");
    }
    const local = await shared.client.call("echo", {}, 1, { origin: "http://localhost:5173" });
    assert.deepEqual([local.status, local.headers.get("access-control-allow-origin")], [200, null]);
    const closed = await start();
    const response = await closed.client.call("echo", {}, 1, { origin: "http://localhost:5173" });
    assert.equal(response.headers.get("access-control-allow-origin"), null);
  });
});

describe("withHeaders", () => {
  it("adds headers and keeps those that were there", () => {
    const reply = createRefusal("forbidden", "no");
    assert.equal(withHeaders(reply, undefined), reply);
    assert.deepEqual(withHeaders(reply, { vary: "origin" }).headers, {
      "content-type": "application/json",
      vary: "origin",
    });
  });
});

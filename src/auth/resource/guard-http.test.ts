import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { start } from "../../../test/fixtures/http/scripted-server.ts";
import { TokenIssuer } from "../../../test/fixtures/token-issuer.ts";
import { systemClock } from "../../base/timer.ts";
import type { HttpAuthenticator } from "../../http/server/authenticator.ts";
import { createHttpHandler } from "../../http/server/handler.ts";
import { defineServer } from "../../server/define.ts";
import { tool } from "../../server/features/tool.ts";
import { protectResource } from "./guard.ts";

async function protect(): Promise<{ issuer: TokenIssuer; auth: HttpAuthenticator }> {
  const issuer = await TokenIssuer.create(systemClock);
  const scopesSupported = ["files:read", "files:write"];
  const options = { issuer: issuer.issuer, audience: "https://mcp.example/mcp", fetch: issuer.fetch, scopesSupported };
  return { issuer, auth: protectResource(options) };
}

describe("protectResource in front of an HTTP server", () => {
  it("fits the option auth, and verifies every request on every method, sessions or not [SEC-018]", async () => {
    const { issuer, auth } = await protect();
    const { client } = await start({}, { auth });
    const authorization = `Bearer ${await issuer.sign()}`;
    const opened = await client.call("initialize", {}, 1, { authorization, "mcp-session-id": undefined });
    assert.equal(opened.status, 200);
    const common = {
      "content-type": "application/json",
      accept: "*/*",
      "mcp-session-id": opened.headers.get("mcp-session-id") ?? assert.fail("expected a session"),
    };
    for (const method of ["POST", "GET", "DELETE"] as const) {
      const body = method === "POST" ? '{"jsonrpc":"2.0","id":1,"method":"ping"}' : undefined;
      const response = await client.send(method, common, body);
      assert.equal(response.status, 401, method);
      assert.match(response.headers.get("www-authenticate") ?? "", /resource_metadata="https:/);
    }
    assert.equal((await client.send("DELETE", { ...common, authorization }, undefined)).status < 300, true);
  });

  it("names all scopes of a tool and the caller's own in its 403, and serves the metadata beside [AUTH-005] [AUTH-065] [AUTH-066]", async () => {
    const { issuer, auth } = await protect();
    const write = tool({ description: "Writes", scopes: ["files:write"] }, () => assert.fail("the tool ran"));
    const app = defineServer({ name: "files", version: "1.0.0", tools: { write } });
    const { fetch, documentPaths } = createHttpHandler(app, { auth, allowedHosts: ["mcp.example"], sessions: false });
    const headers = {
      host: "mcp.example",
      authorization: `Bearer ${await issuer.sign()}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    };
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "write", arguments: {} } };
    const url = "https://mcp.example/mcp";
    const response = await fetch(new Request(url, { method: "POST", headers, body: JSON.stringify(call) }));
    assert.equal(response.status, 403);
    const challenge = response.headers.get("www-authenticate") ?? "";
    assert.match(challenge, /^Bearer error="insufficient_scope".*scope="files:read files:write"/);
    const metadataUrl = /resource_metadata="([^"]*)"/.exec(challenge)?.[1] ?? "";
    assert.ok(documentPaths.includes(new URL(metadataUrl).pathname));
    const document = await fetch(new Request(metadataUrl, { headers: { host: "mcp.example" } }));
    assert.deepEqual([document.status, ((await document.json()) as { resource: string }).resource], [200, url]);
  });
});

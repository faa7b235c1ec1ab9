import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Failure, newest, start, withBatches } from "../../../test/fixtures/http/scripted-server.ts";
import { InsufficientScopeError } from "../../protocol/authorization-errors.ts";
import type { AuthInfo } from "../../protocol/types/auth.ts";
import type { TextReply } from "../message.ts";
import type { HttpAuthenticator } from "./authenticator.ts";

const auth: AuthInfo = { token: "t", clientId: "c", scopes: ["files:read"] };

const documentReply: TextReply = {
  kind: "text",
  status: 200,
  headers: { "content-type": "text/plain" },
  body: "read me",
};

const authenticator: HttpAuthenticator = {
  authenticate: (request) =>
    request.header("authorization") === "Bearer bad"
      ? { ok: false, reply: { kind: "text", status: 401, headers: { "www-authenticate": "Demo" }, body: "" } }
      : { ok: true, auth, headers: { "x-nonce": "n" } },
  challengeScopes: (scopes, caller) => ({ "www-authenticate": `Demo needs="${scopes}" has="${caller?.scopes}"` }),
  documents: new Map([["/.well-known/demo", () => documentReply]]),
};

const refusing = (): never => {
  throw new InsufficientScopeError(["files:read", "files:write"], "write");
};

const bearer = { authorization: "Bearer t" };

const bad = { authorization: "Bearer bad" };

describe("HttpAuthenticator", () => {
  it("answers a request that lacks scopes with 403 and what would do, in every format and revision [AUTH-063] [AUTH-065]", async () => {
    for (const response of ["auto", "json", "stream"] as const) {
      const { client } = await start({ write: refusing }, { auth: authenticator, response });
      for (const reply of [await client.call("write", {}, 1, bearer), await client.ask("write", {}, 1, bearer)]) {
        assert.equal(reply.status, 403);
        const challenge = 'Demo needs="files:read,files:write" has="files:read"';
        assert.equal(reply.headers.get("www-authenticate"), challenge);
        assert.deepEqual(((await reply.json()) as Failure).error.data, { scopes: ["files:read", "files:write"] });
      }
    }
  });

  it("leaves the status alone where nobody gives tokens out, and in a batch [AUTH-001]", async () => {
    const open = await start({ write: refusing });
    assert.equal((await open.client.call("write")).status, 200);
    const { client } = await start({ write: refusing }, { auth: authenticator, sessions: false });
    const batch = [{ jsonrpc: "2.0", id: 1, method: "write" }];
    const reply = await client.post(batch, { ...bearer, "mcp-protocol-version": withBatches });
    assert.deepEqual([reply.status, reply.headers.get("www-authenticate")], [200, null]);
  });

  it("adds its headers to every reply of a caller it let in, and lets pages read them", async () => {
    const origin = "https://app.example";
    const { client } = await start({}, { auth: authenticator, cors: { origins: [origin] } });
    for (const headers of [{ ...bearer }, { ...bearer, "content-type": "text/plain" }]) {
      const reply = await client.call("echo", {}, 1, { ...headers, origin });
      assert.equal(reply.headers.get("x-nonce"), "n");
    }
    const refused = await client.call("echo", {}, 1, { ...bad, origin });
    assert.deepEqual([refused.status, refused.headers.get("access-control-allow-origin")], [401, origin]);
    assert.match(refused.headers.get("access-control-expose-headers") ?? "", /www-authenticate, dpop-nonce/);
  });

  it("gives its documents to anybody, from any page, and says where they are [AUTH-005]", async () => {
    const { handler } = await start({}, { auth: authenticator });
    assert.deepEqual(handler.documentPaths, ["/.well-known/demo"]);
    const request = new Request("http://localhost/.well-known/demo", { headers: { origin: "https://any.example" } });
    assert.equal(await (await handler.fetch(request)).text(), "read me");
    const elsewhere = new Request("http://localhost/.well-known/other", { headers: bad });
    assert.equal((await handler.fetch(elsewhere)).status, 401);
  });

  it("is not what a preflight learns about: without CORS a page is refused by that name [PP-107]", async () => {
    const { client } = await start({}, { auth: authenticator, allowedOrigins: ["https://app.example"] });
    const preflight = { origin: "https://app.example", "access-control-request-method": "POST" };
    const reply = await client.send("OPTIONS", preflight);
    assert.equal(reply.status, 403);
    assert.match(((await reply.json()) as Failure).error.message, /cors\.origins/);
  });

  it("is asked behind the preflight, which carries no token", async () => {
    const { client } = await start({}, { auth: authenticator, cors: { origins: ["https://app.example"] } });
    const preflight = { origin: "https://app.example", "access-control-request-method": "POST" };
    const reply = await client.send("OPTIONS", { ...preflight, "mcp-protocol-version": newest });
    assert.equal(reply.status, 204);
    assert.match(reply.headers.get("access-control-allow-headers") ?? "", /authorization, dpop/);
  });
});

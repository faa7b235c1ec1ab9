// What tokens of a real authorization server are good for: their scopes, their resource, their user, and no more.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { protectResource } from "parley-mcp/auth/resource";
import { createLegacyHttpHandler } from "parley-mcp/http/legacy/server";
import { createHttpHandler } from "parley-mcp/http/server";
import { app, connections, OidcRig, post, readDocument } from "../fixtures/auth/oidc-rig.node.ts";

const scopesOf = (page: URL | undefined): string[] =>
  (page?.searchParams.get("scope") ?? "").split(" ").filter((scope) => scope.startsWith("files:"));

for (const [name, revision] of connections) {
  describe(`a tool that needs another scope, ${name}`, () => {
    it("sends the user to grant both scopes, without a refresh, and is called then [AUTH-065] [AUTH-066] [AUTH-067] [PP-088]", async (context) => {
      const rig = await OidcRig.start(context);
      const { auth, pages } = rig.createLogin({ user: "ada" });
      const session = await rig.open(rig.protect(), auth, { revision });
      await session.tools.read();
      assert.deepEqual(scopesOf(pages[0]), ["files:read"]);
      assert.deepEqual(await session.tools.write(), [{ type: "text", text: "written" }]);
      const refused = rig.refusals.filter(({ status }) => status === 403);
      assert.deepEqual(
        refused.map(({ challenge }) => /error="insufficient_scope".*scope="([^"]*)"/.exec(challenge)?.[1]),
        ["files:read files:write"],
      );
      assert.match(refused[0]?.challenge ?? "", /resource_metadata="[^"]+"/);
      assert.deepEqual(scopesOf(pages[1]), ["files:read", "files:write"]);
      assert.deepEqual(await session.tools.read(), [{ type: "text", text: "ada" }]);
      await session.tools.write();
      assert.deepEqual([pages.length, rig.oidc.granted("refresh_token")], [2, 0]);
    });
  });
}

describe("two resources on one host", () => {
  it("each have their own metadata and their own tokens, which the other refuses [AUTH-009] [AUTH-061] [PP-104]", async (context) => {
    const rig = await OidcRig.start(context);
    const urls = ["/one/mcp", "/two/mcp"].map((path) => rig.protect({ rootDocument: false }, path));
    const { auth, pages } = rig.createLogin({ user: "ada" });
    const tokens: string[] = [];
    for (const url of urls) {
      const session = await rig.open(url, auth);
      assert.deepEqual(await session.tools.read(), [{ type: "text", text: "ada" }]);
      tokens.push(rig.lastToken);
      const place = `${rig.host.origin}/.well-known/oauth-protected-resource${new URL(url).pathname}`;
      assert.equal((await readDocument(place)).resource, url);
    }
    assert.deepEqual(
      pages.map(({ searchParams }) => searchParams.get("resource")),
      urls,
    );
    const statuses = urls.map((url) =>
      tokens.map(async (token) => (await post(url, { authorization: `Bearer ${token}` })).status === 401),
    );
    assert.deepEqual(await Promise.all(statuses.map((row) => Promise.all(row))), [
      [false, true],
      [true, false],
    ]);
  });
});

describe("a session", () => {
  it("is no authentication: without a token, or with that of somebody else, there is nothing in it [SEC-018] [SEC-019] [SEC-020]", async (context) => {
    const rig = await OidcRig.start(context);
    const url = rig.protect();
    const options = { revision: "2025-11-25" };
    const ada = await rig.open(url, rig.createLogin({ user: "ada" }).auth, options);
    await ada.tools.read();
    const id = rig.requests.findLast(({ headers }) => headers["mcp-session-id"])?.headers["mcp-session-id"] ?? "";
    const own = rig.lastToken;
    await rig.open(url, rig.createLogin({ user: "bob" }).auth, options);
    const others = rig.lastToken;
    const inSession = { "mcp-session-id": id, "mcp-protocol-version": "2025-11-25" };
    const ask = async (method: string, authorization?: string): Promise<number> => {
      const headers = {
        ...inSession,
        accept: "text/event-stream, application/json",
        ...(authorization === undefined ? undefined : { authorization }),
        ...(method === "GET" ? { "last-event-id": "1" } : undefined),
      };
      const reply = method === "POST" ? await post(url, headers) : await fetch(url, { method, headers });
      await reply.body?.cancel();
      return reply.status;
    };
    for (const method of ["POST", "GET", "DELETE"]) {
      assert.equal(await ask(method), 401, method);
      assert.equal(await ask(method, "Bearer made-up"), 401, method);
      assert.equal(await ask(method, `Bearer ${others}`), 404, method);
    }
    assert.equal(await ask("POST", `Bearer ${own}`), 200);
    assert.deepEqual(await ada.tools.read(), [{ type: "text", text: "ada" }]);
  });
});

describe("HTTP+SSE behind the guard of Streamable HTTP", () => {
  it("is logged in to in the same way, with the same tokens [AUTHDRAFT-004] [O24-024] [O24-025]", async (context) => {
    const rig = await OidcRig.start(context);
    const resource = `${rig.host.origin}/files`;
    const auth = protectResource(rig.toResource(resource));
    const paths = { streamPath: "/files/sse", messagePath: "/files/messages" };
    rig.host.mount(createHttpHandler(app, { auth }), "/files/mcp");
    const legacy = createLegacyHttpHandler((channel, client) => app.serve(channel, { auth: client.auth }), {
      auth,
      ...paths,
    });
    rig.host.mount(legacy, paths.streamPath, paths.messagePath);
    const login = rig.createLogin({ user: "ada" });
    const session = await rig.open(`${rig.host.origin}${paths.streamPath}`, login.auth);
    assert.deepEqual(await session.tools.read(), [{ type: "text", text: "ada" }]);
    const authorization = `Bearer ${rig.lastToken}`;
    assert.notEqual((await post(`${rig.host.origin}/files/mcp`, { authorization })).status, 401);
    assert.equal((await post(`${rig.host.origin}${paths.messagePath}?session=made-up`, {})).status, 401);
    assert.equal(login.pages[0]?.searchParams.get("resource"), resource);
    // Ends the event stream too, which is answered as long as it lasts.
    await rig.host.close();
    const accepted = rig.requests.filter(({ path, status }) => path.startsWith("/files/") && status < 300);
    assert.deepEqual(new Set(accepted.map(({ method }) => method)), new Set(["GET", "POST"]));
    assert.ok(accepted.every(({ headers }) => headers.authorization === authorization));
  });
});

// Logging in to a real authorization server, over real sockets: whoever the client is to it.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createClientMetadataDocument } from "parley-mcp/auth/client";
import { connections, OidcRig, post, readDocument } from "../fixtures/auth/oidc-rig.node.ts";

const hello = [{ type: "text", text: "ada" }];
const clientIdUrl = "https://app.example/client.json";
/** Programs that are not registered anew each time come back to any port of this machine. */
const redirectUris = ["http://127.0.0.1/callback"];
const agreed = {
  client_id: "agreed",
  client_secret: "a secret of this test alone, long enough",
  redirect_uris: redirectUris,
  application_type: "native",
  grant_types: ["authorization_code", "refresh_token"],
  token_endpoint_auth_method: "client_secret_basic",
} as const;

for (const [name, revision] of connections) {
  describe(`a login at a real authorization server, ${name}`, () => {
    it("registers, proves its code, names the resource, and has every request carry the token [AUTH-007] [AUTH-038] [AUTH-041] [AUTH-045] [AUTH-057] [AUTH-058]", async (context) => {
      const rig = await OidcRig.start(context);
      const url = rig.protect();
      const { auth, pages, endings } = rig.createLogin({ user: "ada" });
      const session = await rig.open(url, auth, { revision });
      assert.deepEqual(await session.tools.read(), hello);
      assert.match(endings[0] ?? "", /You can close this window/);
      assert.equal(rig.oidc.stats.get("POST /reg"), 1);
      const [asked] = pages.map(({ searchParams }) => searchParams);
      assert.equal(asked?.get("code_challenge_method"), "S256");
      assert.equal(asked?.get("resource"), url);
      assert.deepEqual(
        rig.oidc.tokenRequests.map(({ grantType, resource, error }) => [grantType, resource, error]),
        [["authorization_code", url, undefined]],
      );
      await session.close();
      const [first, ...others] = rig.requests.filter(({ path }) => path.startsWith("/mcp"));
      assert.deepEqual([first?.status, first?.headers.authorization], [401, undefined]);
      assert.ok(
        others.length > 0 && others.every(({ headers }) => headers.authorization === `Bearer ${rig.lastToken}`),
      );
      assert.ok(rig.requests.every(({ path }) => !path.includes(rig.lastToken)));
      assert.equal((await post(`${url}?access_token=${rig.lastToken}`, {})).status, 401);
    });

    it("shows its own metadata document as its id, and registers nowhere [AUTH-027]", async (context) => {
      const document = createClientMetadataDocument(clientIdUrl, { clientName: "tester" }, redirectUris);
      const rig = await OidcRig.start(context, { documents: new Map([[clientIdUrl, document]]) });
      const { auth, pages } = rig.createLogin({ user: "ada", clientIdUrl });
      const session = await rig.open(rig.protect(), auth, { revision });
      assert.deepEqual(await session.tools.read(), hello);
      assert.equal(pages[0]?.searchParams.get("client_id"), clientIdUrl);
      assert.equal(rig.oidc.stats.get("POST /reg"), undefined);
    });

    it("prefers an id with a secret that was agreed on beforehand to every other [AUTH-025] [AUTH-026]", async (context) => {
      const document = createClientMetadataDocument(clientIdUrl, { clientName: "tester" }, redirectUris);
      const documents = new Map([[clientIdUrl, document]]);
      const rig = await OidcRig.start(context, { documents, clients: [agreed] });
      const { client_id: clientId, client_secret: clientSecret } = agreed;
      const preregistered = [{ issuer: rig.oidc.issuer, clientId, clientSecret }];
      const { auth, pages } = rig.createLogin({ user: "ada", preregistered, clientIdUrl, dynamicRegistration: true });
      const session = await rig.open(rig.protect(), auth, { revision });
      assert.deepEqual(await session.tools.read(), hello);
      assert.equal(pages[0]?.searchParams.get("client_id"), clientId);
      assert.equal(rig.oidc.stats.get("POST /reg"), undefined);
    });
  });
}

describe("a server that trusts a real authorization server", () => {
  it("tells everybody where that is, without a token and in every refusal [AUTH-005] [AUTH-006] [AUTH-008] [AUTH-062]", async (context) => {
    const rig = await OidcRig.start(context);
    const url = rig.protect();
    const place = `${rig.host.origin}/.well-known/oauth-protected-resource/mcp`;
    const published = await readDocument(place);
    assert.deepEqual([published.resource, published.authorization_servers], [url, [rig.oidc.issuer]]);
    for (const [headers, error] of [
      [{}, undefined],
      [{ authorization: "Bearer made-up" }, "invalid_token"],
    ] as const) {
      const { status, headers: answered } = await post(url, headers);
      const challenge = answered.get("www-authenticate") ?? "";
      assert.equal(status, 401);
      assert.ok(challenge.includes(`resource_metadata="${place}"`), challenge);
      assert.equal(/error="([^"]*)"/.exec(challenge)?.[1], error);
    }
  });

  it("is not logged in to where the secret of a client is wrong, and says who refused [PP-094]", async (context) => {
    const rig = await OidcRig.start(context, { clients: [agreed] });
    const preregistered = [{ issuer: rig.oidc.issuer, clientId: agreed.client_id, clientSecret: "wrong" }];
    const { auth, pages } = rig.createLogin({ preregistered });
    await assert.rejects(rig.open(rig.protect(), auth), { code: "MCP_AUTHORIZATION", oauthError: "invalid_client" });
    assert.deepEqual([pages.length, rig.oidc.stats.get("POST /token")], [1, 1]);
  });
});

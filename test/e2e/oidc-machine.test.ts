// Programs that act for themselves at a real authorization server: by a secret, and by a key.

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { exportJWK, exportPKCS8, generateKeyPair } from "jose";
import { type ClientCredentialsOptions, clientCredentials, createOAuthClient } from "parley-mcp/auth/client";
import { createFakeClock } from "parley-mcp/test";
import { connections, OidcRig, post } from "../fixtures/auth/oidc-rig.node.ts";

const machine = { redirect_uris: [], response_types: [], grant_types: ["client_credentials"] };

/** Both kinds of program, known to one server. */
async function startMachines(context: TestContext) {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const secret = "a secret of this test alone, long enough";
  const keys = [{ ...(await exportJWK(publicKey)), kid: "k", alg: "ES256", use: "sig" }];
  const rig = await OidcRig.start(context, {
    accessTokenTtlSeconds: 5,
    clients: [
      { ...machine, client_id: "with-secret", client_secret: secret },
      { ...machine, client_id: "with-key", token_endpoint_auth_method: "private_key_jwt", jwks: { keys } },
    ],
  });
  const clock = createFakeClock(Date.now());
  const { issuer } = rig.oidc;
  const byKey = { privateKey: await exportPKCS8(privateKey), algorithm: "ES256", keyId: "k" };
  const createClient = (options: ClientCredentialsOptions) =>
    createOAuthClient({ grant: clientCredentials({ issuer, ...options }), allowPrivateAddresses: true, clock });
  return {
    rig,
    clock,
    createClient,
    "with-secret": () => createClient({ clientId: "with-secret", clientSecret: secret }),
    "with-key": () => createClient({ clientId: "with-key", ...byKey }),
  };
}

for (const [name, revision] of connections) {
  describe(`a program without a user, ${name}`, () => {
    for (const clientId of ["with-secret", "with-key"] as const) {
      it(`gets a token ${clientId.replace("-", " its ")}, and another one when it is over [X-CC-001] [X-CC-003] [X-CC-004] [X-CC-005] [X-CC-006] [X-CC-010] [X-CC-014]`, async (context) => {
        const machines = await startMachines(context);
        const { rig, clock } = machines;
        const url = rig.protect();
        const session = await rig.open(url, machines[clientId](), { revision });
        assert.deepEqual(await session.tools.read(), [{ type: "text", text: `client ${clientId}` }]);
        await clock.advance(6_000);
        await Promise.all([session.tools.read(), session.tools.read(), session.tools.read()]);
        assert.deepEqual(
          rig.oidc.tokenRequests.map(({ grantType, resource, error }) => [grantType, resource, error]),
          Array.from({ length: 2 }, () => ["client_credentials", url, undefined]),
        );
        assert.ok(rig.requests.some(({ path }) => path === "/.well-known/oauth-protected-resource/mcp"));
        assert.deepEqual([rig.oidc.stats.get("POST /reg"), rig.oidc.stats.get("GET /auth")], [undefined, undefined]);
      });
    }

    it("gets the scope that a tool needs, with what it had [AUTH-068]", async (context) => {
      const machines = await startMachines(context);
      const session = await machines.rig.open(machines.rig.protect(), machines["with-secret"](), { revision });
      assert.deepEqual(await session.tools.write(), [{ type: "text", text: "written" }]);
      assert.equal(machines.rig.oidc.granted("client_credentials"), 2);
    });
  });
}

describe("a program without a user", () => {
  it("is refused with a token for another server, and with a wrong secret at once [X-CC-014] [AUTH-061]", async (context) => {
    const machines = await startMachines(context);
    const { rig, createClient } = machines;
    const [one, other] = [rig.protect({}, "/one"), rig.protect({}, "/other")];
    await rig.open(one, machines["with-secret"]());
    assert.equal((await post(other, { authorization: `Bearer ${rig.lastToken}` })).status, 401);
    const wrong = createClient({ clientId: "with-secret", clientSecret: "wrong" });
    await assert.rejects(rig.open(one, wrong), { code: "MCP_AUTHORIZATION", oauthError: "invalid_client" });
    assert.deepEqual(
      rig.oidc.tokenRequests.map(({ error }) => error),
      [undefined, "invalid_client"],
    );
  });
});

// Tokens that a real authorization server binds to a key, with nonces of both servers.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decodeJwt } from "jose";
import { createFakeClock } from "parley-mcp/test";
import { connections, OidcRig, post } from "../fixtures/auth/oidc-rig.node.ts";
import type { HostRequest } from "../fixtures/auth/protected-host.node.ts";

const dpop = { required: true, nonce: true } as const;

/** The proofs that came with requests to the server, decoded. */
const proofs = (requests: readonly HostRequest[]) =>
  requests.flatMap(({ headers }) => (headers.dpop === undefined ? [] : [decodeJwt(headers.dpop)]));

for (const [name, revision] of connections) {
  describe(`tokens bound to a key, ${name}`, () => {
    it("come with a proof of their own each time, after one refusal for the nonce of each server [X-DPOP-001] [X-DPOP-004] [X-DPOP-005] [X-DPOP-006] [X-DPOP-007]", async (context) => {
      const rig = await OidcRig.start(context, { accessTokenTtlSeconds: 5, requiresDpopNonces: true });
      const url = rig.protect({ dpop });
      const clock = createFakeClock(Date.now());
      const { auth, pages } = rig.createLogin({ user: "ada", dpop: true, clock });
      const session = await rig.open(url, auth, { revision });
      await session.tools.read();
      await clock.advance(6_000);
      await Promise.all([session.tools.read(), session.tools.read(), session.tools.read()]);
      assert.deepEqual(await session.tools.read(), [{ type: "text", text: "ada" }]);
      assert.deepEqual(
        rig.oidc.tokenRequests.map(({ grantType, error }) => [grantType, error]),
        [
          ["authorization_code", "use_dpop_nonce"],
          ["authorization_code", undefined],
          ["refresh_token", undefined],
        ],
      );
      const sent = rig.requests.filter(({ headers }) => headers.authorization !== undefined);
      assert.ok(sent.every(({ headers }) => /^DPoP \S+$/.test(headers.authorization ?? "")));
      const refused = rig.refusals.map(({ challenge }) => /error="([^"]*)"/.exec(challenge)?.[1]);
      assert.deepEqual(refused, [undefined, "use_dpop_nonce"]);
      const made = proofs(sent);
      assert.equal(new Set(made.map(({ jti }) => jti)).size, sent.length);
      assert.ok(made.every(({ htu, ath }) => htu === url && typeof ath === "string"));
      assert.equal(pages.length, 1);
    });
  });
}

describe("a server that takes tokens bound to a key", () => {
  it("refuses them as plain ones, without a proof, and with one that was used before [X-DPOP-012] [X-DPOP-013] [X-DPOP-015]", async (context) => {
    const rig = await OidcRig.start(context);
    const url = rig.protect({ dpop: true });
    const session = await rig.open(url, rig.createLogin({ dpop: true }).auth);
    await session.tools.read();
    const used = rig.requests.findLast(({ headers, method }) => headers.dpop !== undefined && method === "POST");
    const { authorization = "", dpop: proof = "" } = used?.headers ?? {};
    const refuse = async (headers: Record<string, string>): Promise<string | undefined> => {
      const reply = await post(url, headers);
      assert.equal(reply.status, 401);
      return /DPoP .*?error="([^"]*)"/.exec(reply.headers.get("www-authenticate") ?? "")?.[1];
    };
    await refuse({ authorization: authorization.replace("DPoP", "Bearer") });
    assert.equal(await refuse({ authorization }), "invalid_dpop_proof");
    assert.equal(await refuse({ authorization, dpop: proof }), "invalid_dpop_proof");
    assert.deepEqual(await session.tools.read(), [{ type: "text", text: "user-1" }]);
  });
});

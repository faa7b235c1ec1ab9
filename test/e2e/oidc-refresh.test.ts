// Tokens of a few seconds from a real authorization server that rotates refresh tokens and takes a grant away from whoever
// uses one twice.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createFakeClock } from "parley-mcp/test";
import { connections, OidcRig, post } from "../fixtures/auth/oidc-rig.node.ts";

const manyAtOnce = Array.from({ length: 12 }, (_, index) => index);
const refresh = "refresh_token";

/** The refresh tokens that were presented, in order. */
const spent = ({ oidc }: OidcRig): (string | undefined)[] =>
  oidc.tokenRequests.filter(({ grantType }) => grantType === refresh).map(({ spent: token }) => token);

for (const [name, revision] of connections) {
  describe(`tokens of five seconds, ${name}`, () => {
    it("are renewed once for many calls at once, each time by the newest refresh token, and nobody logs in again [AUTH-041] [AUTH-055] [PP-089] [PP-091]", async (context) => {
      const rig = await OidcRig.start(context, { accessTokenTtlSeconds: 5 });
      const clock = createFakeClock(Date.now());
      const { auth, pages } = rig.createLogin({ user: "ada", clock });
      const url = rig.protect();
      const session = await rig.open(url, auth, { revision });
      await session.tools.read();
      const grant = auth.grantOf(url);
      for (let round = 1; round <= 6; round += 1) {
        await clock.advance(6_000);
        const answers = await Promise.all(manyAtOnce.map(() => session.tools.read()));
        assert.ok(answers.every(([block]) => block?.type === "text" && block.text === "ada"));
        assert.equal(rig.oidc.granted(refresh), round);
      }
      assert.deepEqual([spent(rig).length, new Set(spent(rig)).size], [6, 6]);
      assert.ok(rig.oidc.tokenRequests.every(({ resource }) => resource === url));
      assert.deepEqual([pages.length, auth.grantOf(url)], [1, grant]);
    });

    it("are renewed when the server says that they are over, before a client whose clock is slow knows it [AUTH-060] [AUTH-062] [PP-103]", async (context) => {
      const rig = await OidcRig.start(context, { accessTokenTtlSeconds: 3 });
      // This one never moves.
      const { auth, pages } = rig.createLogin({ user: "ada", clock: createFakeClock(Date.now()) });
      const session = await rig.open(rig.protect({ clockToleranceSeconds: 0 }), auth, { revision });
      while (rig.oidc.granted(refresh) === 0) {
        await Promise.all(manyAtOnce.map(() => session.tools.read()));
      }
      const [, ...refused] = rig.refusals;
      assert.ok(refused.length > 0 && refused.every(({ challenge }) => challenge.includes('error="invalid_token"')));
      assert.deepEqual([spent(rig).length, pages.length], [1, 1]);
    });
  });
}

describe("a grant that was taken away", () => {
  it("costs one more login, after somebody else used a refresh token twice [AUTH-055]", async (context) => {
    const rig = await OidcRig.start(context, { accessTokenTtlSeconds: 5 });
    const clock = createFakeClock(Date.now());
    const { auth, pages } = rig.createLogin({ user: "ada", clock });
    const session = await rig.open(rig.protect(), auth);
    await session.tools.read();
    await clock.advance(6_000);
    await session.tools.read();
    const form = { grant_type: refresh, refresh_token: spent(rig)[0] ?? "" };
    const client_id = pages[0]?.searchParams.get("client_id") ?? "";
    const thief = await fetch(`${rig.oidc.issuer}/token`, {
      method: "POST",
      body: new URLSearchParams({ ...form, client_id }),
    });
    assert.equal(thief.status, 400);
    assert.match(await thief.text(), /"invalid_grant"/);
    await clock.advance(6_000);
    const answers = await Promise.all(manyAtOnce.map(() => session.tools.read()));
    assert.equal(answers.length, manyAtOnce.length);
    assert.equal(pages.length, 2);
    assert.deepEqual(
      rig.oidc.tokenRequests.slice(-2).map(({ grantType, error }) => [grantType, error]),
      [
        [refresh, "invalid_grant"],
        ["authorization_code", undefined],
      ],
    );
  });
});

describe("tokens that say nothing by themselves", () => {
  const rs = { client_id: "mcp-server", client_secret: "a secret between the two servers, long", redirect_uris: [] };
  const clients = [{ ...rs, grant_types: [], response_types: [] }];
  const verify = { kind: "introspection", clientId: rs.client_id, clientSecret: rs.client_secret, cacheMs: 0 } as const;

  for (const [name, revision] of connections) {
    it(`are asked about, refused once they were revoked, and replaced, ${name} [AUTH-060] [AUTH-062] [AUTHDRAFT-034]`, async (context) => {
      const rig = await OidcRig.start(context, { tokenFormat: "opaque", clients });
      const url = rig.protect({ verify });
      const { auth, pages } = rig.createLogin({ user: "ada" });
      const session = await rig.open(url, auth, { revision });
      assert.deepEqual(await session.tools.read(), [{ type: "text", text: "ada" }]);
      const token = rig.lastToken;
      assert.doesNotMatch(token, /\./);
      const client_id = pages[0]?.searchParams.get("client_id") ?? "";
      const body = new URLSearchParams({ token, client_id });
      assert.equal((await fetch(`${rig.oidc.issuer}/token/revocation`, { method: "POST", body })).status, 200);
      const refused = await post(url, { authorization: `Bearer ${token}` });
      assert.equal(refused.status, 401);
      assert.match(refused.headers.get("www-authenticate") ?? "", /error="invalid_token"/);
      assert.deepEqual(await session.tools.read(), [{ type: "text", text: "ada" }]);
      assert.notEqual(rig.lastToken, token);
    });
  }

  it("are refused where they are for another resource of the same authorization server [AUTH-061] [AUTHDRAFT-034]", async (context) => {
    const rig = await OidcRig.start(context, { tokenFormat: "opaque", clients });
    const [one, other] = [rig.protect({ verify }, "/one"), rig.protect({ verify }, "/other")];
    await rig.open(one, rig.createLogin().auth);
    const headers = { authorization: `Bearer ${rig.lastToken}` };
    assert.equal((await post(other, headers)).status, 401);
    assert.notEqual((await post(one, headers)).status, 401);
  });
});

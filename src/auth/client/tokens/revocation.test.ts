import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { None } from "oauth4webapi";
import { createGrantRig, toDiscovery, toJson } from "../../../../test/fixtures/auth/grant-rig.ts";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";
import { revokeTokens, type TokenRevocation } from "./revocation.ts";

const endpoint = "https://as.example/revoke";

const revocation: TokenRevocation = {
  discovery: toDiscovery({ revocation_endpoint: endpoint }),
  tokens: { accessToken: "hush-0", refreshToken: "hush-1", clientId: "client-1" },
  clientAuth: None(),
  signal: new AbortController().signal,
};

describe("revokeTokens", () => {
  it("names the refresh token, or the access token where there is no other, and needs no answer but success", async () => {
    const rig = createGrantRig({ [endpoint]: () => new Response("") });
    assert.equal(await revokeTokens(revocation, rig.context), true);
    assert.deepEqual(Object.fromEntries(rig.sent[0]?.form ?? []), {
      client_id: "client-1",
      token: "hush-1",
      token_type_hint: "refresh_token",
    });
    const { accessToken, clientId } = revocation.tokens;
    const tokens = { accessToken, clientId, refreshToken: undefined };
    assert.equal(await revokeTokens({ ...revocation, tokens }, rig.context), true);
    assert.equal(rig.sent[1]?.form.get("token"), "hush-0");
    assert.equal(rig.sent[1]?.form.get("token_type_hint"), "access_token");
    assert.doesNotMatch(rig.steps(), /hush/);
  });

  it("does nothing where the server offers nothing", async () => {
    const rig = createGrantRig();
    assert.equal(await revokeTokens({ ...revocation, discovery: toDiscovery() }, rig.context), false);
    assert.equal(rig.sent.length, 0);
  });

  it("reports a refusal without the token [AUTH-056]", async () => {
    const refusal = { error: "unsupported_token_type", error_description: "not hush-1" };
    const rig = createGrantRig({ [endpoint]: () => toJson(refusal, 400) });
    await assert.rejects(
      revokeTokens(revocation, rig.context),
      (error) =>
        error instanceof AuthorizationError &&
        error.oauthError === "unsupported_token_type" &&
        !`${error.message}${rig.steps()}`.includes("hush"),
    );
  });
});

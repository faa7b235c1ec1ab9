import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { ProviderWeb } from "../../../../test/fixtures/auth/provider-web.ts";
import { createResourceRequest, readChallenge } from "../../../../test/fixtures/resource-request.ts";
import { UsageError } from "../../../base/error.ts";
import { createFakeClock, type FakeClock } from "../../../test/clock.ts";
import { protectResource } from "../guard.ts";
import type { ResourceAuthentication, ResourceGuard } from "../message.ts";
import { google } from "./google.ts";

const resource = "https://mcp.example/mcp";
const endpoint = "https://oauth2.googleapis.com/tokeninfo";
const client = "1234-abc.apps.googleusercontent.com";

let clock: FakeClock;
let web: ProviderWeb;
let guard: ResourceGuard;
let answer: { status: number; body: unknown };
let info: { readonly [claim: string]: unknown };
beforeEach(async () => {
  clock = createFakeClock(1_800_000_000_000);
  web = await ProviderWeb.create("google", clock, "ES256");
  info = {
    azp: client,
    aud: client,
    sub: "110",
    scope: "openid email",
    exp: `${clock.now() / 1_000 + 60}`,
    expires_in: "60",
  };
  answer = { status: 200, body: info };
  web.answers.set(endpoint, (init) => {
    assert.equal(init?.method, "POST");
    assert.match(init?.headers.authorization ?? "", /^Bearer ya29\./);
    return Response.json(answer.body, { status: answer.status });
  });
  guard = protectResource({ ...google({ clientIds: [client] }), resource, clock, fetch: web.fetch });
});

function present(token: string): Promise<ResourceAuthentication> {
  return guard.authenticate(createResourceRequest({ headers: { authorization: `Bearer ${token}` } }));
}

describe("the preset of google", () => {
  it("looks opaque tokens up, at most once in half a minute, and keeps them out of addresses [AUTH-060]", async () => {
    assert.equal(google({ clientIds: client }).issuer, web.recorded.metadata.issuer);
    const outcomes = await Promise.all(["ya29.a", "ya29.a"].map(present));
    const [outcome] = [...outcomes, await present("ya29.a")];
    assert.ok(outcome?.ok);
    const { clientId, subject, scopes, issuer, expiresAtMs } = outcome.auth;
    assert.deepEqual([clientId, subject, scopes], [client, "110", ["openid", "email"]]);
    assert.deepEqual([issuer, expiresAtMs], ["https://accounts.google.com", clock.now() + 60_000]);
    assert.deepEqual(web.log, [endpoint]);
    await clock.advance(30_000);
    assert.ok((await present("ya29.a")).ok);
    assert.deepEqual(web.log, [endpoint, endpoint]);
  });

  it("refuses tokens of other clients, expired ones and those that are not valid [AUTH-060] [AUTH-061] [PP-104]", async () => {
    const other = "5678-xyz.apps.googleusercontent.com";
    const cases: readonly (readonly [number, unknown, RegExp])[] = [
      [200, { ...info, aud: other, azp: other }, /another resource/],
      [200, { ...info, aud: other }, /another resource/],
      [200, { ...info, aud: undefined }, /another resource/],
      [200, { ...info, exp: `${clock.now() / 1_000 - 31}` }, /expired/],
      [200, { ...info, exp: "never" }, /lacks the claim exp/],
      [200, { ...info, exp: undefined }, /lacks the claim exp/],
      [400, { error: "invalid_token", error_description: "Invalid Value" }, /not valid/],
    ];
    for (const [index, [status, body, why]] of cases.entries()) {
      answer = { status, body };
      const outcome = await present(`ya29.token-${index}`);
      assert.ok(!outcome.ok);
      assert.equal(outcome.reply.status, 401);
      assert.match(readChallenge(outcome.reply).error_description ?? "", why);
    }
  });

  it("answers 503 while Google gives no proper answer [PP-103]", async () => {
    for (const [status, body] of [
      [500, {}],
      [429, {}],
      [200, "text"],
    ] as const) {
      answer = { status, body };
      const outcome = await present("ya29.a");
      assert.ok(!outcome.ok);
      assert.equal(outcome.reply.status, 503);
    }
  });

  it("refuses to work without clients", () => {
    assert.throws(() => protectResource({ ...google({ clientIds: [] }), resource }), UsageError);
  });
});

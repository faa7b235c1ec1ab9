import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type Arrived,
  createAuthorizationRig,
  endpoint,
  issuer,
  refuse,
  toTokens,
} from "../../../../test/fixtures/auth/authorization-rig.ts";
import { createDeferred } from "../../../base/deferred.ts";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";

const hourMs = 3_600_000;
const accept =
  (...tokens: string[]) =>
  ({ token }: Arrived): Response =>
    tokens.includes(token ?? "") ? new Response("{}") : refuse({ error: "invalid_token" });
const tokensOf = (arrived: readonly Arrived[]): (string | undefined)[] => arrived.map(({ token }) => token);
const fail =
  (oauthError: string | undefined, isTransient = false) =>
  async (): Promise<never> => {
    throw new AuthorizationError("refused", { stage: "refresh", oauthError, isTransient });
  };

describe("ServerAuthorization, when a renewal is refused", () => {
  it("drops a spent refresh token, and nothing else, and obtains tokens anew", async () => {
    const gate = createDeferred();
    const entered = createDeferred();
    const rig = createAuthorizationRig({
      respond: accept("t9"),
      grant: {
        renew: fail("invalid_grant"),
        obtain: async () => {
          entered.resolve();
          await gate.promise;
          return toTokens("t9", rig.clock);
        },
      },
    });
    await rig.keep();
    const call = rig.call();
    await entered.promise;
    const between = await rig.kept();
    assert.deepEqual([between?.accessToken, between?.refreshToken], ["t0", undefined]);
    gate.resolve();
    assert.equal(await call, 200);
  });

  it("uses another refresh token that came into the store meanwhile", async () => {
    const rig = createAuthorizationRig({
      respond: accept("t1"),
      grant: {
        renew: async ({ tokens }) => {
          if (tokens.refreshToken === "r0") {
            await rig.keep({ refreshToken: "r5" });
            return await fail("invalid_grant")();
          }
          return toTokens("t1", rig.clock);
        },
      },
    });
    await rig.keep();
    assert.equal(await rig.call(), 200);
    assert.deepEqual(
      rig.renewed.map(({ tokens }) => tokens.refreshToken),
      ["r0", "r5"],
    );
    assert.equal(rig.obtained.length, 0);
  });

  it("shows the error of a client that is configured as it is, and touches nothing [PP-094]", async () => {
    const rig = createAuthorizationRig({ respond: accept("t1"), grant: { renew: fail("invalid_client") } });
    await rig.keep();
    await assert.rejects(rig.call(), { oauthError: "invalid_client", stage: "refresh" });
    assert.deepEqual([(await rig.kept())?.refreshToken, rig.obtained.length], ["r0", 0]);
  });

  it("obtains tokens anew where the grant let go of a client that had registered itself [PP-094]", async () => {
    const rig = createAuthorizationRig({
      respond: accept("t1"),
      grant: {
        renew: async (_request, { credentials }) => {
          const kept = await credentials.findRegistration(issuer);
          await credentials.deleteRegistration(issuer, kept?.version ?? "");
          return await fail("invalid_client")();
        },
      },
    });
    await rig.keep();
    await rig.credentials.saveRegistration({ kind: "dynamic", issuer, clientId: "client-1", redirectUris: [] });
    assert.equal(await rig.call(), 200);
    assert.equal(rig.obtained.length, 1);
  });

  it("keeps what a login elsewhere brought during a renewal", async () => {
    const rig = createAuthorizationRig({
      respond: accept("theirs"),
      grant: {
        renew: async () => {
          await rig.keep({ accessToken: "theirs" });
          return toTokens("t1", rig.clock);
        },
      },
    });
    await rig.keep();
    assert.equal(await rig.call(), 200);
    assert.equal((await rig.kept())?.accessToken, "theirs");
  });

  it("does not bring back tokens that were deleted during a renewal", async () => {
    const rig = createAuthorizationRig({
      respond: accept("t1"),
      grant: {
        renew: async () => {
          await rig.credentials.deleteTokens(endpoint, issuer);
          return toTokens("t1", rig.clock);
        },
      },
    });
    await rig.keep();
    await assert.rejects(rig.call(), { isTransient: true, stage: "refresh" });
    assert.equal(await rig.kept(), undefined);
  });
});

describe("ServerAuthorization, when the server moves to another authorization server", () => {
  it("drops the old tokens, never sends them again, and obtains others there [M-AUTH-011] [AUTH-059]", async () => {
    const rig = createAuthorizationRig({
      respond: accept("t1"),
      discover: () => ({ issuer: "https://new.example" }),
    });
    await rig.keep();
    assert.equal(await rig.call(), 200);
    assert.deepEqual(tokensOf(rig.arrived), ["t0", "t1"]);
    assert.equal(rig.renewed.length, 0);
    assert.equal(rig.obtained[0]?.discovery.issuer, "https://new.example");
    assert.equal(await rig.credentials.findTokens(endpoint, issuer), undefined);
    assert.equal((await rig.kept())?.issuer, "https://new.example");
  });

  it("does not send the old tokens again where none can be had there [M-AUTH-011]", async () => {
    const rig = createAuthorizationRig({
      respond: accept(),
      discover: () => ({ issuer: "https://new.example" }),
      grant: { obtain: fail("access_denied") },
    });
    await rig.keep();
    await assert.rejects(rig.call());
    await assert.rejects(rig.call());
    assert.deepEqual(tokensOf(rig.arrived), ["t0", undefined]);
  });

  it("uses the old tokens as long as they are taken", async () => {
    const rig = createAuthorizationRig({ discover: () => ({ issuer: "https://new.example" }) });
    await rig.keep();
    await rig.clock.advance(hourMs - 60_000);
    assert.equal(await rig.call(), 200);
    await rig.clock.advance(0);
    assert.equal((await rig.kept())?.accessToken, "t0");
    assert.equal(rig.diagnostics.length, 1);
  });

  it("finds out anew at each refusal, and not at a renewal soon after", async () => {
    const rig = createAuthorizationRig({ respond: accept("t1", "t2") });
    await rig.call();
    await rig.clock.advance(hourMs - 1);
    await rig.call();
    await rig.clock.advance(0);
    assert.deepEqual([rig.discoveries(), rig.renewed.length], [1, 1]);
  });

  it("ignores what is stored from another issuer than the configured one", async () => {
    const rig = createAuthorizationRig({ options: { issuer: "https://only.example" } });
    await rig.keep();
    await rig.call();
    assert.equal(rig.arrived[0]?.token, undefined);
  });
});

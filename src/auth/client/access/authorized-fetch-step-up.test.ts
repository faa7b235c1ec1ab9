import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type Arrived,
  createAuthorizationRig,
  refuse,
  toTokens,
} from "../../../../test/fixtures/auth/authorization-rig.ts";
import { AuthorizationError, AuthorizationRequiredError } from "../../../protocol/authorization-errors.ts";

describe("an authorized fetch that meets a want of scopes", () => {
  const want = (scope: string): Response => refuse({ error: "insufficient_scope", scope }, 403);
  /** Lets a request through once its token has the scope; tokens are known by their number. */
  const needs =
    (scope: string, from: string) =>
    ({ token }: Arrived) =>
      token === from ? new Response("{}") : want(scope);
  const granted = { requestedScopes: ["a"], grantedScopes: ["a"] };
  const deny = async (): Promise<never> => {
    throw new AuthorizationError("denied", { stage: "authorization", oauthError: "access_denied" });
  };

  it("asks for those it had and those it lacks, without renewing, and repeats the request [AUTH-067] [M-AUTH-018] [PP-088]", async () => {
    const rig = createAuthorizationRig({ respond: needs("b", "t1") });
    await rig.keep(granted);
    assert.equal(await rig.call(), 200);
    assert.deepEqual(rig.obtained[0]?.scopes, ["a", "b"]);
    assert.equal(rig.renewed.length, 0);
  });

  it("asks for the challenged scopes alone, once, where the server does not know the others", async () => {
    const tooMuch = new AuthorizationError("no", { stage: "authorization", oauthError: "invalid_scope" });
    const rig = createAuthorizationRig({
      respond: needs("b", "t1"),
      grant: {
        obtain: async ({ scopes }) => {
          if (scopes?.includes("a")) {
            throw tooMuch;
          }
          return toTokens("t1", rig.clock, { grantedScopes: ["b"] });
        },
      },
    });
    await rig.keep(granted);
    assert.equal(await rig.call(), 200);
    assert.deepEqual(
      rig.obtained.map(({ scopes }) => scopes),
      [["a", "b"], ["b"]],
    );
  });

  it("uses what another process got meanwhile where that covers it", async () => {
    const rig = createAuthorizationRig({ respond: needs("b", "theirs") });
    await rig.keep(granted);
    await rig.authorization.prepare({});
    await rig.keep({ accessToken: "theirs", grantedScopes: ["a", "b"] });
    assert.equal(await rig.call(), 200);
    assert.equal(rig.obtained.length, 0);
  });

  it("stops when more scopes did not help, and does not ask again for that operation [AUTH-069] [M-AUTH-019]", async () => {
    const rig = createAuthorizationRig({ respond: () => want("b") });
    await rig.keep(granted);
    for (let time = 0; time < 5; time += 1) {
      await assert.rejects(rig.call(), {
        code: "MCP_AUTHORIZATION",
        stage: "access",
        oauthError: "insufficient_scope",
      });
    }
    assert.equal(rig.obtained.length, 1);
  });

  it("asks at most three times for one operation where each time another scope is wanted [AUTH-069] [M-AUTH-019]", async () => {
    let wanted = 0;
    const respond = (): Response => {
      wanted += 1;
      return want(`s${wanted}`);
    };
    const rig = createAuthorizationRig({ respond });
    await rig.keep(granted);
    await assert.rejects(rig.call(), /tried 3 times/);
    await assert.rejects(rig.call(), /tried 3 times/);
    assert.equal(rig.obtained.length, 3);
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "other" } });
    await assert.rejects(rig.call({ body }), /tried 3 times/);
    assert.equal(rig.obtained.length, 6);
  });

  it("stops where the server grants no more than before [AUTH-069]", async () => {
    const obtain = async () => {
      const number = rig.obtained.length;
      return toTokens(`n${number}`, rig.clock, { ...granted });
    };
    const rig = createAuthorizationRig({ respond: () => want("b"), grant: { obtain } });
    await rig.keep(granted);
    await assert.rejects(rig.call(), /did not bring any/);
    assert.equal(rig.obtained.length, 1);
  });

  it("does not ask again for a while what a person denied [SEC-030]", async () => {
    const rig = createAuthorizationRig({ respond: () => want("b"), grant: { obtain: deny } });
    await rig.keep(granted);
    await assert.rejects(rig.call(), /denied/);
    await assert.rejects(rig.call(), /denied a short while ago/);
    assert.equal(rig.obtained.length, 1);
    await rig.clock.advance(300_000);
    await assert.rejects(rig.call(), { oauthError: "access_denied" });
    assert.equal(rig.obtained.length, 2);
  });

  it("fails at once where that is turned off, whatever the grant [AUTH-068] [X-CC-011]", async () => {
    const rig = createAuthorizationRig({ respond: () => want("b"), stepUp: false, grant: { isInteractive: false } });
    await rig.keep(granted);
    await assert.rejects(rig.call(), { stage: "access", oauthError: "insufficient_scope", message: /scopes b/ });
    assert.equal(rig.obtained.length + rig.renewed.length, 0);
  });

  it("notes the operation that a person was sent away for", async () => {
    const obtain = async (): Promise<never> => {
      throw new AuthorizationRequiredError("https://as.example/authorize", "log in");
    };
    const rig = createAuthorizationRig({ respond: () => want("b"), grant: { obtain } });
    await rig.keep(granted);
    await assert.rejects(rig.call(), AuthorizationRequiredError);
    assert.deepEqual(rig.asked, ["tools/call add"]);
  });

  it("asks once for parallel requests that want the same", async () => {
    const rig = createAuthorizationRig({ respond: needs("b", "t1") });
    await rig.keep(granted);
    assert.deepEqual(await Promise.all([rig.call(), rig.call(), rig.call()]), [200, 200, 200]);
    assert.equal(rig.obtained.length, 1);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type Arrived,
  createAuthorizationRig,
  endpoint,
  refuse,
  toInit,
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

describe("ServerAuthorization, as tokens grow old", () => {
  it("renews a token known to be over before anything is sent [PP-091]", async () => {
    const rig = createAuthorizationRig();
    await rig.keep();
    await rig.clock.advance(hourMs);
    assert.equal(await rig.call(), 200);
    assert.deepEqual(tokensOf(rig.arrived), ["t1"]);
  });

  it("renews a token that soon ends in the background while it still serves [PP-091]", async () => {
    const gate = createDeferred();
    const rig = createAuthorizationRig({
      grant: {
        renew: async () => {
          await gate.promise;
          return toTokens("t1", rig.clock);
        },
      },
    });
    await rig.keep();
    await rig.clock.advance(hourMs - 60_000);
    await rig.call();
    await rig.call();
    gate.resolve();
    await rig.clock.advance(0);
    await rig.call();
    assert.deepEqual(tokensOf(rig.arrived), ["t0", "t0", "t1"]);
    assert.equal(rig.renewed.length, 1);
    await rig.clock.advance(0);
    assert.equal(rig.clock.pendingTimers, 0);
  });

  it("never opens a login in the background [PP-091]", async () => {
    const rig = createAuthorizationRig();
    await rig.keep({ refreshToken: undefined });
    await rig.clock.advance(hourMs - 60_000);
    await rig.call();
    await rig.clock.advance(0);
    assert.equal(rig.obtained.length, 0);
  });

  it("logs in anew when a token without a refresh token is over [M-AUTH-022]", async () => {
    const rig = createAuthorizationRig();
    await rig.keep({ refreshToken: undefined, requestedScopes: ["a"] });
    await rig.clock.advance(hourMs);
    assert.equal(await rig.call(), 200);
    assert.deepEqual(rig.obtained[0]?.scopes, ["a"]);
    assert.deepEqual(tokensOf(rig.arrived), ["t1"]);
  });

  it("gets another token before the end where no person is needed, one for parallel calls [X-CC-010]", async () => {
    const rig = createAuthorizationRig({
      grant: {
        isInteractive: false,
        renewsNever: true,
        obtain: async () => {
          const number = rig.obtained.length;
          return toTokens(`c${number}`, rig.clock, { expiresAtMs: rig.clock.now() + 2_000 });
        },
      },
    });
    await Promise.all([rig.call(), rig.call(), rig.call()]);
    assert.equal(rig.obtained.length, 1);
    await rig.clock.advance(1_499);
    await rig.call();
    await rig.clock.advance(1);
    await Promise.all([rig.call(), rig.call()]);
    await rig.clock.advance(0);
    await rig.call();
    await rig.clock.advance(2_000);
    assert.deepEqual(await Promise.all([rig.call(), rig.call()]), [200, 200]);
    assert.equal(rig.obtained.length, 3);
    assert.deepEqual(tokensOf(rig.arrived).slice(6), ["c1", "c1", "c1", "c2", "c3", "c3"]);
  });

  it("goes on with a good token when the renewal ahead fails, forgets nothing, and tries again later [PP-094]", async () => {
    const rig = createAuthorizationRig({ grant: { renew: fail(undefined, true) } });
    await rig.keep();
    await rig.clock.advance(hourMs - 60_000);
    assert.deepEqual([await rig.call(), await rig.call()], [200, 200]);
    await rig.clock.advance(0);
    await rig.call();
    assert.equal(rig.renewed.length, 1);
    assert.equal(rig.diagnostics[0]?.code, "MCP_D_RENEWAL");
    await rig.clock.advance(500);
    await rig.call();
    await rig.clock.advance(0);
    assert.equal(rig.renewed.length, 2);
    assert.deepEqual([(await rig.kept())?.refreshToken, rig.obtained.length], ["r0", 0]);
  });

  it("fails in passing, and forgets nothing, when a token that is over cannot be renewed for now [PP-094]", async () => {
    const rig = createAuthorizationRig({ grant: { renew: fail(undefined, true) } });
    await rig.keep();
    await rig.clock.advance(hourMs);
    await assert.rejects(rig.call(), { code: "MCP_AUTHORIZATION", isTransient: true });
    assert.deepEqual([(await rig.kept())?.refreshToken, rig.obtained.length, rig.arrived.length], ["r0", 0, 0]);
  });
});

describe("ServerAuthorization, with many callers", () => {
  it("makes one token request for parallel refusals, and all go on with the new token [PP-089]", async () => {
    const rig = createAuthorizationRig({ respond: accept("t1") });
    await rig.keep();
    const statuses = await Promise.all(Array.from({ length: 10 }, () => rig.call()));
    assert.deepEqual(statuses, Array(10).fill(200));
    assert.equal(rig.renewed.length + rig.obtained.length, 1);
  });

  it("answers a late refusal of an old token with the newer one, without any request [PP-089]", async () => {
    const gate = createDeferred();
    const rig = createAuthorizationRig({
      respond: async (request) => {
        if (request.url.endsWith("/slow") && request.token === "t0") {
          await gate.promise;
        }
        return accept("t1")(request);
      },
    });
    await rig.keep();
    const slow = rig.call({}, `${endpoint}/slow`);
    assert.equal(await rig.call(), 200);
    gate.resolve();
    assert.equal(await slow, 200);
    assert.equal(rig.renewed.length, 1);
  });

  it("rejects all who wait, once, when the grant fails, also those whose refusal comes after [PP-089]", async () => {
    const gate = createDeferred();
    const rig = createAuthorizationRig({
      grant: { obtain: fail("access_denied") },
      respond: async ({ url }) => {
        if (url.endsWith("/slow")) {
          await gate.promise;
        }
        return refuse();
      },
    });
    const calls = Promise.allSettled([rig.call(), rig.call()]);
    const slow = rig.call({}, `${endpoint}/slow`);
    const reasons = (await calls).map((result) => (result.status === "rejected" ? result.reason : undefined));
    gate.resolve();
    await assert.rejects(slow, (error) => error === reasons[0]);
    assert.equal(reasons[0], reasons[1]);
    assert.equal(rig.obtained.length, 1);
  });

  it("goes on for the others when the caller that began gives up, and stops when all have", async () => {
    const gate = createDeferred();
    const rig = createAuthorizationRig({
      grant: {
        obtain: async ({ signal }) => {
          await Promise.race([gate.promise, new Promise((_, reject) => signal.addEventListener("abort", reject))]);
          return toTokens("t1", rig.clock);
        },
      },
    });
    const [first, second] = [new AbortController(), new AbortController()];
    const calls = [rig.call({ signal: first.signal }), rig.call({ signal: second.signal })];
    await rig.clock.advance(0);
    first.abort(new Error("enough"));
    await assert.rejects(calls[0] as Promise<number>, /enough/);
    assert.equal(rig.obtained[0]?.signal.aborted, false);
    second.abort(new Error("enough too"));
    await assert.rejects(calls[1] as Promise<number>, /enough too/);
    assert.equal(rig.obtained[0]?.signal.aborted, true);
    gate.resolve();
    assert.equal(await rig.call(), 200);
    assert.equal(rig.obtained.length, 2);
  });

  it("spends a refresh token once between processes that share a store [PP-089]", async () => {
    const one = createAuthorizationRig({ respond: accept("t1") });
    const two = createAuthorizationRig({ respond: accept("t1"), store: one.store, clock: one.clock });
    await one.keep();
    const calls = Promise.all([one.call(), two.call()]);
    await one.clock.advance(2_000);
    assert.deepEqual(await calls, [200, 200]);
    assert.equal(one.renewed.length + two.renewed.length, 1);
  });

  it("finds the tokens of an earlier run in the store", async () => {
    const one = createAuthorizationRig();
    await one.call();
    const two = createAuthorizationRig({ store: one.store, clock: one.clock });
    await two.call();
    assert.deepEqual(tokensOf(two.arrived), ["t1"]);
  });

  it("reads the store again after it was out of reach", async () => {
    const rig = createAuthorizationRig();
    const { store } = rig;
    const get = store.get.bind(store);
    store.get = async () => {
      throw new Error("out of reach");
    };
    await assert.rejects(rig.call(), /out of reach/);
    store.get = get;
    assert.equal(await rig.call(), 200);
  });
});

describe("ServerAuthorization, as a name for the login", () => {
  it("keeps it when tokens are renewed and changes it with each login", async () => {
    const rig = createAuthorizationRig({ respond: accept("t1", "t2", "t3") });
    const name = (): string | undefined => rig.authorization.grantName;
    assert.equal(name(), undefined);
    await rig.call();
    const first = name();
    await rig.clock.advance(hourMs);
    await rig.call();
    assert.equal(rig.renewed.length, 1);
    assert.ok(first !== undefined && !first.includes("t1"));
    assert.equal(rig.authorization.grantName, first);
    await rig.authorization.logIn(undefined, {});
    assert.notEqual(rig.authorization.grantName, first);
    await rig.authorization.logOut();
    assert.equal(rig.authorization.grantName, undefined);
  });
});

describe("ServerAuthorization.logIn and logOut", () => {
  it("logs in without a request to the server, asking for more scopes where told", async () => {
    const rig = createAuthorizationRig({ options: { scopes: ["a"] } });
    await rig.authorization.logIn(["b"], {});
    assert.deepEqual([rig.obtained[0]?.scopes, rig.arrived.length], [["a", "b"], 0]);
    await rig.call();
    assert.deepEqual(tokensOf(rig.arrived), ["t1"]);
  });

  it("forgets the tokens, and gives up what is on its way", async () => {
    const rig = createAuthorizationRig({
      grant: {
        obtain: ({ signal }) =>
          new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
      },
    });
    await rig.keep({ refreshToken: undefined });
    await rig.authorization.prepare({});
    const login = rig.authorization.logIn(undefined, {});
    await rig.clock.advance(0);
    const tokens = await rig.authorization.logOut();
    await assert.rejects(login, /logged out/);
    assert.deepEqual(
      tokens.map(({ accessToken }) => accessToken),
      ["t0"],
    );
    assert.equal(await rig.kept(), undefined);
    assert.equal((await rig.authorization.prepare({})).held, undefined);
  });
});

describe("ServerAuthorization, by what it shows", () => {
  it("has no secret in its record, its diagnostics and its errors [AUTH-056]", async () => {
    const rig = createAuthorizationRig({ respond: () => refuse({ error: "invalid_token" }) });
    await rig.keep({ accessToken: "secret-token", refreshToken: "secret-refresh" });
    const error: unknown = await rig.fetch(endpoint, toInit()).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    const shown = JSON.stringify([rig.record.steps, rig.diagnostics, String(error)]);
    assert.ok(error instanceof AuthorizationError && !shown.includes("secret-"));
  });
});

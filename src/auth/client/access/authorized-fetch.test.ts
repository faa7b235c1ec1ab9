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
import { AuthorizationError, AuthorizationRequiredError } from "../../../protocol/authorization-errors.ts";

/** Answers with 200 to some tokens and 401 to all else. */
const accept =
  (...tokens: string[]) =>
  ({ token }: Arrived): Response =>
    tokens.includes(token ?? "") ? new Response("{}") : refuse({ error: "invalid_token" });

const tokensOf = (arrived: readonly Arrived[]): (string | undefined)[] => arrived.map(({ token }) => token);

describe("an authorized fetch", () => {
  it("sends no authorization header to a server that wants none [AUTH-001]", async () => {
    const rig = createAuthorizationRig({ respond: () => new Response("{}") });
    assert.equal(await rig.call(), 200);
    assert.equal("authorization" in (rig.arrived[0]?.headers ?? {}), false);
    assert.equal(rig.obtained.length + rig.discoveries(), 0);
  });

  it("sends the token in the header of every request, whatever its method, and never in the URL [AUTH-057] [AUTH-058]", async () => {
    const rig = createAuthorizationRig();
    await rig.keep();
    for (const method of ["POST", "GET", "DELETE"] as const) {
      await rig.fetch(`${endpoint}?a=1`, toInit({ method, headers: { "last-event-id": "7" } }));
    }
    assert.deepEqual(
      rig.arrived.map(({ headers }) => headers),
      Array(3).fill({ "last-event-id": "7", authorization: "Bearer t0" }),
    );
    assert.ok(rig.arrived.every(({ url }) => url === `${endpoint}?a=1`));
  });

  it("sends the token to no other origin [PP-100]", async () => {
    const rig = createAuthorizationRig({ respond: () => new Response("{}") });
    await rig.keep();
    for (const url of [
      "https://evil.example/mcp",
      "http://mcp.example/mcp",
      "https://mcp.example:8443/mcp",
      "no url",
    ]) {
      await rig.call({}, url);
    }
    await rig.call({}, "https://mcp.example/other");
    assert.deepEqual(tokensOf(rig.arrived), [undefined, undefined, undefined, undefined, "t0"]);
  });

  it("lets a live token take the place of a configured header, which goes out where there is none [PP-100]", async () => {
    const rig = createAuthorizationRig({ respond: accept("t1") });
    const headers = { authorization: "Bearer configured", "x-mine": "1" };
    assert.equal(await rig.call({ headers }), 200);
    assert.deepEqual(tokensOf(rig.arrived), ["configured", "t1"]);
    assert.equal(rig.arrived[1]?.headers["x-mine"], "1");
    assert.equal(headers.authorization, "Bearer configured");
  });

  it("obtains a token after a refusal without a challenge and sends the same request again [AUTH-019]", async () => {
    const respond = ({ token }: Arrived) =>
      token === undefined ? new Response("", { status: 401 }) : new Response("{}");
    const rig = createAuthorizationRig({ respond });
    assert.equal(await rig.call(), 200);
    assert.deepEqual(tokensOf(rig.arrived), [undefined, "t1"]);
    assert.equal(rig.arrived[0]?.body, rig.arrived[1]?.body);
    assert.equal(rig.discoveries(), 1);
  });

  it("returns refusals that are not its business as they are, and leaves what is stored alone [PP-086]", async () => {
    const refusals = [
      refuse({ realm: "x" }, 401, "Basic"),
      refuse({}, 403),
      refuse({ error: "invalid_token" }, 403),
      new Response("no", { status: 403 }),
    ];
    const rig = createAuthorizationRig({ respond: () => refusals.shift() ?? new Response("", { status: 500 }) });
    await rig.keep();
    const response = await rig.fetch(endpoint, toInit());
    assert.equal(await response.text(), "refused");
    assert.deepEqual([await rig.call(), await rig.call(), await rig.call(), await rig.call()], [403, 403, 403, 500]);
    assert.equal((await rig.kept())?.accessToken, "t0");
    assert.equal(rig.renewed.length + rig.obtained.length + rig.discoveries(), 0);
  });

  it("lets go of the body of a refusal that it answers", async () => {
    let isCancelled = false;
    const body = new ReadableStream({
      cancel: () => {
        isCancelled = true;
      },
    });
    const respond = ({ token }: Arrived) =>
      token === undefined ? new Response(body, { status: 401 }) : new Response("{}");
    await createAuthorizationRig({ respond }).call();
    assert.equal(isCancelled, true);
  });

  it("renews once and repeats once after a refusal, and keeps the newest refresh token [AUTH-055] [AUTHDRAFT-026]", async () => {
    const rig = createAuthorizationRig({ respond: accept("t1", "t2") });
    await rig.keep();
    assert.equal(await rig.call(), 200);
    assert.deepEqual(tokensOf(rig.arrived), ["t0", "t1"]);
    assert.equal((await rig.kept())?.refreshToken, "r1");
    await rig.clock.advance(3_600_000);
    assert.equal(await rig.call(), 200);
    assert.deepEqual(
      rig.renewed.map(({ tokens }) => tokens.refreshToken),
      ["r0", "r1"],
    );
  });

  it("fails for good when the server refuses the new token too, saying what it said [PP-095]", async () => {
    const respond = ({ token = "none" }: Arrived) =>
      refuse({ error: "invalid_token", error_description: `wrong audience in ${token}` });
    const rig = createAuthorizationRig({ respond });
    await assert.rejects(rig.call(), (error) => {
      assert.ok(error instanceof AuthorizationError);
      assert.deepEqual([error.stage, error.oauthError, error.isTransient], ["access", "invalid_token", false]);
      assert.match(error.message, /invalid_token: wrong audience in \[token\]/);
      return true;
    });
    assert.deepEqual(tokensOf(rig.arrived), [undefined, "t1"]);
    assert.equal(rig.obtained.length, 1);
  });

  it("lets later calls share that fate for a while, then tries once more, without the refresh token [PP-095]", async () => {
    const rig = createAuthorizationRig({ respond: accept() });
    await rig.keep();
    await assert.rejects(rig.call(), AuthorizationError);
    await Promise.all([assert.rejects(rig.call(), AuthorizationError), assert.rejects(rig.call(), AuthorizationError)]);
    assert.deepEqual([rig.renewed.length, rig.obtained.length], [1, 0]);
    await rig.clock.advance(30_000);
    await assert.rejects(rig.call(), AuthorizationError);
    assert.deepEqual([rig.renewed.length, rig.obtained.length], [1, 1]);
  });

  it("renews as ever once a server has come round to tokens that it refused at first", async () => {
    let isBroken = true;
    const rig = createAuthorizationRig({ respond: (request) => (isBroken ? refuse() : accept("t1", "t2")(request)) });
    await assert.rejects(rig.call(), AuthorizationError);
    isBroken = false;
    assert.equal(await rig.call(), 200);
    await rig.clock.advance(3_600_000);
    assert.equal(await rig.call(), 200);
    assert.deepEqual([rig.obtained.length, rig.renewed.length], [1, 1]);
  });

  it("never ends in a loop where each token works for others and not for this request [PP-095]", async () => {
    const respond = ({ url, token }: Arrived) =>
      url.endsWith("/bad") ? refuse() : accept("t1", "t2", "t3")({ token } as Arrived);
    const rig = createAuthorizationRig({ respond });
    await rig.call();
    await assert.rejects(rig.call({}, `${endpoint}/bad`), AuthorizationError);
    assert.deepEqual([rig.obtained.length, rig.renewed.length], [1, 1]);
  });

  it("renews tokens to end a session, but sends nobody to log in for that", async () => {
    const rig = createAuthorizationRig({ respond: accept("t1") });
    await assert.rejects(rig.call({ method: "DELETE" }), { code: "MCP_AUTHORIZATION", stage: "authorization" });
    assert.equal(rig.obtained.length, 0);
    await rig.keep();
    const next = createAuthorizationRig({ respond: accept("t1"), store: rig.store, clock: rig.clock });
    assert.equal(await next.call({ method: "DELETE" }), 200);
    assert.deepEqual([next.renewed.length, next.obtained.length], [1, 0]);
  });

  it("passes on that a person has to go elsewhere first, untouched", async () => {
    const required = new AuthorizationRequiredError("https://as.example/authorize", "log in");
    const obtain = async (): Promise<never> => {
      throw required;
    };
    const rig = createAuthorizationRig({ grant: { obtain } });
    await assert.rejects(rig.call(), (error) => error === required);
    await assert.rejects(rig.call(), (error) => error === required);
    assert.equal(rig.obtained.length, 2);
  });

  it("stops the clocks of the request while a person is asked", async () => {
    const seen: string[] = [];
    const rig = createAuthorizationRig({
      grant: {
        obtain: async ({ hold }) => {
          seen.push("asks");
          hold()();
          return toTokens("t1", rig.clock);
        },
      },
    });
    const hold = (): (() => void) => {
      seen.push("stopped");
      return () => seen.push("resumed");
    };
    await rig.call({ hold });
    assert.deepEqual(seen.slice(-3), ["asks", "stopped", "resumed"]);
    assert.equal(seen.filter((word) => word === "stopped").length, seen.filter((word) => word === "resumed").length);
  });
});

describe("an authorized fetch that meets a wish for a stronger login", () => {
  it("logs in anew as the challenge says instead of renewing [AUTHDRAFT-026] [AUTHDRAFT-027]", async () => {
    const challenge = { error: "insufficient_user_authentication", acr_values: "gold", max_age: "60" };
    const rig = createAuthorizationRig({
      respond: ({ token }) => (token === "t0" ? refuse(challenge) : new Response("{}")),
    });
    await rig.keep({ requestedScopes: ["a"] });
    assert.equal(await rig.call(), 200);
    const [request] = rig.obtained;
    assert.deepEqual([request?.acrValues, request?.maxAge, request?.scopes], ["gold", 60, ["a"]]);
    assert.equal(rig.renewed.length, 0);
  });

  it("asks once for each request", async () => {
    const rig = createAuthorizationRig({ respond: () => refuse({ error: "insufficient_user_authentication" }) });
    await rig.keep();
    await assert.rejects(rig.call(), { code: "MCP_AUTHORIZATION", stage: "access" });
    assert.equal(rig.obtained.length, 1);
  });
});

describe("an authorized fetch with tokens bound to a key", () => {
  it("sends the token by the scheme of its type, with another proof each time [X-DPOP-001] [X-DPOP-002] [AUTHDRAFT-019]", async () => {
    const rig = createAuthorizationRig();
    await rig.keep({ tokenType: "DPoP" });
    await rig.call();
    await rig.call();
    assert.deepEqual(
      rig.arrived.map(({ headers }) => [headers.authorization, headers.dpop]),
      [
        ["DPoP t0", "proof-1-"],
        ["DPoP t0", "proof-2-"],
      ],
    );
    const { body } = toInit();
    assert.deepEqual(rig.proofs[0], { audience: "resource", method: "POST", url: endpoint, accessToken: "t0", body });
  });

  it("repeats a request once with the nonce that was wanted, without taking that for a refusal [X-DPOP-006]", async () => {
    const rig = createAuthorizationRig({
      respond: ({ headers }) => (headers.dpop?.endsWith("-n1") ? new Response("{}") : askForNonce("n1")),
    });
    await rig.keep({ tokenType: "DPoP" });
    assert.equal(await rig.call(), 200);
    assert.deepEqual(
      rig.arrived.map(({ headers }) => headers.dpop),
      ["proof-1-", "proof-2-n1"],
    );
    assert.equal(rig.renewed.length + rig.obtained.length, 0);
  });

  it("takes over nonces from every answer [X-DPOP-006]", async () => {
    const rig = createAuthorizationRig({ respond: () => new Response("{}", { headers: { "dpop-nonce": "n2" } }) });
    await rig.keep({ tokenType: "DPoP" });
    await rig.call();
    await rig.call();
    assert.equal(rig.arrived[1]?.headers.dpop, "proof-2-n2");
  });

  it("gives up on a server that always wants another nonce", async () => {
    let count = 0;
    const rig = createAuthorizationRig({
      respond: () => {
        count += 1;
        return askForNonce(`n${count}`);
      },
    });
    await rig.keep({ tokenType: "DPoP" });
    await assert.rejects(rig.call(), { code: "MCP_AUTHORIZATION", stage: "access", oauthError: "use_dpop_nonce" });
    assert.equal(rig.arrived.length, 2);
    assert.equal(rig.renewed.length + rig.obtained.length, 0);
  });

  it("never uses bound tokens where binding is turned off [AUTHDRAFT-018]", async () => {
    const rig = createAuthorizationRig({ options: { dpop: "never" } });
    await rig.keep({ tokenType: "DPoP" });
    await rig.call();
    assert.deepEqual(tokensOf(rig.arrived), [undefined, "t1"]);
    assert.equal(rig.proofs.length, 0);
  });
});

function askForNonce(nonce: string): Response {
  const response = refuse({ error: "use_dpop_nonce" }, 401, "DPoP");
  response.headers.set("dpop-nonce", nonce);
  return response;
}

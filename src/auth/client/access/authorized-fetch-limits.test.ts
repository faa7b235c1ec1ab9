import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Arrived, createAuthorizationRig, refuse } from "../../../../test/fixtures/auth/authorization-rig.ts";
import { AuthorizationError } from "../../../protocol/authorization-errors.ts";

/** A call of a tool. */
const callOf = (name: string) => ({
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name } }),
});

describe("an authorized fetch whose server wants ever more", () => {
  /** Wants another scope of each token that it has not seen, and takes it once it has come back with a new one. */
  const createGreedy = (takes: boolean) => {
    const seen = new Set<string | undefined>();
    let wanted = 0;
    return ({ token }: Arrived): Response => {
      if (takes && seen.size > 0 && !seen.has(token)) {
        seen.add(token);
        return new Response("{}");
      }
      seen.add(token);
      wanted += 1;
      return refuse({ error: "insufficient_scope", scope: `s${wanted}` }, 403);
    };
  };

  it("asks no more than three times for an operation that is let through each time, until five minutes later [AUTH-069] [SEC-030]", async () => {
    const rig = createAuthorizationRig({ respond: createGreedy(true) });
    await rig.keep();
    for (let time = 0; time < 3; time += 1) {
      assert.equal(await rig.call(), 200);
    }
    for (let time = 0; time < 5; time += 1) {
      await assert.rejects(rig.call(), /tried 3 times/);
    }
    assert.equal(rig.obtained.length, 3);
    await rig.clock.advance(300_000);
    assert.equal(await rig.call(), 200);
    assert.equal(rig.obtained.length, 4);
  });

  it("asks for twelve scopes of twelve tools, and for no more in five minutes, whatever the tool [SEC-030]", async () => {
    const rig = createAuthorizationRig({ respond: createGreedy(true) });
    await rig.keep();
    for (let tool = 0; tool < 12; tool += 1) {
      assert.equal(await rig.call(callOf(`t${tool}`)), 200);
    }
    const refusal = {
      code: "MCP_AUTHORIZATION",
      stage: "access",
      message: /"tools\/call t12" at https:\/\/mcp\.example .*too often.*login\(\)/,
    };
    await assert.rejects(rig.call(callOf("t12")), refusal);
    assert.equal(rig.obtained.length, 12);
    await rig.clock.advance(300_000);
    assert.equal(await rig.call(callOf("t12")), 200);
  });

  it("asks no more often for calls in parallel [SEC-030]", async () => {
    const respond = ({ body, token }: Arrived): Response => {
      const scope = /t\d+/.exec(body ?? "")?.[0] ?? "";
      const isGranted = rig.obtained[Number(token?.slice(1)) - 1]?.scopes?.includes(scope);
      return isGranted ? new Response("{}") : refuse({ error: "insufficient_scope", scope }, 403);
    };
    const rig = createAuthorizationRig({ respond });
    await rig.keep();
    const calls = Array.from({ length: 20 }, (_, tool) => rig.call(callOf(`t${tool}`)));
    const outcomes = await Promise.allSettled(calls);
    assert.equal(outcomes.filter(({ status }) => status === "fulfilled").length, 12);
    assert.equal(rig.obtained.length, 12);
  });

  it("names an operation in one line, whatever the server calls its tools", async () => {
    const rig = createAuthorizationRig({ respond: createGreedy(false), stepUp: false });
    await rig.keep();
    await assert.rejects(rig.call(callOf("a\u001b[2J\nb")), { message: /^"tools\/call a \[2J b" at / });
  });
});

describe("an authorized fetch whose server wants ever stronger logins", () => {
  const want = (more: Readonly<Record<string, string>> = { acr_values: "gold" }): Response =>
    refuse({ error: "insufficient_user_authentication", ...more });

  it("asks no more than three times for one operation, level and age [SEC-030]", async () => {
    const rig = createAuthorizationRig({ respond: () => want() });
    await rig.keep();
    for (let time = 0; time < 10; time += 1) {
      await assert.rejects(rig.call(), { stage: "access", oauthError: "insufficient_user_authentication" });
    }
    assert.equal(rig.obtained.length, 3);
    await assert.rejects(rig.call(callOf("other")), { stage: "access" });
    assert.equal(rig.obtained.length, 4);
  });

  it("does not ask again for a while what a person denied [SEC-030]", async () => {
    const obtain = async (): Promise<never> => {
      throw new AuthorizationError("denied", { stage: "authorization", oauthError: "access_denied" });
    };
    const rig = createAuthorizationRig({ respond: () => want(), grant: { obtain } });
    await rig.keep();
    await assert.rejects(rig.call(), { oauthError: "access_denied" });
    await assert.rejects(rig.call(), /denied a short while ago/);
    assert.equal(rig.obtained.length, 1);
    await rig.clock.advance(300_000);
    await assert.rejects(rig.call(), { oauthError: "access_denied" });
  });

  it("asks twelve times in five minutes however the server varies what it wants [SEC-030]", async () => {
    let count = 0;
    const respond = (): Response => {
      count += 1;
      return want({ acr_values: `level-${count}`, max_age: `${count}` });
    };
    const rig = createAuthorizationRig({ respond });
    await rig.keep();
    for (let time = 0; time < 20; time += 1) {
      await assert.rejects(rig.call(), { stage: "access" });
    }
    assert.equal(rig.obtained.length, 12);
  });

  it("fails at once where stepping up is turned off", async () => {
    const rig = createAuthorizationRig({ respond: () => want(), stepUp: false });
    await rig.keep();
    await assert.rejects(rig.call(), /turned off/);
    assert.equal(rig.obtained.length, 0);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createAuthorizationRig, refuse, toInit, toTokens } from "../../../../test/fixtures/auth/authorization-rig.ts";
import { createAuthorizedFetch } from "./authorized-fetch.ts";
import { StepUpLedger } from "./step-up.ts";

/** A server at some address for which there are tokens already. */
async function createRig(server: string, respond: () => Response) {
  const rig = createAuthorizationRig({ options: { server } });
  await rig.credentials.saveTokens(server, toTokens("t0", rig.clock, { resource: server }));
  const sent: (string | undefined)[] = [];
  const fetch = createAuthorizedFetch({
    origin: new URL(server).origin,
    authorization: rig.authorization,
    stepUps: new StepUpLedger({ maxAttempts: 3, deniedTtlMs: 0 }, () => rig.clock.now()),
    onAsked: () => {},
    fetch: async (_url, init) => {
      sent.push(init.headers.authorization);
      return respond();
    },
  });
  return { ...rig, sent, call: async () => (await fetch(server, toInit())).status };
}

describe("an authorized fetch over plain http", () => {
  const server = "http://mcp.example/mcp";
  const refusal = { code: "MCP_AUTHORIZATION", stage: "access", message: /http.*https:/ };

  it("sends no token to another machine, and has nobody log in for it", async () => {
    for (const respond of [
      () => refuse({ error: "invalid_token" }),
      () => new Response("", { status: 401 }),
      () => refuse({ error: "insufficient_user_authentication" }),
      () => refuse({ error: "insufficient_scope", scope: "a" }, 403),
    ]) {
      const rig = await createRig(server, respond);
      await assert.rejects(rig.call(), refusal);
      assert.deepEqual(rig.sent, [undefined]);
      assert.equal(rig.obtained.length + rig.renewed.length + rig.discoveries(), 0);
    }
  });

  it("refuses a login that is asked for before anything is sent", async () => {
    const rig = await createRig(server, () => new Response("{}"));
    await assert.rejects(rig.authorization.logIn(undefined, {}), refusal);
    assert.equal(rig.obtained.length + rig.discoveries(), 0);
  });

  it("passes on what a server answers that wants no authorization", async () => {
    const rig = await createRig(server, () => new Response("{}"));
    assert.equal(await rig.call(), 200);
    assert.deepEqual(rig.sent, [undefined]);
  });

  it("sends tokens to this machine", async () => {
    for (const local of ["http://localhost:1/mcp", "http://127.0.0.1:1/mcp", "http://[::1]:1/mcp"]) {
      const rig = await createRig(local, () => new Response("{}"));
      assert.equal(await rig.call(), 200);
      assert.deepEqual(rig.sent, ["Bearer t0"]);
    }
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { everyFeature, openSession } from "../../../test/fixtures/fake-session.ts";

describe("assertRequest and assertNotification", () => {
  it("fail locally where the server did not declare the capability [LIFE-018] [LIFE-020] [RES-010] [BASE-001]", async () => {
    const { server, session } = await openSession({}, { resources: { subscribe: false } });
    const cases = {
      tools: () => session.callTool("t"),
      prompts: () => session.getPrompt("p"),
      completions: () =>
        session.complete({ ref: { type: "ref/prompt", name: "p" }, argument: { name: "a", value: "" } }),
      logging: () => session.setLogLevel("info"),
      "resources.subscribe": () => session.subscribe("file:///a", () => {}),
    };
    for (const [capability, call] of Object.entries(cases)) {
      await assert.rejects(call, { code: "MCP_MISSING_CAPABILITY", capability });
    }
    await assert.rejects(session.listTools().all(), { code: "MCP_MISSING_CAPABILITY", capability: "tools" });
    assert.deepEqual(server.received, []);
    await session.close();
  });

  it("fail locally where the negotiated revision lacks the method [LIFE-017]", async () => {
    const { server, session } = await openSession({}, everyFeature, "2025-06-18");
    await assert.rejects(session.request("tasks/get", { taskId: "t" }), { code: "MCP_MISSING_CAPABILITY" });
    assert.deepEqual(server.received, []);
    await session.close();
  });

  it("fail locally with params that break the method's shape [TOOL-007] [PROMPT-003] [COMP-002] [LOG-003] [BASE-020]", async () => {
    const { server, session } = await openSession();
    const cases: (() => Promise<unknown>)[] = [
      () => session.callTool("t", [1] as never),
      () => session.getPrompt("p", { a: 5 } as never),
      () => session.complete({ ref: { type: "ref/tool", name: "p" }, argument: { name: "a", value: "" } } as never),
      () => session.setLogLevel("warn" as never),
      () => session.readResource(5 as never),
      () => session.request("x/own", [] as never),
    ];
    for (const call of cases) {
      await assert.rejects(call, { code: "MCP_INVALID_PARAMS", rpcCode: -32602 });
    }
    assert.deepEqual(server.received, []);
    await session.close();
  });

  it("refuse methods that are not for a caller of servers, and those of the handshake [BASE-022]", async () => {
    const { server, session } = await openSession();
    for (const method of ["initialize", "roots/list", "sampling/createMessage"]) {
      await assert.rejects(session.request(method, {}), { code: "MCP_USAGE" });
    }
    await assert.rejects(session.notify("notifications/message", {}), { code: "MCP_USAGE" });
    assert.deepEqual(server.received, []);
    await session.close();
  });

  it("let no notification go out that this client did not announce [LIFE-018] [ROOT-004]", async () => {
    const { server, session } = await openSession();
    await assert.rejects(session.notify("notifications/roots/list_changed"), {
      code: "MCP_MISSING_CAPABILITY",
      capability: "roots.listChanged",
    });
    assert.deepEqual(server.received, []);
    await session.close();
  });
});

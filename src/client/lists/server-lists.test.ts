import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeServer } from "../../../test/fixtures/fake-server.ts";
import { defineClient } from "../client.ts";

describe("ServerLists", () => {
  it("takes the client's bounds unless a walk has its own [PAGE-007]", async () => {
    const prompts = [{ name: "a" }, { name: "b" }, { name: "c" }];
    const server = new FakeServer({ capabilities: { prompts: {} }, answers: { "prompts/list": () => ({ prompts }) } });
    const session = await defineClient({ name: "c", version: "1", lists: { maxItems: 2 } }).connect(server.channel);
    await assert.rejects(session.listPrompts().all(), { code: "MCP_PEER", message: /at most 2 items/ });
    assert.equal((await session.listPrompts({ maxItems: 3 }).all()).length, 3);
    await session.close();
  });

  it("gives each page a request of its own, which can be given up [CANCEL-001]", async () => {
    const server = new FakeServer({
      capabilities: { prompts: {} },
      answers: { "prompts/list": () => ({ prompts: [{ name: "p" }], nextCursor: `${Math.random()}` }) },
    });
    const session = await defineClient({ name: "c", version: "1" }).connect(server.channel);
    const controller = new AbortController();
    const walk = async (): Promise<void> => {
      for await (const _ of session.listPrompts({ signal: controller.signal })) {
        if (server.paramsOf("prompts/list").length === 3) {
          controller.abort("enough");
        }
      }
    };
    await assert.rejects(walk(), (error) => error === "enough");
    assert.equal(server.paramsOf("prompts/list").length, 3);
    await session.close();
  });

  it("learns output schemas also from a walk that ends early [TOOL-016]", async () => {
    const outputSchema = { type: "object", required: ["n"] };
    const server = new FakeServer({
      capabilities: { tools: {} },
      answers: {
        "tools/list": () => ({
          tools: [{ name: "t", inputSchema: { type: "object" }, outputSchema }],
          nextCursor: "more",
        }),
        "tools/call": () => ({ content: [], structuredContent: {} }),
      },
    });
    const session = await defineClient({ name: "c", version: "1" }).connect(server.channel);
    for await (const tool of session.listTools()) {
      assert.equal(tool.name, "t");
      break;
    }
    await assert.rejects(session.callTool("t"), { code: "MCP_PEER", message: /n is missing/ });
    await session.close();
  });
});

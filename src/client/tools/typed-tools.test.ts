import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeServer } from "../../../test/fixtures/fake-server.ts";
import type { Definition } from "../../protocol/types/definition.ts";
import { defineClient } from "../client.ts";

type App = Definition<{
  tools: {
    add: { input: { a: number; b: number }; output: { sum: number } };
    say: { input: { text?: string }; output: undefined };
    then: { input: { x?: number }; output: undefined };
  };
}>;

async function open() {
  const server = new FakeServer({ capabilities: { tools: {} } });
  const session = await defineClient({ name: "c", version: "1" }).connect<App>(server.channel);
  return { server, session };
}

describe("session.tools", () => {
  it("gives the structured result of a tool as a value [PP-064]", async () => {
    const { server, session } = await open();
    server.answers.set("tools/call", ({ arguments: args }) => {
      const { a, b } = args as { a: number; b: number };
      return { content: [], structuredContent: { sum: a + b } };
    });
    const { sum } = await session.tools.add({ a: 1, b: 2 });
    assert.equal(sum, 3);
    await session.close();
  });

  it("gives the content of a tool without structured result, narrowed by type [PP-064]", async () => {
    const { server, session } = await open();
    server.answers.set("tools/call", () => ({ content: [{ type: "text", text: "hi" }] }));
    const [block] = await session.tools.say();
    assert.equal(block?.type === "text" ? block.text : undefined, "hi");
    await session.close();
  });

  it("throws a tool's failure with its message and content [TOOL-020]", async () => {
    const { server, session } = await open();
    const content = [
      { type: "text", text: "no such user" },
      { type: "image", data: "AA==", mimeType: "image/png" },
      { type: "text", text: "list users first" },
    ];
    server.answers.set("tools/call", () => ({ content, isError: true }));
    await assert.rejects(session.tools.add({ a: 1, b: 2 }), {
      code: "MCP_TOOL",
      message: "no such user\nlist users first",
      content,
    });
    server.answers.set("tools/call", () => ({ content: [], isError: true }));
    await assert.rejects(session.tools.say({}), { code: "MCP_TOOL", message: /say failed/ });
    await session.close();
  });

  it("passes the options of a request on", async () => {
    const { session } = await open();
    await assert.rejects(session.tools.say({}, { signal: AbortSignal.abort("stop") }), (error) => error === "stop");
    await session.close();
  });

  it("is no promise, so that it can be returned from an async function", async () => {
    const { session } = await open();
    assert.equal(await Promise.resolve(session.tools), session.tools);
    await session.close();
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RawClient } from "../../../test/fixtures/raw-client.ts";
import { identity } from "../../../test/fixtures/server-calls.ts";
import { isMcpError } from "../../base/error.ts";
import type { CreateMessageRequestParams } from "../../protocol/types/sampling.ts";
import { defineServer } from "../define.ts";
import { tool } from "../features/tool.ts";

const said = { role: "assistant", content: { type: "text", text: "hello" }, model: "m", stopReason: "custom_x" };
const hello: CreateMessageRequestParams = {
  messages: [{ role: "user", content: { type: "text", text: "hi" } }],
  maxTokens: 10,
};
const listed = { name: "t", inputSchema: { type: "object" as const } };

async function sample(
  params: unknown,
  capabilities: object = { sampling: { tools: {}, context: {} } },
  answer: unknown = said,
): Promise<{
  result: unknown;
  error: { code: string; message: string; rpcCode?: number } | undefined;
  client: RawClient;
}> {
  let result: unknown;
  let error: never | undefined;
  const app = defineServer({
    ...identity,
    tools: {
      ask: tool({}, async (_args, ctx) => {
        try {
          result = await ctx.sample(params as CreateMessageRequestParams);
        } catch (fault) {
          assert.ok(isMcpError(fault), String(fault));
          error = fault as never;
        }
        return "";
      }),
    },
  });
  const client = await RawClient.connect(app, {
    capabilities: capabilities as never,
    answers: { "sampling/createMessage": () => answer },
  });
  await client.call("ask");
  return { result, error, client };
}

describe("ctx.sample", () => {
  it("sends every optional part unchanged and gives the answer as it came [SAMP-008] [SAMP-009] [SAMP-013]", async () => {
    const params = {
      ...hello,
      modelPreferences: { hints: [{ name: "sonnet" }], costPriority: 0, speedPriority: 1 },
      systemPrompt: "be kind",
      includeContext: "none",
      temperature: 0.5,
      stopSequences: ["x"],
      metadata: { a: 1 },
      tools: [listed],
      toolChoice: { mode: "auto" },
    };
    const { result, client } = await sample(params);
    assert.deepEqual(result, said);
    const { _meta, ...sent } = client.requests("sampling/createMessage")[0]?.params ?? {};
    assert.deepEqual(sent, params);
  });

  it("asks no client that did not declare what is needed, and sends nothing [SAMP-002] [SAMP-003] [SAMP-005] [LIFE-018]", async () => {
    const cases: [object, object, string][] = [
      [hello, {}, "sampling"],
      [{ ...hello, tools: [listed] }, { sampling: {} }, "sampling.tools"],
      [{ ...hello, toolChoice: { mode: "none" } }, { sampling: {} }, "sampling.tools"],
      [{ ...hello, includeContext: "allServers" }, { sampling: {} }, "sampling.context"],
      [{ ...hello, includeContext: "thisServer" }, { sampling: { tools: {} } }, "sampling.context"],
    ];
    for (const [params, capabilities, capability] of cases) {
      const { error, client } = await sample(params, capabilities);
      assert.equal(error?.code, "MCP_MISSING_CAPABILITY");
      assert.match(error?.message ?? "", new RegExp(capability.replace(".", "\\.")));
      assert.deepEqual(client.requests(), []);
    }
    assert.equal((await sample({ ...hello, includeContext: "none" }, { sampling: {} })).error, undefined);
  });

  it("refuses params that no client would take, with nothing sent [SAMP-007] [SAMP-010] [SAMP-011] [SAMP-031]", async () => {
    const bad = [
      { messages: hello.messages },
      { ...hello, maxTokens: 1.5 },
      { maxTokens: 1 },
      { ...hello, messages: [{ role: "system", content: [] }] },
      { ...hello, messages: [{ role: "user", content: { type: "resource", resource: { uri: "a:b", text: "" } } }] },
      { ...hello, modelPreferences: { costPriority: 1.5 } },
    ];
    for (const params of bad) {
      const { error, client } = await sample(params);
      assert.equal(error?.code, "MCP_USAGE", JSON.stringify(params));
      assert.deepEqual(client.requests(), []);
    }
  });

  it("refuses unbalanced tool traffic, with nothing sent [SAMP-016] [SAMP-017] [SAMP-018] [SAMP-019]", async () => {
    const use = { type: "tool_use", id: "1", name: "t", input: {} };
    const second = { ...use, id: "2" };
    const result = { type: "tool_result", toolUseId: "1", content: [] };
    const other = { ...result, toolUseId: "2" };
    const text = { type: "text", text: "x" };
    const user = (content: unknown): object => ({ role: "user", content });
    const assistant = (content: unknown): object => ({ role: "assistant", content });
    const bad = [
      [user(text), user([result])],
      [user(text), assistant([use]), user([result, text])],
      [user(text), assistant([use]), user(text)],
      [user(text), assistant([use])],
      [user(text), assistant([use, second]), user([result])],
    ];
    for (const messages of bad) {
      const { error, client } = await sample({ messages, maxTokens: 1 });
      assert.equal(error?.code, "MCP_USAGE");
      assert.deepEqual(client.requests(), []);
    }
    const fine = [user(text), assistant([use, second]), user([result, other])];
    assert.equal((await sample({ messages: fine, maxTokens: 1 })).error, undefined);
  });

  it("takes a malformed answer for a fault of the client [SAMP-012] [SAMP-014]", async () => {
    const { model: _, ...modelless } = said;
    for (const answer of [modelless, { ...said, content: { type: "tool_use", id: "1", name: "t", input: "x" } }]) {
      assert.equal((await sample(hello, undefined, answer)).error?.code, "MCP_PEER");
    }
  });
});

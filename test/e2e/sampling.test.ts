// Sampling: a server asks the client's model, over every link that can carry the question.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CreateMessageRequestParams, CreateMessageResult } from "parley-mcp";
import { defineClient, type SamplingOptions } from "parley-mcp/client";
import { runToolLoop, tool } from "parley-mcp/server";
import { z } from "zod";
import { createAskingServer } from "../fixtures/asking-server.ts";
import { FakeServer } from "../fixtures/fake-server.ts";
import { scenario, verifies } from "./verifies.ts";

const tester = { name: "tester", version: "1.0.0" };
const question: CreateMessageRequestParams = {
  messages: [{ role: "user", content: { type: "text", text: "Capital of Norway?" } }],
  maxTokens: 20,
};
const oslo: CreateMessageResult = {
  role: "assistant",
  content: { type: "text", text: "Oslo" },
  model: "test-1",
  stopReason: "endTurn",
};

const sampled = (sampling: SamplingOptions) => () => ({ ...tester, sampling });

verifies("sampling", [
  scenario({
    title:
      "asks the model within a call and gets its message [SAMP-001] [SAMP-007] [SAMP-010] [SAMP-012] [M-DEP-001] [M-DEP-003] [PP-044]",
    needs: ["ask"],
    app: () => createAskingServer((ctx) => ctx.sample(question)),
    client: sampled({ createMessage: () => oslo }),
    run: async ({ client, wire, app, isAlone }) => {
      await client.callTool("ask", {});
      assert.deepEqual(app.outcomes, [oslo]);
      const alone = { sampling: {}, extensions: { "io.modelcontextprotocol/tasks": {} } };
      assert.deepEqual(wire.declared, isAlone ? alone : { sampling: {} });
      const { _meta, ...params } = wire.onlyQuestion("sampling/createMessage").params;
      assert.deepEqual(params, question);
      assert.deepEqual(wire.questions("sampling/createMessage").at(-1)?.result, oslo);
    },
  }),
  scenario({
    title: "carries every optional parameter to the handler unchanged [SAMP-008] [SAMP-009] [SAMP-013] [M-SAMP-002]",
    needs: ["ask"],
    app: () =>
      createAskingServer((ctx) =>
        ctx.sample({
          ...question,
          modelPreferences: {
            hints: [{ name: "sonnet" }],
            costPriority: 0,
            speedPriority: 0.5,
            intelligencePriority: 1,
          },
          systemPrompt: "Be brief",
          temperature: 0.25,
          stopSequences: ["\n"],
          metadata: { trace: { id: 7 } },
        }),
      ),
    client: sampled({
      createMessage: (request) => ({
        ...oslo,
        content: { type: "text", text: JSON.stringify(request) },
        stopReason: "custom_x",
      }),
    }),
    run: async ({ client, app }) => {
      await client.callTool("ask", {});
      const [outcome] = app.outcomes as [CreateMessageResult];
      assert.equal(outcome.stopReason, "custom_x");
      const { _meta, ...seen } = JSON.parse((outcome.content as { text: string }).text);
      assert.deepEqual(seen, {
        ...question,
        modelPreferences: { hints: [{ name: "sonnet" }], costPriority: 0, speedPriority: 0.5, intelligencePriority: 1 },
        systemPrompt: "Be brief",
        temperature: 0.25,
        stopSequences: ["\n"],
        metadata: { trace: { id: 7 } },
      });
    },
  }),
  scenario({
    title: "fails where it is asked for, with nothing sent, when the client has no sampling [SAMP-002] [LIFE-018]",
    app: () => createAskingServer((ctx) => ctx.sample(question)),
    run: async ({ client, wire, app }) => {
      await client.callTool("ask", {});
      assert.match(String(app.outcomes[0]), /sampling/);
      assert.equal((app.outcomes[0] as { code: string }).code, "MCP_MISSING_CAPABILITY");
      assert.deepEqual(wire.questions("sampling/createMessage"), []);
    },
  }),
  scenario({
    title: "fails at once where the link has no way to ask within a call, and says what to do [PP-043]",
    lacks: ["ask"],
    app: () => createAskingServer((ctx) => ctx.sample(question)),
    client: sampled({ createMessage: () => assert.fail("the client was asked") }),
    run: async ({ client, wire, app }) => {
      await client.callTool("ask", {});
      const [{ code, message }] = app.outcomes as [{ code: string; message: string }];
      assert.equal(code, "MCP_MISSING_CAPABILITY");
      assert.match(message, /sessions|event streams/);
      assert.deepEqual(wire.methods("server"), []);
    },
  }),
  scenario({
    title: "asks for context only where the client has it, which nobody does by default [M-DEP-003] [M-MRTR-004]",
    needs: ["ask"],
    since: "2025-11-25",
    app: () => createAskingServer((ctx) => ctx.sample({ ...question, includeContext: "allServers" })),
    client: sampled({ createMessage: () => oslo }),
    run: async ({ client, wire, app }) => {
      await client.callTool("ask", {});
      assert.equal((app.outcomes[0] as { code: string }).code, "MCP_MISSING_CAPABILITY");
      assert.deepEqual(wire.questions("sampling/createMessage"), []);
    },
  }),
  scenario({
    title:
      "sends no tools to a client, or in a revision, that does not have them [SAMP-003] [LIFE-017] [O24-020] [O0326-017] [O0618-011]",
    needs: ["ask"],
    app: () =>
      createAskingServer((ctx) =>
        ctx.sample({ ...question, tools: [{ name: "clock", inputSchema: { type: "object" } }] }),
      ),
    client: sampled({ createMessage: () => oslo }),
    run: async ({ client, wire, app, revision, join }) => {
      await client.callTool("ask", {});
      assert.equal((app.outcomes[0] as { code: string }).code, "MCP_MISSING_CAPABILITY");
      assert.deepEqual(wire.questions("sampling/createMessage"), []);
      const able = await join({ ...tester, sampling: { tools: true, createMessage: () => oslo } });
      await able.client.callTool("ask", {});
      assert.equal(able.wire.questions("sampling/createMessage").length, revision >= "2025-11-25" ? 1 : 0);
    },
  }),
  scenario({
    title:
      "sends no use or result of a tool to a client, or in a revision, that does not have them [SAMP-003] [LIFE-017] [LIFE-018]",
    needs: ["ask"],
    app: () =>
      createAskingServer((ctx) =>
        ctx.sample({
          ...question,
          messages: [
            ...question.messages,
            { role: "assistant", content: { type: "tool_use", id: "1", name: "clock", input: {} } },
            { role: "user", content: { type: "tool_result", toolUseId: "1", content: [] } },
          ],
        }),
      ),
    client: sampled({ createMessage: () => oslo }),
    run: async ({ client, wire, app }) => {
      await client.callTool("ask", {});
      assert.deepEqual(wire.questions("sampling/createMessage"), []);
      assert.equal((app.outcomes[0] as { code: string }).code, "MCP_MISSING_CAPABILITY");
    },
  }),
  scenario({
    title: "never answers with the use of a tool where no tools came with the question [SAMP-003] [LIFE-017]",
    needs: ["ask", "session"],
    app: () => createAskingServer((ctx) => ctx.sample(question)),
    client: sampled({
      createMessage: () => ({ ...oslo, content: { type: "tool_use", id: "1", name: "clock", input: {} } }),
    }),
    run: async ({ client, wire }) => {
      await client.callTool("ask", {});
      assert.equal(wire.questions("sampling/createMessage").at(-1)?.result, undefined);
    },
  }),
  scenario({
    title:
      "hands a rejection by the user and a failure of the model to the server as errors [SAMP-024] [SAMP-025] [PP-065]",
    needs: ["ask", "session"],
    app: () => createAskingServer((ctx) => ctx.sample(question)),
    client: sampled({ createMessage: () => assert.fail("the model was asked"), approveRequest: () => false }),
    run: async ({ client, app, join }) => {
      await client.callTool("ask", {});
      assert.equal((app.outcomes[0] as { rpcCode: number }).rpcCode, -1);
      const broken = await join({
        ...tester,
        sampling: {
          createMessage: () => {
            throw new Error("key sk-123 is invalid");
          },
        },
      });
      await broken.client.callTool("ask", {});
      assert.equal((app.outcomes[1] as { rpcCode: number }).rpcCode, -32603);
      assert.equal(JSON.stringify(broken.wire.from("client")).includes("sk-123"), false);
    },
  }),
]);

const weather = tool(
  {
    description: "Weather of a city",
    input: z.object({ city: z.string() }),
    output: z.object({ degrees: z.number() }),
  },
  ({ city }) => ({ degrees: city === "Oslo" ? 5 : ("hot" as never) }),
);
const wants = (id: string, city: string) => ({ type: "tool_use" as const, id, name: "weather", input: { city } });

verifies("sampling with tools", [
  scenario({
    title:
      "runs the tools that the model wants, and answers all of them in one message [SAMP-014] [SAMP-015] [SAMP-018] [SAMP-019] [SAMP-022] [M-SAMP-003] [M-SAMP-004]",
    needs: ["ask"],
    since: "2025-11-25",
    app: () => createAskingServer((ctx) => runToolLoop(ctx, { ...question, tools: { weather } })),
    client: sampled({
      tools: true,
      createMessage: ({ messages }) =>
        messages.length > 1
          ? oslo
          : { role: "assistant", content: [wants("1", "Oslo"), wants("2", "Rome")], model: "m", stopReason: "toolUse" },
    }),
    run: async ({ client, wire, app }) => {
      await client.callTool("ask", {});
      const [{ rounds, result }] = app.outcomes as [{ rounds: number; result: unknown }];
      assert.equal(rounds, 2);
      assert.deepEqual(result, oslo);
      const asked = wire.questions("sampling/createMessage").map(({ params }) => params);
      const { messages } = asked[1] as unknown as CreateMessageRequestParams;
      assert.deepEqual(messages[0], question.messages[0]);
      assert.equal(messages.length, 3);
      const last = messages.at(-1);
      assert.equal(last?.role, "user");
      const [first, second, ...more] = last.content as unknown as { toolUseId: string; [key: string]: unknown }[];
      assert.deepEqual(first?.structuredContent, { degrees: 5 });
      assert.equal(second?.toolUseId, "2");
      assert.equal(second.isError, true);
      assert.equal("structuredContent" in second, false);
      assert.deepEqual(more, []);
    },
  }),
  scenario({
    title: "ends after the rounds it may have, the last one without tools [SAMP-020] [SAMP-021]",
    needs: ["ask"],
    since: "2025-11-25",
    app: () => createAskingServer((ctx) => runToolLoop(ctx, { ...question, tools: { weather }, maxRounds: 3 })),
    client: sampled({
      tools: true,
      createMessage: ({ messages }) => ({
        role: "assistant",
        content: wants(String(messages.length), "Oslo"),
        model: "m",
        stopReason: "toolUse",
      }),
    }),
    run: async ({ client, wire, app }) => {
      await client.callTool("ask", {});
      assert.equal((app.outcomes[0] as { rounds: number }).rounds, 3);
      const choices = wire.questions("sampling/createMessage").map(({ params }) => params?.toolChoice);
      assert.deepEqual(choices, [undefined, undefined, { mode: "none" }]);
    },
  }),
]);

describe("a client without sampling", () => {
  it("answers a request for it with -32601 [SAMP-002]", async () => {
    const server = new FakeServer();
    const session = await defineClient(tester).connect(server.channel);
    const { error } = await server.ask("sampling/createMessage", question as never);
    assert.equal(error?.code, -32601);
    await session.close();
  });
});

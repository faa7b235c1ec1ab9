// Tools, seen from outside: listing, calling, content of all kinds, structured results, mistakes.

import assert from "node:assert/strict";
import { audio, defineServer, embed, error, image, link, text, tool } from "parley-mcp/server";
import { z } from "zod";
import { scenario, verifies } from "./verifies.ts";

const identity = { name: "demo", version: "1.0.0" };
const add = tool(
  {
    title: "Addition",
    description: "Adds two numbers",
    input: z.object({ a: z.number(), b: z.number() }),
    output: z.object({ sum: z.number() }),
    annotations: { readOnlyHint: true },
  },
  ({ a, b }) => ({ sum: a + b }),
);

verifies("tools", [
  scenario({
    title:
      "lists each tool with its name and an object as input schema [TOOL-001] [TOOL-002] [TOOL-003] [O24-016] [O24-019] [O0326-016] [O0326-018]",
    app: () =>
      defineServer({ ...identity, tools: { add, nothing: tool({ description: "Takes nothing" }, () => "x") } }),
    run: async ({ client, wire, revision }) => {
      assert.ok(client.server.capabilities.tools);
      const [first, second, ...more] = await client.listTools().all();
      assert.equal(first?.name, "add");
      assert.equal(first.inputSchema.type, "object");
      assert.deepEqual(second?.inputSchema, { type: "object", additionalProperties: false });
      assert.deepEqual(more, []);
      const listed = wire.answerTo("client", "tools/list")?.result?.tools as { [key: string]: unknown }[];
      assert.equal("title" in (listed[0] ?? {}), revision >= "2025-06-18");
      assert.equal("outputSchema" in (listed[0] ?? {}), revision >= "2025-06-18");
      assert.equal("annotations" in (listed[0] ?? {}), revision >= "2025-03-26");
    },
  }),
  scenario({
    title:
      "gives a structured result as data and as its JSON text [TOOL-008] [TOOL-013] [TOOL-014] [O24-019] [O0618-005]",
    app: () => defineServer({ ...identity, tools: { add } }),
    run: async ({ client, wire, revision }) => {
      const result = await client.callTool("add", { a: 1, b: 2 });
      assert.deepEqual(result.content, [{ type: "text", text: '{"sum":3}' }]);
      assert.deepEqual(result.structuredContent, revision >= "2025-06-18" ? { sum: 3 } : undefined);
      assert.deepEqual(wire.onlyParams("client", "tools/call").arguments, { a: 1, b: 2 });
    },
  }),
  scenario({
    title:
      "carries content of every kind, as far as the revision has it [TOOL-009] [TOOL-010] [TOOL-011] [TOOL-012] [O24-015] [O0326-018] [O0618-013]",
    app: () =>
      defineServer({
        ...identity,
        tools: {
          everything: tool({ description: "All kinds of content" }, () => [
            text("read me", {
              annotations: { audience: ["user"], priority: 0.5, lastModified: "2025-01-12T15:00:58Z" },
            }),
            image(new Uint8Array([0, 255]), "image/png"),
            audio(new Uint8Array([1, 2, 3]), "audio/wav"),
            link({ uri: "note:///elsewhere", name: "elsewhere", title: "Elsewhere" }),
            embed({ uri: "note:///text", mimeType: "text/plain", text: "inside" }),
            embed({ uri: "note:///bytes", bytes: new Uint8Array([0, 255]) }),
          ]),
        },
      }),
    run: async ({ client, revision }) => {
      const { content } = await client.callTool("everything", {});
      const kinds = content.map(({ type }) => type);
      const sound = revision >= "2025-03-26" ? "audio" : "text";
      const pointer = revision >= "2025-06-18" ? "resource_link" : "text";
      assert.deepEqual(kinds, ["text", "image", sound, pointer, "resource", "resource"]);
      assert.deepEqual(content[1], { type: "image", data: "AP8=", mimeType: "image/png" });
      assert.deepEqual(content[5], { type: "resource", resource: { uri: "note:///bytes", blob: "AP8=" } });
    },
  }),
  scenario({
    title:
      "tells the model of wrong arguments in a failed result, without running the handler [TOOL-018] [TOOL-025] [PP-059]",
    app: () => {
      const refuse = tool({ input: z.object({ city: z.string() }) }, () => assert.fail("the handler ran"));
      return defineServer({ ...identity, tools: { weather: refuse } });
    },
    run: async ({ client }) => {
      for (const args of [{ city: 5 }, {}, { city: "Oslo", cty: "Oslo" }]) {
        const result = await client.callTool("weather", args);
        assert.equal(result.isError, true);
        assert.match(JSON.stringify(result.content), /city/);
      }
    },
  }),
  scenario({
    title: "refuses an unknown tool by an error that names the nearest one [TOOL-019] [TOOL-020] [PP-065]",
    app: () => defineServer({ ...identity, tools: { add } }),
    run: async ({ client, wire }) => {
      await assert.rejects(client.callTool("addd", {}), {
        code: "MCP_INVALID_PARAMS",
        rpcCode: -32602,
        remote: true,
        message: /"add"/,
      });
      const { error } = wire.answerTo("client", "tools/call") ?? {};
      assert.equal(error?.code, -32602);
    },
  }),
  scenario({
    title: "gives what a tool throws to the model, with the message alone [TOOL-017] [PP-065]",
    app: () =>
      defineServer({
        ...identity,
        tools: {
          fails: tool({ description: "Throws" }, () => {
            throw new Error("disk is full");
          }),
          refuses: tool({ description: "Returns an error" }, () => error("not today")),
        },
      }),
    run: async ({ client }) => {
      const failed = await client.callTool("fails", {});
      assert.deepEqual([failed.content, failed.isError], [[{ type: "text", text: "disk is full" }], true]);
      const refused = await client.callTool("refuses", {});
      assert.deepEqual([refused.content, refused.isError], [[{ type: "text", text: "not today" }], true]);
    },
  }),
  scenario({
    title: "never sends a result that breaks the tool's own output schema [TOOL-015]",
    app: () => {
      const wrong = tool({ output: z.object({ sum: z.number() }) }, () => ({ sum: "3" }) as never);
      return defineServer({ ...identity, tools: { wrong } });
    },
    run: async ({ client, wire }) => {
      const result = await client.callTool("wrong", {});
      assert.equal(result.isError, true);
      assert.equal(wire.answerTo("client", "tools/call")?.result?.structuredContent, undefined);
    },
  }),
  scenario({
    title: "has no tools/list without tools [TOOL-001] [BASE-016]",
    app: () => defineServer(identity),
    run: async ({ client, wire }) => {
      assert.equal(client.server.capabilities.tools, undefined);
      await assert.rejects(async () => client.listTools().all(), { code: "MCP_MISSING_CAPABILITY" });
      assert.deepEqual(wire.sent("client", "tools/list"), []);
    },
  }),
]);

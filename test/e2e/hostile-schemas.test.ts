// Schemas that would fetch something or cost too much, on both sides: refused with words, and everything else goes on.

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import type { JsonObject } from "parley-mcp";
import { connect } from "parley-mcp/connect";
import { defineServer, tool } from "parley-mcp/server";
import { discovery, StatelessServer } from "../fixtures/stateless-server.ts";

const canary = "https://canary.example/schema.json";
const identity = { name: "demo", version: "1.0.0" };

type Input = { type: "object" } & JsonObject;
const referring: Input = { type: "object", properties: { a: { $ref: canary } } };

/** A chain of choices each of which doubles the work. */
const doubling = (levels: number): JsonObject => {
  const links = Array.from({ length: levels }, (_, level) => {
    const below = { $ref: `#/$defs/l${level}` };
    return [`l${level + 1}`, { anyOf: [below, below] }] as const;
  });
  return { l0: { const: "never" }, ...Object.fromEntries(links) };
};
const exponential: Input = {
  type: "object",
  properties: { a: { $ref: "#/$defs/l40" } },
  $defs: doubling(40),
};
const deep: Input = {
  type: "object",
  properties: { a: Array.from({ length: 5_000 }).reduce<JsonObject>((inner) => ({ not: inner }), {}) },
};

/** Fails for any request over the network, also of the runtime's own `fetch`. */
function watchNetwork(context: TestContext): string[] {
  const hits: string[] = [];
  context.mock.method(globalThis, "fetch", (url: unknown) => {
    hits.push(String(url));
    return Promise.reject(new TypeError("no network here"));
  });
  return hits;
}

describe("schemas of a server's own tools", () => {
  it("that refer to elsewhere are refused at once, and nothing is fetched [M-JSCH-001] [M-JSCH-002] [M-JSCH-003]", (context) => {
    const hits = watchNetwork(context);
    const define = (input: Input) => defineServer({ ...identity, tools: { a: tool({ input }, () => "a") } });
    assert.throws(() => define(referring), { code: "MCP_USAGE", message: /canary\.example/ });
    assert.deepEqual(hits, []);
  });

  it("that are nested too deeply are refused at once, and costly ones end in an error [M-JSCH-004]", async () => {
    assert.throws(() => defineServer({ ...identity, tools: { a: tool({ input: deep }, () => "a") } }), {
      code: "MCP_USAGE",
    });
    const tools = { a: tool({ input: exponential }, () => "a"), b: tool({}, () => "b") };
    const client = await connect(defineServer({ ...identity, tools }));
    const result = await client.callTool("a", { a: "x" } as never);
    assert.equal(result.isError, true);
    assert.equal((await client.callTool("b", {})).isError, undefined);
    await client.close();
  });
});

describe("schemas of a foreign server's tools", () => {
  it("that refer to elsewhere or cost too much are told of, fetch nothing and harm no other tool [M-JSCH-001] [M-JSCH-002] [M-JSCH-004]", async (context) => {
    const hits = watchNetwork(context);
    const inputSchema = { type: "object" };
    const server = new StatelessServer({
      capabilities: { tools: {} },
      answers: {
        "tools/list": () => ({
          ...discovery(),
          tools: [
            { name: "refers", inputSchema: referring, outputSchema: referring },
            { name: "costs", inputSchema, outputSchema: exponential },
            { name: "nests", inputSchema, outputSchema: deep },
            { name: "fine", inputSchema, outputSchema: { type: "object" } },
          ],
        }),
        "tools/call": () => ({ ...discovery(), content: [], structuredContent: { a: "x" } }),
      },
    });
    const told: string[] = [];
    const onDiagnostic = ({ code }: { code: string }) => void told.push(code);
    const client = await connect(server.channel, { client: { name: "tester", version: "1.0.0", onDiagnostic } });
    const tools = await client.listTools().all();
    assert.equal(tools.length, 4);
    assert.deepEqual(tools[0]?.inputSchema, referring);
    await assert.rejects(client.callTool("costs", { a: "x" }), { code: "MCP_PEER" });
    await client.callTool("refers", { a: "x" });
    await client.callTool("nests", {});
    assert.deepEqual(told, ["MCP_D_OUTPUT_UNVALIDATED", "MCP_D_OUTPUT_UNVALIDATED"]);
    assert.deepEqual((await client.callTool("fine", {})).structuredContent, { a: "x" });
    assert.deepEqual(hits, []);
    await client.close();
  });
});

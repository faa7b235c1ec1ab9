import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RawClient } from "../../test/fixtures/raw-client.ts";
import { identity } from "../../test/fixtures/server-calls.ts";
import { ableClient, callInRounds, type Question } from "../../test/fixtures/stateless.ts";
import type { Diagnostic } from "../base/diagnostic.ts";
import { defineServer } from "./define.ts";
import { tool } from "./features/tool.ts";

const sampled = { role: "assistant", content: { type: "text", text: "hi" }, model: "m" };
const answer = ({ method }: Question): unknown => (method === "roots/list" ? { roots: [] } : sampled);

/** A server whose tool uses all that is deprecated, and what it advises. */
function create() {
  const advice: Diagnostic[] = [];
  const faults: Diagnostic[] = [];
  const old = tool({ annotations: { readOnlyHint: true } }, async (_args, ctx) => {
    ctx.log.info("asking");
    const roots = await ctx.roots();
    const { model } = await ctx.sample({ messages: [], maxTokens: 1, includeContext: "thisServer" });
    await ctx.ask("sampling/createMessage", { messages: [], maxTokens: 2, includeContext: "none" });
    return `${roots.length} ${model}`;
  });
  const app = defineServer({
    ...identity,
    requestState: { keys: ["a passphrase of many words"] },
    onAdvice: (diagnostic) => advice.push(diagnostic),
    onDiagnostic: (diagnostic) => faults.push(diagnostic),
    tools: { old },
  });
  return { app, advice, faults };
}

describe("Deprecations", () => {
  it("advises once for each feature, where the revision has it deprecated, and it works all the same [M-DEP-001] [M-DEP-002]", async () => {
    const { app, advice, faults } = create();
    for (let time = 0; time < 2; time += 1) {
      const { response } = await callInRounds([app], "tools/call", { name: "old" }, answer);
      assert.match(JSON.stringify(response), /"0 m"/);
    }
    assert.deepEqual(
      advice.map(({ code, message }) => [code, message.split(" ")[0]]),
      ["ctx.log", "ctx.roots", "ctx.sample", "includeContext"].map((feature) => ["MCP_D_DEPRECATED", feature]),
    );
    assert.equal(
      advice.every(({ message }) => message.includes("; where you can, ")),
      true,
    );
    assert.deepEqual(faults, []);
  });

  it("says nothing where clients speak an older revision", async () => {
    const { app, advice } = create();
    const client = await RawClient.connect(app, {
      capabilities: ableClient,
      answers: { "roots/list": () => ({ roots: [] }), "sampling/createMessage": () => sampled },
    });
    assert.match(JSON.stringify((await client.call("old")).result), /"0 m"/);
    assert.deepEqual(advice, []);
  });
});

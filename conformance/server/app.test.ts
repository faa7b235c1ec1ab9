import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { defineClient } from "parley-mcp/client";
import { createMemoryPair } from "parley-mcp/memory";
import { plans } from "../harness/plan.ts";
import { app } from "./app.ts";
import { roundTools } from "./round-tools.ts";

const client = defineClient({
  name: "answers-everything",
  version: "1.0.0",
  elicitation: {
    form: ({ schema }) => {
      const values = { name: "Ada", color: "blue", ok: true, context: "tests" };
      const asked = Object.entries(values).filter(([field]) => field in schema.properties);
      return { action: "accept", content: Object.fromEntries(asked) };
    },
  },
  sampling: { createMessage: () => ({ role: "assistant", content: { type: "text", text: "Hi" }, model: "fixed" }) },
  roots: [{ uri: "file:///a" }],
});

/** What the tools that ask give to a client of one revision. */
async function askAll(revision: string): Promise<unknown> {
  const [clientEnd, serverEnd] = createMemoryPair();
  const handle = app.serve(serverEnd);
  try {
    await using session = await client.connect(clientEnd, { revision });
    assert.equal(session.server.revision, revision);
    const results: unknown[] = [];
    for (const name of Object.keys(roundTools)) {
      const { content, isError = false } = await session.callTool(name);
      results.push({ name, content, isError });
    }
    const { messages } = await session.getPrompt("test_input_required_result_prompt");
    return [...results, messages];
  } finally {
    await handle.close();
  }
}

describe("app", () => {
  it("gives the same to clients of every planned revision that answer its questions [M-MRTR-030]", async () => {
    const [first, ...others] = await Promise.all(plans.map(({ revision }) => askAll(revision)));
    assert.match(
      JSON.stringify(first),
      /Hello, Ada!.*state-ok, accept.*Hi Ada, with 1 folders.*blue.*2 answers.*tests/,
    );
    assert.ok(others.length > 0);
    for (const other of others) {
      assert.deepEqual(other, first);
    }
  });
});

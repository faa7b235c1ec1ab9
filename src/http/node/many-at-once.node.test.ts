import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { RawClient } from "../../../test/fixtures/raw-client.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { connect } from "../../connect/connect.node.ts";
import { defineServer } from "../../server/define.ts";
import { tool } from "../../server/features/tool.ts";
import type { Context } from "../../server/requests/context.ts";
import { type HttpListener, listen } from "./handler.node.ts";

const form = { mode: "form", message: "Go on?", requestedSchema: { type: "object", properties: {} } };
const answer = { action: "decline" } as const;

/** Asks in the course of the call, listens to its signal, and asks in the session besides. */
async function ask(_args: unknown, ctx: Context): Promise<string> {
  ctx.signal.addEventListener("abort", () => undefined, { once: true });
  ctx.progress(1);
  ctx.log.info("asking");
  await ctx.session?.request("elicitation/create", form);
  return (await ctx.elicit("Sure?", { type: "object", properties: {} })).action;
}

const app = defineServer({ name: "busy", version: "1.0.0", tools: { ask: tool({}, ask) } });
const listeners: HttpListener[] = [];
after(() => Promise.all(listeners.map((listener) => listener.close())));

/** Warnings of the process while something is done. */
async function warningsOf(work: () => Promise<void>): Promise<string[]> {
  const warnings: string[] = [];
  const note = (warning: Error): unknown => warnings.push(warning.message);
  process.on("warning", note);
  try {
    await work();
    await turn();
    return warnings;
  } finally {
    process.off("warning", note);
  }
}

describe("fifty calls at once in one session", () => {
  it("leave no warning of listeners that pile up, on a pipe", async () => {
    const client = await RawClient.connect(app, {
      capabilities: { elicitation: {} },
      answers: { "elicitation/create": () => turn().then(() => answer) },
    });
    const warnings = await warningsOf(async () => {
      const responses = await Promise.all(Array.from({ length: 50 }, () => client.call("ask")));
      assert.equal(responses.filter(({ result }) => JSON.stringify(result).includes("decline")).length, 50);
    });
    assert.deepEqual(warnings, []);
    await client.close();
  });

  it("leave none over HTTP, where they share one signal too", async () => {
    const listener = await listen(app);
    listeners.push(listener);
    const { signal } = new AbortController();
    const elicitation = { form: () => turn().then(() => answer), rateLimit: { maxRequests: 1_000, perMs: 1 } };
    const session = await connect(listener.url, {
      client: { name: "busy", version: "1.0.0", elicitation },
      revision: "2025-11-25",
    });
    const warnings = await warningsOf(async () => {
      const results = await Promise.all(Array.from({ length: 50 }, () => session.callTool("ask", {}, { signal })));
      assert.equal(
        results.filter((result) => JSON.stringify(result).includes("decline")).length,
        50,
        JSON.stringify(results[0]),
      );
    });
    assert.deepEqual(warnings, []);
    await session.close();
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { identity } from "../../../test/fixtures/server-calls.ts";
import { ableClient, callInRounds, type Question } from "../../../test/fixtures/stateless.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { defineServer } from "../define.ts";
import { prompt } from "../features/prompt.ts";
import { resource } from "../features/resource.ts";
import { tool } from "../features/tool.ts";
import type { Context } from "../requests/context.ts";

const form = z.object({ name: z.string() });
const answer = ({ params }: Question): unknown => ({ action: "accept", content: { name: String(params?.message) } });
const nameOf = async (ctx: Context, question: string, seen: string[] = []): Promise<string> => {
  try {
    const said = await ctx.elicit(question, form);
    return said.action === "accept" ? said.content.name : said.action;
  } finally {
    seen.push(question);
  }
};

/** Runs a handler to its result, and gives what it answers with everything that was reported or left unhandled. */
async function run(handler: (ctx: Context) => unknown) {
  const faults: unknown[] = [];
  const note = (fault: unknown): unknown => faults.push(fault);
  const onDiagnostic = (diagnostic: Diagnostic): unknown =>
    diagnostic.code === "MCP_D_STATE_KEY" ? undefined : faults.push(diagnostic);
  const app = defineServer({
    ...identity,
    onDiagnostic,
    onError: note,
    tools: { t: tool({}, (_args, ctx) => handler(ctx)) as never },
  });
  process.on("unhandledRejection", note);
  try {
    const { response, rounds } = await callInRounds([app], "tools/call", { name: "t" }, answer, {
      capabilities: ableClient,
    });
    for (let passed = 0; passed < 5; passed += 1) {
      await new Promise((resolve) => setTimeout(resolve, 0));
      await turn();
    }
    const { result } = response as { result?: { content?: { text: string }[] } };
    return { text: result?.content?.[0]?.text, rounds: rounds.length, faults };
  } finally {
    process.off("unhandledRejection", note);
  }
}

describe("the end of a run whose questions go to the client", () => {
  it("leaves nothing unhandled of branches that run together [PP-112]", async () => {
    const branches = (ctx: Context) => [nameOf(ctx, "A"), nameOf(ctx, "B"), nameOf(ctx, "C")];
    const joined = await run(async (ctx) => (await Promise.all(branches(ctx))).join());
    assert.deepEqual(joined, { text: "A,B,C", rounds: 1, faults: [] });
    const settled = await run(async (ctx) => (await Promise.allSettled(branches(ctx))).length);
    assert.deepEqual(settled, { text: "3", rounds: 1, faults: [] });
    const raced = await run(async (ctx) => Promise.any(branches(ctx)));
    assert.deepEqual(raced, { text: "A", rounds: 1, faults: [] });
  });

  it("leaves nothing unhandled of a branch that is waited for later, or never [PP-112]", async () => {
    const later = await run(async (ctx) => {
      const first = nameOf(ctx, "A");
      const second = await nameOf(ctx, "B");
      return `${second},${await first}`;
    });
    assert.deepEqual(later, { text: "B,A", rounds: 1, faults: [] });
    const never = await run(async (ctx) => {
      void nameOf(ctx, "A");
      void ctx.elicit("B", form).then(() => "unused");
      void ctx.once("C", () => nameOf(ctx, "D"));
      return nameOf(ctx, "E");
    });
    assert.deepEqual(never, { text: "E", rounds: 1, faults: [] });
    const forgotten = await run((ctx) => {
      void nameOf(ctx, "A");
      return "done";
    });
    assert.deepEqual(forgotten, { text: "done", rounds: 1, faults: [] });
  });

  it("is no fault, whatever the handler makes of it [PP-112]", async () => {
    const wrapped = await run(async (ctx) => {
      try {
        return await nameOf(ctx, "A");
      } catch (cause) {
        throw new Error("could not ask", { cause });
      }
    });
    assert.deepEqual(wrapped, { text: "A", rounds: 1, faults: [] });
    const swallowed = await run((ctx) => nameOf(ctx, "A").catch(() => "nobody"));
    assert.deepEqual(swallowed, { text: "A", rounds: 1, faults: [] });
  });

  it("runs what the handler has to put in order, in every branch it still waits for", async () => {
    const seen: string[] = [];
    await run(async (ctx) => nameOf(ctx, "alone", seen));
    assert.deepEqual(seen, ["alone", "alone"]);
    seen.length = 0;
    await run((ctx) => Promise.allSettled([nameOf(ctx, "A", seen), nameOf(ctx, "B", seen)]));
    assert.deepEqual(seen.sort(), ["A", "A", "B", "B"]);
  });

  it("is no fault in prompts and resources either [PP-112]", async () => {
    const faults: unknown[] = [];
    const ask = async (ctx: Context): Promise<string> => {
      const branch = nameOf(ctx, "A");
      return `${await nameOf(ctx, "B").catch((cause) => Promise.reject(new Error("wrapped", { cause })))}${await branch}`;
    };
    const app = defineServer({
      ...identity,
      onError: (error) => faults.push(error),
      prompts: { p: prompt({}, (_args, ctx) => ask(ctx)) },
      resources: { r: resource({ uri: "x:///r" }, (_uri, ctx) => ask(ctx)) },
    });
    for (const [method, params] of [
      ["prompts/get", { name: "p" }],
      ["resources/read", { uri: "x:///r" }],
    ] as const) {
      const { response } = await callInRounds([app], method, params, answer);
      assert.match(JSON.stringify(response), /"BA"/);
    }
    assert.deepEqual(faults, []);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { RawClient } from "../../../test/fixtures/raw-client.ts";
import { identity } from "../../../test/fixtures/server-calls.ts";
import { ableClient, callInRounds, type Question } from "../../../test/fixtures/stateless.ts";
import { questionKey } from "../asking/question-key.ts";
import { defineServer } from "../define.ts";
import { tool } from "../features/tool.ts";
import type { Server } from "../server.ts";
import type { Context } from "./context.ts";

/** One step of a made-up handler. */
type Step =
  | { readonly kind: "elicit" | "sample"; readonly text: string }
  | { readonly kind: "roots" }
  | { readonly kind: "once"; readonly key: string }
  | { readonly kind: "wait" }
  | { readonly kind: "untilAccepted"; readonly text: string }
  | { readonly kind: "parallel" | "loop"; readonly steps: readonly Step[] };

/** A small generator of numbers, the same for the same seed. */
function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

function createSteps(random: (below: number) => number, depth = 0): Step[] {
  return Array.from({ length: 1 + random(3) }, (): Step => {
    const text = `question ${random(4)}`;
    switch (random(depth < 2 ? 8 : 5)) {
      case 0:
        return { kind: "elicit", text };
      case 1:
        return { kind: "sample", text };
      case 2:
        return { kind: "roots" };
      case 3:
        return { kind: "once", key: `key ${random(6)}` };
      case 4:
        return { kind: "wait" };
      case 5:
        return { kind: "untilAccepted", text };
      case 6:
        return { kind: "parallel", steps: createSteps(random, depth + 1) };
      default:
        return { kind: "loop", steps: createSteps(random, depth + 1) };
    }
  });
}

const form = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const;

async function run(step: Step, ctx: Context, worked: string[]): Promise<unknown> {
  switch (step.kind) {
    case "elicit":
      return ctx.elicit(step.text, form);
    case "sample":
      return (await ctx.sample({ messages: [], maxTokens: 1, systemPrompt: step.text })).model;
    case "roots":
      return (await ctx.roots()).map(({ uri }) => uri);
    case "once":
      return ctx.once(step.key, () => {
        worked.push(step.key);
        return `done ${step.key}`;
      });
    case "wait":
      return new Promise(setImmediate);
    case "untilAccepted": {
      for (let attempt = 0; attempt < 3; attempt += 1) {
        const answer = await ctx.elicit(`${step.text}, ${attempt}`, form);
        if (answer.action === "accept") {
          return answer.content.n;
        }
      }
      return "gave up";
    }
    case "parallel":
      return Promise.all(step.steps.map((inner) => run(inner, ctx, worked)));
    case "loop":
      return runAll(step.steps, ctx, worked);
  }
}

async function runAll(steps: readonly Step[], ctx: Context, worked: string[]): Promise<unknown[]> {
  const results: unknown[] = [];
  for (const step of steps) {
    results.push((await run(step, ctx, worked)) ?? null);
  }
  return results;
}

function serverOf(steps: readonly Step[], worked: string[]): Server {
  const requestState = { keys: ["a passphrase of many words"], maxRounds: 100 };
  return defineServer({
    ...identity,
    requestState,
    tools: { t: tool({}, async (_args, ctx) => JSON.stringify(await runAll(steps, ctx, worked))) },
  });
}

/** Answers that depend on the question alone. */
function answer({ method, params = {} }: Question): unknown {
  const { _meta: _, ...words } = params;
  const digest = Number.parseInt(questionKey({ method, params: words }).slice(-2), 16);
  switch (method) {
    case "roots/list":
      return { roots: [{ uri: "file:///work" }] };
    case "sampling/createMessage":
      return { role: "assistant", content: { type: "text", text: "" }, model: `model ${digest}` };
    default:
      return digest % 3 === 0 ? { action: "decline" } : { action: "accept", content: { n: digest } };
  }
}

async function callInline(app: Server): Promise<unknown> {
  const ask = (method: string) => (params: { [key: string]: unknown }) => answer({ method, params });
  const methods = ["roots/list", "sampling/createMessage", "elicitation/create"];
  const client = await RawClient.connect(app, {
    capabilities: ableClient,
    answers: Object.fromEntries(methods.map((method) => [method, ask(method)])),
  });
  const { result } = await client.call("t");
  await client.close();
  return result?.content;
}

describe("one handler in both worlds", () => {
  it("has the same outcome inline and by rounds, on one process and on several [PP-112] [M-MRTR-007] [M-MRTR-030]", async () => {
    let longest = 0;
    for (let seed = 1; seed <= 60; seed += 1) {
      const steps = createSteps(createRandom(seed));
      const what = `seed ${seed}: ${JSON.stringify(steps)}`;
      const [inlineWork, oneWork, manyWork]: [string[], string[], string[]] = [[], [], []];
      const inline = await callInline(serverOf(steps, inlineWork));
      const one = await callInRounds([serverOf(steps, oneWork)], "tools/call", { name: "t" }, answer);
      const many = [serverOf(steps, manyWork), serverOf(steps, manyWork), serverOf(steps, manyWork)] as const;
      const spread = await callInRounds([...many], "tools/call", { name: "t" }, answer);
      for (const { response } of [one, spread]) {
        assert.deepEqual("result" in response ? response.result.content : response, inline, what);
      }
      longest = Math.max(longest, spread.rounds.length);
      for (const work of [inlineWork, oneWork, manyWork]) {
        assert.deepEqual(work.toSorted(), [...new Set(work)].toSorted(), `once is once, ${what}`);
      }
      assert.deepEqual(oneWork.toSorted(), inlineWork.toSorted(), what);
      assert.deepEqual(manyWork.toSorted(), inlineWork.toSorted(), what);
    }
    assert.ok(longest > 3, "the walk must have met long calls");
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { z } from "zod";
import { RawClient } from "../../../test/fixtures/raw-client.ts";
import { identity } from "../../../test/fixtures/server-calls.ts";
import { checkParams } from "../../protocol/params.ts";
import { checkSamplingBalance } from "../../protocol/sampling-balance.ts";
import type { CreateMessageRequestParams } from "../../protocol/types/sampling.ts";
import { defineServer } from "../define.ts";
import { tool } from "../features/tool.ts";
import { runToolLoop, type ToolLoopResult } from "./tool-loop.ts";

type Request = CreateMessageRequestParams;

const double = tool({ input: z.object({ n: z.number() }), output: z.object({ n: z.number() }) }, ({ n }) => ({
  n: n * 2,
}));
const wrong = tool({ output: z.object({ n: z.number() }) }, () => ({ n: "x" }) as never);

async function loop(
  model: (round: number, request: Request) => object,
  maxRounds?: number,
  capabilities: object = { sampling: { tools: {} } },
): Promise<{ outcome: ToolLoopResult | undefined; requests: Request[]; failure: string }> {
  let outcome: ToolLoopResult | undefined;
  const requests: Request[] = [];
  const app = defineServer({
    ...identity,
    tools: {
      run: tool({}, async (_args, ctx) => {
        outcome = await runToolLoop(ctx, {
          messages: [{ role: "user", content: { type: "text", text: "go" } }],
          maxTokens: 100,
          tools: { double, wrong },
          ...(maxRounds === undefined ? {} : { maxRounds }),
        });
        return "";
      }),
    },
  });
  const client = await RawClient.connect(app, {
    capabilities: capabilities as never,
    answers: {
      "sampling/createMessage": (params) => {
        const request = params as unknown as Request;
        assert.equal(checkParams("sampling/createMessage", request), undefined);
        assert.equal(checkSamplingBalance(request.messages), undefined);
        requests.push(request);
        return { role: "assistant", model: "m", ...model(requests.length, request) };
      },
    },
  });
  const { result } = await client.call("run");
  return { outcome, requests, failure: result?.isError === true ? JSON.stringify(result.content) : "" };
}

const use = (id: string, name: string, input: object = {}): object => ({
  type: "tool_use",
  id,
  name,
  input,
  _meta: { "com.example/id": id },
});
const done = { content: { type: "text", text: "done" }, stopReason: "endTurn" };

describe("runToolLoop", () => {
  it("runs what the model asks for, all uses of a round together, and gives its last word [SAMP-019] [SAMP-023]", async () => {
    const { outcome, requests } = await loop((round) =>
      round === 1
        ? { content: [use("a", "double", { n: 1 }), use("b", "double", { n: 2 })], stopReason: "toolUse" }
        : done,
    );
    assert.deepEqual(outcome?.result.content, done.content);
    assert.equal(outcome?.rounds, 2);
    assert.equal(outcome?.messages.length, 4);
    const [, asked, answered] = requests[1]?.messages ?? [];
    assert.deepEqual(asked?.content, [use("a", "double", { n: 1 }), use("b", "double", { n: 2 })]);
    assert.deepEqual(answered, {
      role: "user",
      content: [
        {
          type: "tool_result",
          toolUseId: "a",
          content: [{ type: "text", text: '{"n":2}' }],
          structuredContent: { n: 2 },
        },
        {
          type: "tool_result",
          toolUseId: "b",
          content: [{ type: "text", text: '{"n":4}' }],
          structuredContent: { n: 4 },
        },
      ],
    });
    assert.deepEqual(
      requests[0]?.tools?.map(({ name }) => name),
      ["double", "wrong"],
    );
    assert.equal(requests[0]?.toolChoice, undefined);
  });

  it("stops at the limit and forbids tools in the last round [SAMP-020] [SAMP-021]", async () => {
    const { outcome, requests } = await loop((round) => ({ content: [use(`u${round}`, "double", { n: 1 })] }), 3);
    assert.equal(requests.length, 3);
    assert.deepEqual(
      requests.map(({ toolChoice }) => toolChoice),
      [undefined, undefined, { mode: "none" }],
    );
    assert.equal(outcome?.rounds, 3);
    const defaulted = await loop((round) => ({ content: [use(`u${round}`, "double", { n: 1 })] }));
    assert.equal(defaulted.requests.length, 10);
  });

  it("tells the model of unknown tools, wrong arguments and results that do not fit [SAMP-015] [SAMP-022]", async () => {
    const { requests } = await loop((round) =>
      round === 1 ? { content: [use("a", "none"), use("b", "double", { n: "x" }), use("c", "wrong")] } : done,
    );
    const results = requests[1]?.messages[2]?.content as { isError: boolean; structuredContent?: unknown }[];
    assert.deepEqual(
      results.map(({ isError }) => isError),
      [true, true, true],
    );
    assert.equal(results[2]?.structuredContent, undefined);
  });

  it("asks no client without sampling with tools, and refuses a limit that is none [SAMP-003]", async () => {
    const { failure, requests } = await loop(() => done, undefined, { sampling: {} });
    assert.match(failure, /sampling\.tools/);
    assert.deepEqual(requests, []);
    assert.match((await loop(() => done, 0)).failure, /maxRounds/);
  });
});

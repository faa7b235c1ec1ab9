import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { able, answerAll, app, first, name, textOf } from "../../../test/fixtures/asking-tool.ts";
import { identity } from "../../../test/fixtures/server-calls.ts";
import { callInRounds, sendAlone } from "../../../test/fixtures/stateless.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { createDeferred } from "../../base/deferred.ts";
import { isMcpError } from "../../base/error.ts";
import { checkResult } from "../../protocol/results.ts";
import { defineServer } from "../define.ts";
import { prompt } from "../features/prompt.ts";
import { resource } from "../features/resource.ts";
import type { Context } from "../requests/context.ts";

describe("asking by rounds", () => {
  it("asks in the result and never by a request [M-BASE-001] [M-MRTR-001] [M-MRTR-003] [M-MRTR-030]", async () => {
    const server = app(async (ctx) => {
      const [who, message, roots] = await Promise.all([
        ctx.elicit("Who?", name),
        ctx.sample({ messages: [], maxTokens: 5 }),
        ctx.roots(),
      ]);
      return [who.action, message.model, roots[0]?.uri].join();
    });
    const asking = await first(server);
    assert.equal(checkResult("tools/call", asking), undefined);
    const questions = Object.values(asking.inputRequests);
    assert.deepEqual(questions.map((question) => question.method).sort(), [
      "elicitation/create",
      "roots/list",
      "sampling/createMessage",
    ]);
    assert.ok(questions.every((question) => !("id" in question) && !("jsonrpc" in question)));
    const { response, rounds } = await callInRounds([server], "tools/call", { name: "t" }, answerAll);
    assert.equal(rounds.length, 1, "questions asked in parallel are one round");
    assert.equal(textOf(response), "accept,m,file:///a");
  });

  it("asks on prompts and resources, and on nothing else [M-MRTR-002] [M-PROMPT-001] [M-CACHE-002]", async () => {
    const faults: unknown[] = [];
    const ask = async (ctx: Context): Promise<string> => {
      const answer = await ctx.elicit("Who?", name);
      return answer.action === "accept" ? answer.content.name : answer.action;
    };
    const server = defineServer({
      ...identity,
      onError: (error) => faults.push(error),
      cache: { "resources/read": { ttlMs: 5 } },
      prompts: { p: prompt({}, (_args, ctx) => ask(ctx)) },
      resources: { r: resource({ uri: "x:///r" }, (_uri, ctx) => ask(ctx)) },
      methods: { "acme/ask": async (_params, ctx) => ({ answer: await ask(ctx) }) },
    });
    const got = await callInRounds([server], "prompts/get", { name: "p" }, answerAll);
    assert.equal(got.rounds.length, 1);
    assert.match(JSON.stringify(got.response), /Ada/);
    const read = await callInRounds([server], "resources/read", { uri: "x:///r" }, answerAll);
    assert.equal(read.rounds.length, 1);
    assert.ok(read.rounds.every((asking) => !("ttlMs" in asking) && !("cacheScope" in asking)));
    assert.match(JSON.stringify(read.response), /Ada/);
    const custom = await sendAlone(server, "acme/ask", {}, able);
    assert.equal("error" in custom && custom.error.code, -32603);
    assert.match(String(faults[0]), /tools\/call, prompts\/get, resources\/read/);
  });

  it("does what came before a question once [PP-112]", async () => {
    const done: string[] = [];
    const server = app(async (ctx) => {
      const id = await ctx.once("reserve", () => {
        done.push("reserve");
        return `seat ${done.length}`;
      });
      await ctx.once("note", () => void done.push("note"));
      const answer = await ctx.elicit(`Book ${id}?`, name);
      await ctx.once("book", () => void done.push("book"));
      const again = await ctx.elicit("A receipt?", name);
      return [id, answer.action, again.action].join();
    });
    const { response, rounds } = await callInRounds([server], "tools/call", { name: "t" }, answerAll);
    assert.equal(textOf(response), "seat 1,accept,accept");
    assert.equal(rounds.length, 2);
    assert.deepEqual(done, ["reserve", "note", "book"]);
  });

  it("finishes work that runs besides a question before it asks [PP-112]", async () => {
    let runs = 0;
    const release = createDeferred();
    const server = app(async (ctx) => {
      const [, count] = await Promise.all([
        ctx.elicit("Who?", name),
        ctx.once("slow", async () => {
          await release.promise;
          runs += 1;
          return runs;
        }),
      ]);
      return String(count);
    });
    setImmediate(release.resolve);
    const { response } = await callInRounds([server], "tools/call", { name: "t" }, answerAll);
    assert.equal(textOf(response), "1");
    assert.equal(runs, 1);
  });

  it("ignores what a handler makes of the interruption, and tells what goes on besides to stop [PP-112]", async () => {
    const faults: unknown[] = [];
    const stopped = createDeferred<unknown>();
    const server = app(
      async (ctx) => {
        ctx.signal.addEventListener("abort", () => stopped.resolve(ctx.signal.reason));
        try {
          return (await ctx.elicit("Who?", name)).action;
        } catch (error) {
          assert.ok(isMcpError(error) && error.code === "MCP_SUSPENDED");
          await assert.rejects(ctx.once("x", () => assert.fail("work began after the end of the run")));
          await assert.rejects(ctx.elicit("Another?", name));
          throw new Error("wrapped", { cause: error });
        }
      },
      { onError: (error) => faults.push(error) },
    );
    const asking = await first(server);
    assert.equal(Object.keys(asking.inputRequests).length, 1);
    assert.match(String(await stopped.promise), /is being asked/);
    assert.deepEqual(faults, []);
  });

  it("leaves no rejection unhandled where a question is awaited later [PP-112]", async () => {
    const unhandled: unknown[] = [];
    const note = (reason: unknown): unknown => unhandled.push(reason);
    process.on("unhandledRejection", note);
    try {
      const server = app(async (ctx) => {
        const later = ctx.elicit("Who?", name);
        const now = await ctx.sample({ messages: [], maxTokens: 5 });
        return `${now.model} ${(await later).action}`;
      });
      const { response, rounds } = await callInRounds([server], "tools/call", { name: "t" }, answerAll);
      assert.equal(rounds.length, 1);
      assert.equal(textOf(response), "m accept");
      await turn();
      assert.deepEqual(unhandled, []);
    } finally {
      process.off("unhandledRejection", note);
    }
  });
});

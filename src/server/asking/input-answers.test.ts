import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { able, answerAll, app, first, name, textOf } from "../../../test/fixtures/asking-tool.ts";
import { caller } from "../../../test/fixtures/exchange.ts";
import { askedIn, callInRounds, sendAlone } from "../../../test/fixtures/stateless.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import type { Diagnostic } from "../../base/diagnostic.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { MissingCapabilityError, UrlElicitationRequiredError } from "../../protocol/errors.ts";
import type { Context } from "../requests/context.ts";

describe("answers of rounds", () => {
  it("asks only for what this very request declared, and lets a handler do without [M-MRTR-004] [M-BASE-008]", async () => {
    const server = app(async (ctx) => {
      try {
        return (await ctx.elicit("Who?", name)).action;
      } catch (error) {
        if (error instanceof MissingCapabilityError) {
          return "degraded";
        }
        throw error;
      }
    });
    await first(server);
    const without = await sendAlone(server, "tools/call", { name: "t" }, { capabilities: { sampling: {} } });
    assert.equal(textOf(without), "degraded");
  });

  it("names what the client lacks as an error of the protocol [M-ERR-008] [M-MRTR-004]", async () => {
    const handlers: [(ctx: Context) => unknown, JsonObject, JsonObject][] = [
      [(ctx) => ctx.sample({ messages: [], maxTokens: 1 }), {}, { sampling: {} }],
      [(ctx) => ctx.sample({ messages: [], maxTokens: 1, tools: [] }), { sampling: {} }, { sampling: { tools: {} } }],
      [
        (ctx) => ctx.elicitUrl({ message: "Go", url: "https://a.example/" }),
        { elicitation: {} },
        { elicitation: { url: {} } },
      ],
      [
        () => {
          throw new MissingCapabilityError("extensions.com.example/x", "needs it");
        },
        {},
        { extensions: { "com.example/x": {} } },
      ],
    ];
    for (const [handler, capabilities, requiredCapabilities] of handlers) {
      const response = await sendAlone(app(handler), "tools/call", { name: "t" }, { capabilities });
      assert.ok("error" in response, JSON.stringify(response));
      assert.equal(response.error.code, -32021);
      assert.deepEqual(response.error.data, { requiredCapabilities });
    }
  });

  it("refuses malformed answers, also those that only the form refuses [M-MRTR-016]", async () => {
    const server = app(async (ctx) => (await ctx.elicit("Who?", name)).action, { onError: () => assert.fail() });
    const asking = async (answers: (key: string) => unknown): Promise<unknown> => {
      const { inputRequests, requestState } = await first(server);
      const [key = ""] = Object.keys(inputRequests);
      const inputResponses = answers(key);
      const response = await sendAlone(server, "tools/call", { name: "t", inputResponses, requestState }, able);
      return "error" in response && response.error.code;
    };
    const wrong = [5, null, [], "x", { action: "maybe" }, { action: "accept", content: { name: 5 } }, { roots: [] }];
    for (const answer of [...wrong, { action: "accept", content: {} }, { action: "accept" }]) {
      assert.equal(await asking((key) => ({ [key]: answer })), -32602, JSON.stringify(answer));
    }
    assert.equal(await asking(() => 5), -32602);
  });

  it("ignores answers nobody asked for, and asks again for missing ones [M-MRTR-017] [M-MRTR-018]", async () => {
    const server = app(async (ctx) => {
      const [a, b] = await Promise.all([ctx.elicit("First?", name), ctx.elicit("Second?", name)]);
      return [a.action, b.action].join();
    });
    const one = await first(server);
    const [known = "", other = ""] = Object.keys(one.inputRequests);
    const answers = { [known]: { action: "decline" }, stray: { action: "accept" } };
    const invented = await sendAlone(server, "tools/call", { name: "t", inputResponses: { ...answers } }, able);
    assert.deepEqual(
      Object.keys(askedIn(invented).inputRequests),
      [known, other],
      "without a state they count for nothing",
    );
    const more = { inputResponses: answers, requestState: one.requestState };
    const two = askedIn(await sendAlone(server, "tools/call", { name: "t", ...more }, able));
    assert.deepEqual(Object.keys(two.inputRequests), [other]);
    const last = { inputResponses: { [other]: { action: "cancel" } }, requestState: two.requestState };
    assert.equal(textOf(await sendAlone(server, "tools/call", { name: "t", ...last }, able)), "decline,cancel");
  });

  it("takes an answer to a question with a name from the first request, and checks it alike [M-MRTR-016] [M-MRTR-018]", async () => {
    const server = app(async (ctx) => {
      const one = await ctx.elicit("Who?", name, { key: "who" });
      const two = await ctx.elicit("Who else?", name, { key: "who" });
      return JSON.stringify([one, two]);
    });
    assert.deepEqual(Object.keys((await first(server)).inputRequests), ["who"]);
    const early = async (inputResponses: JsonObject): Promise<unknown> =>
      sendAlone(server, "tools/call", { name: "t", inputResponses }, able);
    const { inputRequests, requestState } = askedIn(
      (await early({ who: { action: "decline" }, stray: { action: "cancel" } })) as never,
    );
    assert.deepEqual(Object.keys(inputRequests), ["who-2"]);
    const last = { inputResponses: { "who-2": { action: "cancel" } }, requestState };
    const done = await sendAlone(server, "tools/call", { name: "t", ...last }, able);
    assert.equal(textOf(done), JSON.stringify([{ action: "decline" }, { action: "cancel" }]));
    for (const who of [5, { action: "maybe" }, { action: "accept", content: { name: 5 } }]) {
      assert.equal(((await early({ who })) as { error?: { code: number } }).error?.code, -32602, JSON.stringify(who));
    }
  });

  it("keeps no answer for another question, and tells equal questions apart [PP-112]", async () => {
    let attempt = 0;
    const asked: string[] = [];
    const server = app(async (ctx) => {
      for (;;) {
        const answer = await ctx.elicit("A name with three letters?", name);
        if (answer.action !== "accept" || answer.content.name.length === 3) {
          return answer.action === "accept" ? answer.content.name : answer.action;
        }
      }
    });
    const { response } = await callInRounds([server], "tools/call", { name: "t" }, (question) => {
      attempt += 1;
      asked.push(String(question.params?.message));
      return { action: "accept", content: { name: "a".repeat(attempt) } };
    });
    assert.equal(textOf(response), "aaa");
    assert.equal(asked.length, 3);
  });

  it("gives up after the most rounds it may ask, with the likely cause [PP-112]", async () => {
    let run = 0;
    const server = app(
      async (ctx) => {
        run += 1;
        return (await ctx.elicit(`Question ${run}`, name)).action;
      },
      { requestState: { maxRounds: 3 } },
    );
    const { response, rounds } = await callInRounds([server], "tools/call", { name: "t" }, answerAll);
    assert.equal(rounds.length, 3);
    assert.match("error" in response ? response.error.message : "", /after 3 rounds.*differs in each run/);
  });

  it("keeps nothing of calls that never come back [M-MRTR-006] [M-ELIC-005]", async () => {
    let open = 0;
    const server = app(async (ctx) => {
      open += 1;
      try {
        return (await ctx.elicit("Who?", name)).action;
      } finally {
        open -= 1;
      }
    });
    await Promise.all(Array.from({ length: 1_000 }, () => first(server)));
    await turn();
    assert.equal(open, 0);
  });

  it("opens pages by consent only, without ids and completion [M-ELIC-002] [M-ELIC-003] [M-BASE-016]", async () => {
    const diagnostics: Diagnostic[] = [];
    const server = app(
      async (ctx) => {
        const page = await ctx.elicitUrl({ message: "Sign in", url: "https://a.example/", elicitationId: "mine" });
        await page.complete();
        return `${page.action} ${page.elicitationId}`;
      },
      { onDiagnostic: (diagnostic) => diagnostics.push(diagnostic) },
    );
    const { response, rounds } = await callInRounds([server], "tools/call", { name: "t" }, () => ({
      action: "accept",
    }));
    const [question] = Object.values(rounds[0]?.inputRequests ?? {});
    assert.deepEqual(question?.params, { mode: "url", message: "Sign in", url: "https://a.example/" });
    assert.equal(textOf(response), "accept mine");
    assert.ok(diagnostics.some(({ code }) => code === "MCP_D_ELICITATION_COMPLETE"));
  });

  it("makes a question of an error that demands a page [M-ERR-005] [M-ELIC-003]", async () => {
    let isDone = false;
    const server = app(() => {
      if (!isDone) {
        throw new UrlElicitationRequiredError([{ mode: "url", message: "Pay", url: "https://pay.example/" }]);
      }
      return "paid";
    });
    const pay = (): unknown => {
      isDone = true;
      return { action: "accept" };
    };
    const accepted = await callInRounds([server], "tools/call", { name: "t" }, pay);
    assert.equal(accepted.rounds.length, 1);
    assert.equal(textOf(accepted.response), "paid");
    isDone = false;
    const hesitant = await callInRounds([server], "tools/call", { name: "t" }, () => ({ action: "accept" }));
    assert.ok(hesitant.rounds.length > 1, "consent alone is no success");
    const declined = await callInRounds([server], "tools/call", { name: "t" }, () => ({ action: "decline" }));
    assert.match(textOf(declined.response), /not opened/);
    const unable = await sendAlone(server, "tools/call", { name: "t" });
    assert.equal("error" in unable && unable.error.code, -32021);
  });

  it("finishes with whichever process has the keys [M-MRTR-007] [M-BASE-009] [PP-112]", async () => {
    const handler = async (ctx: Context): Promise<string> => {
      const id = await ctx.once("id", () => crypto.randomUUID());
      const one = await ctx.elicit(`One, ${id}`, name);
      const two = await ctx.elicit(`Two, ${id}`, name);
      return [one.action, two.action].join();
    };
    const requestState = { keys: ["a passphrase of many words"] };
    const apps = [
      app(handler, { requestState }),
      app(handler, { requestState }),
      app(handler, { requestState }),
    ] as const;
    const { response, rounds } = await callInRounds([...apps], "tools/call", { name: "t" }, answerAll);
    assert.equal(rounds.length, 2);
    assert.equal(textOf(response), "accept,accept");
    const stranger = app(handler);
    const asking = await first(apps[0]);
    const lost = await sendAlone(stranger, "tools/call", { name: "t", requestState: asking.requestState }, able);
    assert.match("error" in lost ? lost.error.message : "", /requestState\.keys/);
  });

  it("binds a call to its caller [M-ELIC-006] [M-MRTR-010]", async () => {
    const server = app(async (ctx) => (await ctx.elicit("Who?", name)).action);
    const ada = { ...able, auth: caller("ada") };
    const asking = askedIn(await sendAlone(server, "tools/call", { name: "t" }, ada));
    const params = { name: "t", requestState: asking.requestState };
    const stolen = await sendAlone(server, "tools/call", params, { ...able, auth: caller("eve") });
    assert.match("error" in stolen ? stolen.error.message : "", /another caller/);
  });
});

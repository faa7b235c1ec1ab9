import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { FakeAnswer } from "../../../test/fixtures/fake-server.ts";
import {
  able,
  ask,
  bare,
  done,
  form,
  openRounds,
  page,
  roots,
  sampling,
} from "../../../test/fixtures/question-rounds.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { createDeferred } from "../../base/deferred.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { checkResult } from "../../protocol/results.ts";
import { InputError } from "./input-error.ts";

describe("InputDriver", () => {
  it("gathers all answers and sends the call again with them, under the same keys and an id of its own [M-MRTR-019] [M-MRTR-020] [M-MRTR-021] [M-MRTR-030] [M-DEP-001]", async () => {
    const { session, sent, idsOf } = await openRounds(able, ask({ who: form, "a b": sampling, 7: roots }, "s1"), done);
    assert.deepEqual(await session.callTool("t", { x: 1 }), done);
    const [first, second] = sent();
    assert.deepEqual(bare(first), { name: "t", arguments: { x: 1 } });
    assert.deepEqual(bare(second), {
      name: "t",
      arguments: { x: 1 },
      requestState: "s1",
      inputResponses: {
        who: { action: "accept", content: { name: "Ann" } },
        "a b": { role: "assistant", content: { type: "text", text: "yo" }, model: "m" },
        7: { roots: [{ uri: "file:///work" }] },
      },
    });
    const [one, other] = idsOf("tools/call");
    assert.notEqual(one, other);
    for (const [key, method] of [
      ["who", "elicitation/create"],
      ["a b", "sampling/createMessage"],
      ["7", "roots/list"],
    ]) {
      const answers = second?.inputResponses as { [key: string]: JsonObject };
      assert.equal(checkResult(String(method), answers[String(key)]), undefined);
    }
    await session.close();
  });

  it("asks everything at once [M-MRTR-019]", async () => {
    const both = createDeferred();
    let asked = 0;
    const wait = async () => {
      asked += 1;
      if (asked === 2) {
        both.resolve();
      }
      await both.promise;
      return { action: "cancel" as const };
    };
    const { session } = await openRounds({ elicitation: { form: wait } }, ask({ a: form, b: form }), done);
    assert.deepEqual(await session.callTool("t"), done);
    await session.close();
  });

  it("does the same for prompts and resources [M-MRTR-020]", async () => {
    const prompt = { messages: [] };
    const resource = { contents: [] };
    const { server, session } = await openRounds(able, ask({ a: roots }), prompt, ask({ a: roots }), resource);
    assert.deepEqual(await session.getPrompt("p", { a: "b" }), prompt);
    assert.deepEqual(await session.readResource("a:b"), resource);
    assert.deepEqual(server.paramsOf("prompts/get").map(bare)[1]?.arguments, { a: "b" });
    assert.equal(server.paramsOf("resources/read")[1]?.uri, "a:b");
    await session.close();
  });

  it("echoes the state as it came, the latest only, and none where the latest had none [M-MRTR-022] [M-MRTR-023]", async () => {
    const state = ` "ü\u0000\u2028 ${"x".repeat(100_000)} `;
    const { session, sent } = await openRounds(
      able,
      ask({ a: roots }, state),
      ask({ b: roots }),
      ask(undefined, ""),
      done,
    );
    await session.callTool("t");
    assert.deepEqual(
      sent().map(({ requestState }) => requestState),
      [undefined, state, undefined, ""],
    );
    assert.deepEqual(
      sent().map(({ inputResponses }) => Object.keys(inputResponses ?? {})),
      [[], ["a"], ["b"], []],
    );
    await session.close();
  });

  it("uses state and answers for that one retry and nothing else [M-MRTR-024] [M-CACHE-012]", async () => {
    const answer = createDeferred<{ action: "decline" }>();
    const { server, session, sent } = await openRounds(
      { elicitation: { form: () => answer.promise } },
      ask({ a: form }, "secret"),
      done,
      done,
      done,
    );
    const call = session.callTool("t");
    await turn();
    await session.callTool("other");
    answer.resolve({ action: "decline" });
    await call;
    await session.callTool("t");
    assert.deepEqual(
      sent().map(({ name, requestState }) => [name, requestState]),
      [
        ["t", undefined],
        ["other", undefined],
        ["t", "secret"],
        ["t", undefined],
      ],
    );
    server.answers.set("resources/read", ({ inputResponses }) =>
      inputResponses === undefined
        ? ask({ a: form })
        : { contents: [], ttlMs: 60_000, cacheScope: "public", resultType: "complete" },
    );
    await session.readResource("a:b");
    await session.readResource("a:b");
    assert.equal(server.paramsOf("resources/read").length, 4);
    await session.close();
  });

  it("sends a refusal of the person as an answer [M-MRTR-026]", async () => {
    for (const action of ["decline", "cancel"] as const) {
      const { session, sent } = await openRounds({ elicitation: { form: () => ({ action }) } }, ask({ a: form }), done);
      await session.callTool("t");
      assert.deepEqual(sent()[1]?.inputResponses, { a: { action } });
      await session.close();
    }
  });

  it("gives the call up when sampling or roots cannot be supplied, with the reason, and sends nothing instead [M-MRTR-027]", async () => {
    const cause = new Error("no model today");
    const fail = (): never => {
      throw cause;
    };
    for (const [options, question] of [
      [{ sampling: { createMessage: fail } }, sampling],
      [{ roots: { list: fail } }, roots],
    ] as const) {
      const { session, sent } = await openRounds(options, ask({ a: question }), done);
      await assert.rejects(session.callTool("t"), (error: InputError) => {
        assert.ok(error instanceof InputError);
        assert.equal(error.reason, "failed");
        assert.equal(error.cause, cause);
        assert.match(error.message, /"a", .*no model today/);
        return true;
      });
      assert.equal(sent().length, 1);
      await session.close();
    }
  });

  it("executes nothing that is unknown or was not declared [M-MRTR-028]", async () => {
    const undeclared = [form, sampling, roots, page, { ...sampling, params: { ...sampling.params, tools: [] } }];
    for (const question of undeclared) {
      const { session, sent } = await openRounds({}, ask({ a: question }), done);
      await assert.rejects(session.callTool("t"), { code: "MCP_INPUT", reason: "refused" });
      assert.equal(sent().length, 1);
      await session.close();
    }
    const noUrl = await openRounds({ elicitation: { form: () => assert.fail() } }, ask({ a: page }), done);
    await assert.rejects(noUrl.session.callTool("t"), { code: "MCP_INPUT", reason: "refused" });
    await noUrl.session.close();
    const shell = () => assert.fail("must not be run");
    const unknown = await openRounds(
      { methods: { "shell/run": shell } },
      ask({ a: { method: "shell/run", params: {} } }),
      done,
    );
    await assert.rejects(unknown.session.callTool("t"), { code: "MCP_PEER", message: /inputRequests/ });
    assert.equal(unknown.sent().length, 1);
    await unknown.session.close();
  });

  it("closes the other prompts when one question fails", async () => {
    let closed = false;
    const waiting = (_form: unknown, { signal }: { signal: AbortSignal }) => {
      signal.addEventListener("abort", () => {
        closed = true;
      });
      return new Promise<never>(() => {});
    };
    const { session } = await openRounds({ elicitation: { form: waiting } }, ask({ a: form, b: roots }), done);
    await assert.rejects(session.callTool("t"), { code: "MCP_INPUT" });
    assert.ok(closed);
    await session.close();
  });

  it("retries at once where nothing is asked, then ever more slowly, and not for ever [M-MRTR-025]", async () => {
    const idle = Array.from({ length: 20 }, () => ask(undefined, "s"));
    const { session, sent, clock } = await openRounds({ maxInputRounds: 4 }, ...idle);
    const failed = assert.rejects(session.callTool("t"), { code: "MCP_INPUT", reason: "endless", message: /4 rounds/ });
    await turn();
    assert.equal(sent().length, 2);
    const delays: number[] = [];
    for (const expected of [3, 4, 5]) {
      let waited = 0;
      while (sent().length < expected) {
        await clock.advance(50);
        await turn();
        waited += 50;
        assert.ok(waited < 60_000);
      }
      delays.push(waited);
    }
    await failed;
    assert.ok((delays[0] ?? 0) >= 250 && (delays[2] ?? 0) > (delays[0] ?? 0));
    assert.equal(sent().length, 5);
    assert.equal(clock.pendingTimers, 0);
    await session.close();
  });

  it("ends after 10 rounds of questions unless told otherwise [M-MRTR-025]", async () => {
    const { session, sent } = await openRounds(able, ...Array.from({ length: 20 }, () => ask({ a: roots })));
    await assert.rejects(session.callTool("t"), { code: "MCP_INPUT", reason: "endless" });
    assert.equal(sent().length, 11);
    await session.close();
  });

  it("bounds a call with all its rounds by its total, however often the server asks for another one [PP-034]", async () => {
    const idle = Array.from({ length: 40 }, () => ask(undefined, "s"));
    const { session, clock } = await openRounds({ maxInputRounds: 40 }, ...idle);
    const failed = assert.rejects(session.callTool("t", {}, { totalTimeoutMs: 1_500 }), {
      code: "MCP_TIMEOUT",
      limit: "total",
    });
    await turn();
    await clock.advance(1_500);
    await failed;
    await session.close();
    assert.equal(clock.pendingTimers, 0);
  });

  it("does not count the person's time, and reports progress of later rounds too [M-MRTR-029] [M-PROG-002]", async () => {
    const answer = createDeferred<{ action: "cancel" }>();
    const steps: number[] = [];
    const report: FakeAnswer = ({ _meta }) => {
      const progressToken = (_meta as JsonObject).progressToken;
      server.notify("notifications/progress", { progressToken, progress: steps.length + 1 });
      return sent().length === 1 ? ask({ a: form }) : done;
    };
    const { server, session, clock, sent } = await openRounds(
      { elicitation: { form: () => answer.promise } },
      report,
      report,
    );
    const onProgress = ({ progress }: { progress: number }): number => steps.push(progress);
    const call = session.callTool("t", {}, { idleTimeoutMs: 1_000, totalTimeoutMs: 1_000, onProgress });
    await turn();
    await clock.advance(5_000);
    answer.resolve({ action: "cancel" });
    assert.deepEqual(await call, done);
    assert.deepEqual(steps, [1, 2]);
    const [first, second] = sent().map(({ _meta }) => (_meta as JsonObject).progressToken);
    assert.notEqual(first, second);
    await session.close();
  });

  it("closes the prompt and sends nothing more when the caller gives up or the session ends [M-MRTR-029]", async () => {
    for (const end of ["abort", "close"] as const) {
      const controller = new AbortController();
      let prompt: AbortSignal | undefined;
      const show = (_form: unknown, { signal }: { signal: AbortSignal }) => {
        prompt = signal;
        return new Promise<never>(() => {});
      };
      const { session, sent } = await openRounds({ elicitation: { form: show } }, ask({ a: form }), done);
      const call = session.callTool("t", {}, { signal: controller.signal });
      const failed = assert.rejects(call, end === "abort" ? { message: "enough" } : { code: "MCP_CLOSED" });
      await turn();
      if (end === "abort") {
        controller.abort(new Error("enough"));
      } else {
        await session.close();
      }
      await failed;
      assert.ok(prompt?.aborted);
      assert.equal(sent().length, 1);
      await session.close();
    }
  });
});

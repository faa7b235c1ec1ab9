import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { FakeSession, fakeExchange } from "../../../test/fixtures/exchange.ts";
import { never, RawClient, refuse } from "../../../test/fixtures/raw-client.ts";
import { identity, resultOf, send } from "../../../test/fixtures/server-calls.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { TimeoutError } from "../../base/error.ts";
import type { Call } from "../../jsonrpc/link.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { handshakeRevisions } from "../../revision/registry.ts";
import { createFakeClock, type FakeClock } from "../../test/clock.ts";
import { defineServer } from "../define.ts";
import { tool } from "../features/tool.ts";
import type { Context } from "../requests/context.ts";
import type { Server } from "../server.ts";

const form = { type: "object", properties: {} } as const;

function asking(ask: (ctx: Context) => unknown, clock?: FakeClock): Server {
  return defineServer({
    ...identity,
    ...(clock && { clock }),
    tools: { ask: tool({}, async (_args, ctx) => JSON.stringify((await ask(ctx)) ?? null)) },
  }) as Server;
}

const textOf = (result: { content: { text: string }[] }): string => result.content[0]?.text ?? "";

const tokenOf = (client: RawClient): unknown =>
  (client.requests("roots/list")[0]?.params?._meta as JsonObject | undefined)?.progressToken;

describe("asking the client", () => {
  it("fails at once and says why where an answer has no way back [PP-043]", async () => {
    const questions: ((ctx: Context) => unknown)[] = [
      (ctx) => ctx.elicit("?", form),
      (ctx) => ctx.elicitUrl({ message: "m", url: "https://example.com" }),
      (ctx) => ctx.sample({ messages: [], maxTokens: 1 }),
      (ctx) => ctx.roots(),
      (ctx) => ctx.ask("x/custom"),
    ];
    for (const question of questions) {
      const result = resultOf(await send(asking(question), "tools/call", { name: "ask" }));
      assert.equal(result.isError, true);
      assert.match(textOf(result as never), /belongs to no session.*serve with sessions/);
    }
  });

  it("goes with the request it belongs to, also after awaits, never on its own [PP-044]", async () => {
    const asked: Call[] = [];
    const session = new FakeSession("s", { capabilities: { elicitation: {}, roots: {} } });
    const exchange = fakeExchange({
      session,
      request: async (call) => {
        asked.push(call);
        return call.method === "roots/list" ? { roots: [] } : { action: "cancel" };
      },
    });
    const app = asking(async (ctx) => {
      await turn();
      await ctx.elicit("?", form);
      await turn();
      ctx.log.info("between");
      return ctx.roots();
    });
    resultOf(await send(app, "tools/call", { name: "ask" }, exchange));
    assert.deepEqual(
      asked.map(({ method }) => method),
      ["elicitation/create", "roots/list"],
    );
    assert.deepEqual(
      exchange.notified.map(({ method }) => method),
      ["notifications/message"],
    );
    assert.deepEqual(session.asked, []);
    assert.deepEqual(session.notified, []);
  });

  it("ends with the request: a cancelled call takes its questions along", async () => {
    const app = asking((ctx) => ctx.roots());
    const client = await RawClient.connect(app, { capabilities: { roots: {} }, answers: { "roots/list": never } });
    void client.request("tools/call", { name: "ask" }, "c");
    await turn();
    const [question] = client.requests("roots/list");
    client.notify("notifications/cancelled", { requestId: "c" });
    await turn();
    assert.equal(client.notifications("notifications/cancelled")[0]?.params?.requestId, question?.id);
    assert.deepEqual(client.handle.openRequests, { inbound: 0, outbound: 0 });
  });

  it("has limits that can be set per question, restart with progress, and tell the client [LIFE-022] [LIFE-023] [LIFE-024] [LIFE-025]", async () => {
    const clock = createFakeClock(1_000_000);
    const steps: number[] = [];
    const errors: unknown[] = [];
    const app = asking(async (ctx) => {
      try {
        await ctx.roots({
          idleTimeoutMs: 200,
          totalTimeoutMs: 350,
          onProgress: ({ progress }) => steps.push(progress),
        });
      } catch (error) {
        errors.push(error);
      }
    }, clock);
    const client = await RawClient.connect(app, { capabilities: { roots: {} }, answers: { "roots/list": never } });
    const called = client.call("ask");
    await turn();
    const token = tokenOf(client);
    for (const progress of [1, 2, 3]) {
      await clock.advance(100);
      client.notify("notifications/progress", { progressToken: token, progress });
      await turn();
    }
    assert.deepEqual(steps, [1, 2, 3]);
    assert.equal(errors.length, 0);
    await clock.advance(50);
    await called;
    assert.ok(errors[0] instanceof TimeoutError);
    assert.equal(errors[0].limit, "total");
    assert.equal(client.notifications("notifications/cancelled").length, 1);
  });

  it("drops progress for tokens of nobody, and of other sessions [PROG-008]", async () => {
    const steps: number[] = [];
    const app = asking((ctx) => ctx.roots({ onProgress: ({ progress }) => steps.push(progress) }));
    const options = { capabilities: { roots: {} }, answers: { "roots/list": never } };
    const client = await RawClient.connect(app, options);
    const other = await RawClient.connect(app, options);
    void client.call("ask");
    await turn();
    const progressToken = tokenOf(client);
    other.notify("notifications/progress", { progressToken, progress: 1 });
    client.notify("notifications/progress", { progressToken: 99, progress: 1 });
    await turn();
    assert.deepEqual(steps, []);
    client.notify("notifications/progress", { progressToken, progress: 1 });
    await turn();
    assert.deepEqual(steps, [1]);
    assert.deepEqual((await other.request("ping")).result, {});
  });

  it("asks nothing that the spoken revision does not have [LIFE-017]", async () => {
    const first = handshakeRevisions.at(-1);
    assert.ok(first);
    const app = asking((ctx) => ctx.elicit("?", form));
    const client = await RawClient.connect(app, { protocolVersion: first.id, capabilities: { elicitation: {} } });
    assert.equal((await client.call("ask")).result?.isError, true);
    assert.deepEqual(client.requests(), []);
  });

  it("never repeats an id, and takes ids equal to the client's for what they are [BASE-005] [BASE-006]", async () => {
    const app = asking((ctx) => ctx.ask("x/custom"));
    const client = await RawClient.connect(app, { answers: { "x/custom": (_params, { id }) => ({ id }) } });
    const called = await Promise.all([1, 2, 3].map((id) => client.request("tools/call", { name: "ask" }, id)));
    assert.deepEqual(
      called.map(({ id }) => id),
      [1, 2, 3],
    );
    const ids = client.requests("x/custom").map(({ id }) => id);
    assert.equal(new Set(ids).size, 3);
    assert.deepEqual(
      called.map(({ result }) => textOf(result as never)),
      ids.map((id) => JSON.stringify({ id })),
    );
  });

  it("hands over what the client refused with [BASE-009] [LIFE-027]", async () => {
    const errors: { rpcCode: number; data: unknown; remote: boolean }[] = [];
    const app = asking(async (ctx) => {
      await ctx.sample({ messages: [], maxTokens: 1 }).catch((error) => errors.push(error));
    });
    const client = await RawClient.connect(app, {
      capabilities: { sampling: {} },
      answers: {
        "sampling/createMessage": () => refuse(-1, "the user said no", { why: "x" }),
      },
    });
    await client.call("ask");
    assert.deepEqual([errors[0]?.rpcCode, errors[0]?.data, errors[0]?.remote], [-1, { why: "x" }, true]);
  });
});

describe("ctx.roots", () => {
  const files = [{ uri: "file:///work", name: "work" }];

  function rooted(): Server {
    return asking((ctx) => ctx.roots());
  }

  it("asks no client that has none to offer [ROOT-009]", async () => {
    const client = await RawClient.connect(rooted());
    assert.match(textOf((await client.call("ask")).result as never), /declares roots/);
    assert.deepEqual(client.requests(), []);
  });

  it("keeps the answer until the client says that it changed [ROOT-011]", async () => {
    const client = await RawClient.connect(rooted(), {
      capabilities: { roots: { listChanged: true } },
      answers: { "roots/list": () => ({ roots: files }) },
    });
    assert.equal(textOf((await client.call("ask")).result as never), JSON.stringify(files));
    await client.call("ask");
    assert.equal(client.requests("roots/list").length, 1);
    client.notify("notifications/roots/list_changed");
    await client.call("ask");
    assert.equal(client.requests("roots/list").length, 2);
  });

  it("asks each time where changes are not announced, and again after a failure [ROOT-011]", async () => {
    const silent = await RawClient.connect(rooted(), {
      capabilities: { roots: {} },
      answers: { "roots/list": () => ({ roots: files }) },
    });
    await silent.call("ask");
    await silent.call("ask");
    assert.equal(silent.requests("roots/list").length, 2);
    let fails = true;
    const shaky = await RawClient.connect(rooted(), {
      capabilities: { roots: { listChanged: true } },
      answers: {
        "roots/list": () => (fails ? refuse(-32603, "disk gone") : { roots: files }),
      },
    });
    assert.equal((await shaky.call("ask")).result?.isError, true);
    fails = false;
    assert.equal((await shaky.call("ask")).result?.isError, undefined);
  });

  it("does not let one cancelled caller take the answer from another", async () => {
    const client = await RawClient.connect(rooted(), {
      capabilities: { roots: { listChanged: true } },
      answers: { "roots/list": never },
    });
    void client.request("tools/call", { name: "ask" }, "first");
    const second = client.request("tools/call", { name: "ask" }, "second");
    await turn();
    client.answers.set("roots/list", () => ({ roots: files }));
    client.notify("notifications/cancelled", { requestId: "first" });
    assert.equal(textOf((await second).result as never), JSON.stringify(files));
  });

  it("refuses roots that are no files, or climb [ROOT-003] [ROOT-007]", async () => {
    for (const uri of ["https://example.com", "file:///a/../b", "file:///a/%2e%2e/b"]) {
      const client = await RawClient.connect(rooted(), {
        capabilities: { roots: {} },
        answers: { "roots/list": () => ({ roots: [{ uri }] }) },
      });
      assert.equal((await client.call("ask")).result?.isError, true);
    }
  });
});

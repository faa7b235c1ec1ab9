import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { caller, FakeSession, fakeExchange } from "../../../test/fixtures/exchange.ts";
import { identity } from "../../../test/fixtures/server-calls.ts";
import { enveloped, type StatelessOptions, statelessExchange } from "../../../test/fixtures/stateless.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import type { Call } from "../../jsonrpc/link.ts";
import type { JsonObject, JsonRpcResponse, RequestId } from "../../jsonrpc/message.ts";
import { checkParams } from "../../protocol/params.ts";
import { checkResult } from "../../protocol/results.ts";
import { defineServer } from "../define.ts";
import { prompt } from "../features/prompt.ts";
import { resource, template } from "../features/resource.ts";
import { tool } from "../features/tool.ts";
import type { ServerOptions } from "../options.ts";
import type { Server } from "../server.ts";

const idKey = "io.modelcontextprotocol/subscriptionId";

function create(more: Partial<ServerOptions> = {}): Server {
  return defineServer({
    ...identity,
    tools: { t: tool({}, () => "") },
    prompts: { p: prompt({}, () => "") },
    resources: {
      r: resource({ uri: "x:///r" }, () => ""),
      hidden: resource({ uri: "x:///hidden", allow: (ctx) => ctx.auth?.subject === "ada" }, () => ""),
    },
    templates: { f: template({ uriTemplate: "x:///f/{n}" }, () => "") },
    ...more,
  } as never);
}

interface Stream {
  readonly sent: readonly Call[];
  readonly answer: Promise<JsonRpcResponse | undefined>;
  close(): void;
}

async function listen(app: Server, notifications: unknown, options: StatelessOptions = {}): Promise<Stream> {
  const closing = new AbortController();
  const params = enveloped({ notifications }, options);
  const exchange = statelessExchange(params, { ...options, signal: closing.signal });
  const id: RequestId = options.id ?? 1;
  const answer = app.dispatch({ jsonrpc: "2.0", id, method: "subscriptions/listen", params }, exchange);
  await turn();
  return { sent: exchange.notified, answer, close: () => closing.abort(new Error("closed")) };
}

const everything = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };

function methods({ sent }: Stream): string[] {
  return sent.map(({ method }) => method.replace("notifications/", ""));
}

function acknowledged({ sent }: Stream): unknown {
  return sent[0]?.params?.notifications;
}

describe("subscriptions/listen", () => {
  it("acknowledges what it honours, before anything else [M-SUB-003] [M-SUB-005] [M-SUB-017] [M-RES-003]", async () => {
    const asked = {
      ...everything,
      resourceSubscriptions: ["x:///r", "x:///f/1", "x:///none", "x:///r", "no uri"],
      odd: true,
    };
    const app = create();
    const stream = await listen(app, asked);
    const honoured = { ...everything, resourceSubscriptions: ["x:///r", "x:///f/1"] };
    assert.deepEqual(stream.sent, [
      {
        method: "notifications/subscriptions/acknowledged",
        params: { notifications: honoured, _meta: { [idKey]: 1 } },
      },
    ]);
    assert.equal(checkParams("notifications/subscriptions/acknowledged", stream.sent[0]?.params), undefined);
    const less = create({ prompts: undefined, toolsListChanged: false, resourceSubscriptions: false });
    assert.deepEqual(acknowledged(await listen(less, asked)), { resourcesListChanged: true });
    assert.deepEqual(acknowledged(await listen(app, { toolsListChanged: false })), {});
    assert.deepEqual(acknowledged(await listen(app, {})), {});
  });

  it("refuses a request without a filter [M-SUB-001]", async () => {
    const { answer } = await listen(create(), undefined);
    const response = await answer;
    assert.equal(response && "error" in response && response.error.code, -32602);
  });

  it("acknowledges before a change that comes while it opens [M-SUB-003]", async () => {
    const app = create({
      resources: { r: resource({ uri: "x:///r", allow: () => turn().then(() => true) }, () => "") },
    });
    const opening = listen(app, { ...everything, resourceSubscriptions: ["x:///r"] });
    app.tools.set(
      "more",
      tool({}, () => ""),
    );
    app.notifyResourceUpdated("x:///r");
    const stream = await opening;
    await turn();
    await turn();
    app.notifyResourceUpdated("x:///r");
    assert.equal(methods(stream)[0], "subscriptions/acknowledged");
    assert.equal(methods(stream).at(-1), "resources/updated");
  });

  it("sends what was asked for and nothing else, with the id and its type [M-SUB-002] [M-SUB-007] [M-SUB-010] [M-SUB-008]", async () => {
    const app = create();
    const [tools, all] = [
      await listen(app, { toolsListChanged: true }, { id: 7 }),
      await listen(app, everything, { id: "7" }),
    ];
    const watching = await listen(app, { resourceSubscriptions: ["x:///r"] }, { id: 8 });
    app.tools.set(
      "more",
      tool({}, () => ""),
    );
    app.prompts.set(
      "more",
      prompt({}, () => ""),
    );
    app.resources.set(
      "more",
      resource({ uri: "x:///more" }, () => ""),
    );
    app.notifyResourceUpdated("x:///r");
    app.notifyResourceUpdated("x:///r/part", { within: "x:///r" });
    app.notifyResourceUpdated("x:///more");
    await turn();
    assert.deepEqual(methods(tools).slice(1), ["tools/list_changed"]);
    assert.deepEqual(methods(all).slice(1), ["tools/list_changed", "prompts/list_changed", "resources/list_changed"]);
    assert.deepEqual(
      watching.sent.slice(1).map(({ params }) => params?.uri),
      ["x:///r", "x:///r/part"],
    );
    for (const [stream, id] of [
      [tools, 7],
      [all, "7"],
      [watching, 8],
    ] as const) {
      assert.ok(stream.sent.every(({ params }) => (params?._meta as JsonObject | undefined)?.[idKey] === id));
    }
    assert.deepEqual([...app.subscribedUris], ["x:///r"]);
  });

  it("shares one fan-out with sessions, and neither sees the other's [M-VER-007] [M-SUB-009]", async () => {
    const app = create();
    const session = new FakeSession("s", {});
    await app.dispatch({ jsonrpc: "2.0", id: 1, method: "ping" }, fakeExchange({ session }));
    const stream = await listen(app, everything);
    app.tools.set(
      "more",
      tool({}, () => ""),
    );
    app.log.error("for sessions only");
    await turn();
    assert.deepEqual(methods(stream).slice(1), ["tools/list_changed"]);
    const sent = session.notified.map(({ method }) => method).sort();
    assert.deepEqual(sent, ["notifications/message", "notifications/tools/list_changed"]);
    assert.equal(
      session.notified.some(({ params }) => params?._meta !== undefined),
      false,
    );
  });

  it("sends nothing after the client's end and keeps nothing [M-SUB-011]", async () => {
    const app = create({ limits: { maxStreams: 1 } });
    for (let round = 0; round < 3; round += 1) {
      const stream = await listen(app, { toolsListChanged: true, resourceSubscriptions: ["x:///r"] });
      stream.close();
      await stream.answer;
      app.tools.set(
        `more${round}`,
        tool({}, () => ""),
      );
      app.notifyResourceUpdated("x:///r");
      await turn();
      assert.deepEqual(methods(stream), ["subscriptions/acknowledged"]);
      assert.deepEqual([...app.subscribedUris], []);
    }
  });

  it("answers with an empty result that names the stream when the server ends it [M-SUB-012] [M-BASE-004]", async () => {
    const app = create();
    const stream = await listen(app, everything, { id: "s" });
    await app.close();
    const response = await stream.answer;
    assert.ok(response && "result" in response);
    assert.equal(response.id, "s");
    const { _meta, ...rest } = response.result;
    assert.deepEqual(rest, { resultType: "complete" });
    assert.equal((_meta as JsonObject)[idKey], "s");
    assert.equal(checkResult("subscriptions/listen", response.result), undefined);
  });

  it("honours no resource that the caller may not read, and bounds what a caller holds [M-SUB-016]", async () => {
    const app = create({ limits: { maxStreams: 2, maxSubscriptions: 3 } });
    const asked = { resourceSubscriptions: ["x:///hidden", "x:///r"] };
    const ada = { auth: caller("ada") };
    assert.deepEqual(acknowledged(await listen(app, asked, { auth: caller("eve") })), {
      resourceSubscriptions: ["x:///r"],
    });
    assert.deepEqual(acknowledged(await listen(app, asked, ada)), asked);
    await listen(app, asked, ada);
    const excess = await (await listen(app, asked, ada)).answer;
    assert.match(excess && "error" in excess ? excess.error.message : "", /at most 2 streams/);
    assert.deepEqual(acknowledged(await listen(app, asked, { auth: caller("bob") })), {
      resourceSubscriptions: ["x:///r"],
    });
    const many = { resourceSubscriptions: ["x:///1", "x:///2", "x:///3", "x:///4"] };
    const tooMany = await (await listen(app, many, { auth: caller("carl") })).answer;
    assert.match(tooMany && "error" in tooMany ? tooMany.error.message : "", /at most 3 URIs, got 4/);
  });

  it("stays open however long nothing happens [M-SUB-015]", async () => {
    const app = create({ requestTimeouts: { idleTimeoutMs: 1, totalTimeoutMs: 1 } });
    const stream = await listen(app, everything);
    let isAnswered = false;
    void stream.answer.then(() => {
      isAnswered = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(isAnswered, false);
    stream.close();
    await stream.answer;
  });
});

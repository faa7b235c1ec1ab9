import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fakeExchange } from "../../../test/fixtures/exchange.ts";
import { RawClient } from "../../../test/fixtures/raw-client.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { createDeferred } from "../../base/deferred.ts";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { UsageError } from "../../base/error.ts";
import { RpcError } from "../../jsonrpc/error.ts";
import type { JsonObject, JsonRpcResponse } from "../../jsonrpc/message.ts";
import { defineServer } from "../define.ts";
import { prompt } from "../features/prompt.ts";
import { tool } from "../features/tool.ts";
import type { Server } from "../server.ts";

const identity = { name: "demo", version: "1.0.0" };

function send(app: Server, method: string, params?: JsonObject, exchange = fakeExchange()): Promise<JsonRpcResponse> {
  const message = { jsonrpc: "2.0" as const, id: "x", method, ...(params && { params }) };
  return app.dispatch(message, exchange) as Promise<JsonRpcResponse>;
}

describe("dispatch", () => {
  it("repeats the id with its type, and gives exactly a result or an error [BASE-007] [BASE-008]", async () => {
    const app = defineServer(identity);
    for (const id of ["7", 7]) {
      const pong = await app.dispatch({ jsonrpc: "2.0", id, method: "ping" }, fakeExchange());
      assert.deepEqual(pong, { jsonrpc: "2.0", id, result: {} });
      const lost = await app.dispatch({ jsonrpc: "2.0", id, method: "no/such" }, fakeExchange());
      assert.deepEqual(Object.keys(lost ?? {}), ["jsonrpc", "id", "error"]);
      assert.equal(lost?.id, id);
    }
  });

  it("sends the words of an RpcError exactly, and no others [BASE-009] [BASE-011] [BASE-018] [PP-065] [PROMPT-009]", async () => {
    const reported: unknown[] = [];
    const app = defineServer({
      ...identity,
      onError: (error, details) => reported.push([error, details.method]),
      prompts: {
        refused: prompt({}, () => {
          throw new RpcError(-31999, "quota used up", { data: { left: 0 } });
        }),
        broken: prompt({}, () => {
          throw new Error("cannot open /etc/secret");
        }),
      },
    });
    assert.deepEqual(await send(app, "prompts/get", { name: "refused" }), {
      jsonrpc: "2.0",
      id: "x",
      error: { code: -31999, message: "quota used up", data: { left: 0 } },
    });
    assert.deepEqual(await send(app, "prompts/get", { name: "broken" }), {
      jsonrpc: "2.0",
      id: "x",
      error: { code: -32603, message: "internal error" },
    });
    assert.equal(reported.length, 1);
    assert.equal((reported[0] as [Error, string])[0].message, "cannot open /etc/secret");
    assert.equal((reported[0] as [Error, string])[1], "prompts/get");
  });

  it("knows an RpcError of another copy of the library [PP-065]", async () => {
    const foreign = Object.assign(new Error("from afar"), { code: "MCP_RPC", rpcCode: -31998, data: 5 });
    Object.defineProperty(foreign, Symbol.for("parley-mcp.error"), { value: true });
    const app = defineServer({
      ...identity,
      prompts: {
        p: prompt({}, () => {
          throw foreign;
        }),
      },
    });
    const response = await send(app, "prompts/get", { name: "p" });
    assert.deepEqual("error" in response && response.error, { code: -31998, message: "from afar", data: 5 });
  });

  it("checks params before anything runs [BASE-017] [PROG-001]", async () => {
    const app = defineServer({ ...identity, tools: { t: tool({}, () => "") } });
    for (const params of [{ name: 5 }, { name: "t", _meta: { progressToken: 1.5 } }, { name: "t", _meta: 1 }]) {
      const response = await send(app, "tools/call", params as never);
      assert.equal("error" in response && response.error.code, -32602);
    }
  });

  it("answers no notification, whatever it is [BASE-012] [BASE-023]", async () => {
    const diagnostics: Diagnostic[] = [];
    const client = await RawClient.connect(defineServer({ ...identity, onDiagnostic: (d) => diagnostics.push(d) }));
    client.notify("x/y", { a: 1 });
    client.notify("notifications/progress", { progress: "far" });
    client.notify("notifications/cancelled", {});
    client.notify("tools/call", { name: "t" });
    await turn();
    assert.deepEqual(client.received, []);
    assert.deepEqual((await client.request("ping")).result, {});
    assert.ok(diagnostics.some(({ message }) => message.includes("x/y")));
  });

  it("gives handlers the metadata of the request as it came [META-001]", async () => {
    const app = defineServer({ ...identity, tools: { t: tool({}, (_args, ctx) => ({ ...ctx.meta })) } });
    const response = await send(app, "tools/call", { name: "t", _meta: { "com.example/x": { deep: 1 } } });
    assert.deepEqual("result" in response && response.result.structuredContent, { "com.example/x": { deep: 1 } });
  });

  it("answers a ping while a call is running [PING-001]", async () => {
    const app = defineServer({ ...identity, tools: { hang: tool({}, () => new Promise(() => {})) } });
    const client = await RawClient.connect(app);
    void client.call("hang");
    assert.deepEqual((await client.request("ping")).result, {});
  });

  it("stops the work of a cancelled call and answers nothing [CANCEL-005] [CANCEL-009]", async () => {
    let reason: unknown;
    const reported: unknown[] = [];
    const app = defineServer({
      ...identity,
      onError: (error) => reported.push(error),
      tools: {
        wait: tool({}, (_args, { signal }) => {
          const { promise, reject } = createDeferred<string>();
          signal.addEventListener("abort", () => {
            reason = signal.reason;
            reject(signal.reason);
          });
          return promise;
        }),
      },
    });
    const client = await RawClient.connect(app);
    void client.request("tools/call", { name: "wait" }, "slow");
    await turn();
    client.notify("notifications/cancelled", { requestId: "slow", reason: "the user left" });
    await turn();
    assert.match((reason as Error).message, /the user left/);
    assert.deepEqual(client.received, []);
    assert.deepEqual(reported, [], "being cancelled is no fault");
    assert.deepEqual(client.handle.openRequests, { inbound: 0, outbound: 0 });
  });

  it("takes what platforms throw on a cancellation for one, and the same error without one for a fault", async () => {
    const reported: unknown[] = [];
    const seen: unknown[] = [];
    const controller = new AbortController();
    const wait = ({ signal }: { signal: AbortSignal }): Promise<string> => pause(60_000, "late", { signal });
    const app = defineServer({
      ...identity,
      onError: (error) => reported.push(error),
      middleware: [
        (next) => async (message, ctx) => {
          try {
            return await next(message, ctx);
          } catch (error) {
            seen.push(error);
            throw error;
          }
        },
      ],
      tools: {
        pause: tool({}, (_args, ctx) => wait(ctx)),
        wrap: tool({}, (_args, ctx) =>
          wait(ctx).catch((error: unknown) =>
            Promise.reject(new Error("no page", { cause: ctx.signal.reason ?? error })),
          ),
        ),
        fault: tool({}, () => Promise.reject(new DOMException("somebody else's", "AbortError"))),
      },
      prompts: { pause: prompt({}, (_args, ctx) => wait(ctx)) },
      notifications: { "x/pause": (_params, ctx) => wait(ctx).then(() => undefined) },
    });
    const exchange = fakeExchange({ signal: controller.signal });
    const cancelled = [
      send(app, "tools/call", { name: "pause" }, exchange),
      send(app, "tools/call", { name: "wrap" }, exchange),
      send(app, "prompts/get", { name: "pause" }, exchange),
      app.dispatch({ jsonrpc: "2.0", method: "x/pause" }, exchange),
    ];
    const reason = new Error("the user left");
    controller.abort(reason);
    await Promise.all(cancelled);
    assert.deepEqual(reported, []);
    assert.equal(
      seen.filter((error) => error === reason).length,
      2,
      "layers see the reason where a tool was cancelled",
    );
    await send(app, "tools/call", { name: "fault" });
    assert.equal(reported.length, 1);
  });

  it("aborts handlers when the session ends, without unhandled errors [PP-019] [PP-020] [LIFE-021]", async () => {
    const reasons: string[] = [];
    const app = defineServer({
      ...identity,
      tools: {
        wait: tool({}, async (_args, ctx) => {
          const { promise, reject } = createDeferred<string>();
          ctx.signal.addEventListener("abort", () => {
            reasons.push((ctx.signal.reason as { code: string }).code);
            ctx.progress(1);
            ctx.log.info("too late");
            reject(ctx.signal.reason);
          });
          return await promise;
        }),
      },
    });
    const client = await RawClient.connect(app);
    void client.call("wait", {}, { progressToken: 1 });
    await turn();
    await client.close();
    await client.handle.closed;
    await turn();
    assert.deepEqual(reasons, ["MCP_CLOSED"]);
    assert.equal(app.sessions.size, 0);
  });

  it("never rejects and never throws, even for hooks that do", async () => {
    const app = defineServer({
      ...identity,
      onError: () => {
        throw new Error("hook");
      },
      onDiagnostic: () => {
        throw new Error("hook");
      },
      methods: { "x/bad": () => "no object" as never },
      notifications: {
        "x/note": () => {
          throw new Error("listener");
        },
      },
    });
    const bad = await send(app, "x/bad");
    assert.equal("error" in bad && bad.error.code, -32603);
    assert.equal(await app.dispatch({ jsonrpc: "2.0", method: "x/note" }, fakeExchange()), undefined);
    assert.equal(await app.dispatch({ jsonrpc: "2.0", method: "x/unknown" }, fakeExchange()), undefined);
  });

  it("serves custom methods and notifications, and lets none replace the protocol's", async () => {
    const noted: JsonObject[] = [];
    const app = defineServer({
      ...identity,
      methods: { "x/double": ({ n }) => ({ n: (n as number) * 2 }) },
      notifications: { "x/note": (params) => void noted.push(params) },
    });
    const client = await RawClient.connect(app);
    assert.deepEqual((await client.request("x/double", { n: 4 })).result, { n: 8 });
    client.notify("x/note", { a: 1 });
    await turn();
    assert.deepEqual(noted, [{ a: 1 }]);
    assert.throws(() => defineServer({ ...identity, methods: { "tools/call": () => ({}) } }), UsageError);
  });

  it("answers at once, without a turn of the event loop, where nothing has to wait [PP-013]", async () => {
    const app = defineServer({ ...identity, tools: { t: tool({}, () => "now") } });
    const order: string[] = [];
    const answered = send(app, "tools/call", { name: "t" }).then(() => order.push("answer"));
    const microtask = Promise.resolve()
      .then(() => Promise.resolve())
      .then(() => order.push("microtasks"));
    await Promise.all([answered, microtask]);
    assert.deepEqual(order, ["answer", "microtasks"]);
  });

  it("prepares a schema once and never while calls run [PP-013]", async () => {
    let conversions = 0;
    const standard = {
      "~standard": {
        version: 1 as const,
        vendor: "test",
        validate: (value: unknown) => ({ value: value as object }),
        jsonSchema: {
          input: () => {
            conversions += 1;
            return { type: "object" };
          },
          output: () => ({ type: "object" }),
        },
      },
    };
    const app = defineServer({ ...identity, tools: { t: tool({ input: standard }, () => "") } });
    const before = conversions;
    for (let index = 0; index < 100; index += 1) {
      await send(app, "tools/call", { name: "t" });
    }
    assert.equal(conversions, before);
  });
});

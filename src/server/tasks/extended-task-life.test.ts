import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { caller } from "../../../test/fixtures/exchange.ts";
import {
  ask,
  begin,
  createExtendedServer as create,
  declaring,
  extension,
  plainly,
  reach,
} from "../../../test/fixtures/extended-tasks.ts";
import { errorOf } from "../../../test/fixtures/server-calls.ts";
import { enveloped, sendAlone, statelessExchange } from "../../../test/fixtures/stateless.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { until } from "../../../test/fixtures/until.ts";
import { createDeferred } from "../../base/deferred.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { checkResult } from "../../protocol/results.ts";
import { tool } from "../features/tool.ts";

describe("the life of a task of the extension", () => {
  it("give the result that the call would have given, and nothing about the task in it [X-TASK-020] [X-TASK-021]", async () => {
    const { app, done } = create();
    const taskId = await begin(app, "slow");
    assert.deepEqual((await ask(app, "tasks/get", { taskId })).status, "working");
    done.resolve("dug");
    const state = await reach(app, taskId, "completed");
    assert.equal(checkResult("tasks/get", state), undefined);
    assert.equal(state.resultType, "complete");
    assert.deepEqual(state.result, await ask(app, "tools/call", { name: "either" }, plainly));
  });

  it("are completed where a tool failed, and fail by a protocol error alone [X-TASK-022]", async () => {
    const { app } = create();
    const { result } = (await reach(app, await begin(app, "broken"), "completed")) as { result: JsonObject };
    assert.equal(result.isError, true);
    const rootless = { capabilities: { extensions: { [extension]: {} } } };
    const failed = await reach(app, await begin(app, "homeless", rootless), "failed", rootless);
    assert.equal(checkResult("tasks/get", failed), undefined);
    const { code, message } = failed.error as { code: number; message: string };
    assert.equal(code, -32_021);
    assert.equal(failed.statusMessage, message);
    assert.equal("result" in failed, false);
  });

  it("hand out all that they ask, and take the answers one by one [X-TASK-020] [X-TASK-028] [X-TASK-029] [X-TASK-030]", async () => {
    const { app } = create();
    const taskId = await begin(app, "asking");
    const state = await until(async () => {
      const now = await ask(app, "tasks/get", { taskId });
      return Object.keys((now.inputRequests as JsonObject | undefined) ?? {}).length === 2 && now;
    });
    assert.equal(checkResult("tasks/get", state), undefined);
    const requests = state.inputRequests as { [key: string]: JsonObject };
    const [first = "", second = ""] = Object.keys(requests);
    assert.deepEqual(Object.keys(requests[first] ?? {}).sort(), ["method", "params"]);
    const answer = (responses: JsonObject): Promise<JsonObject> =>
      ask(app, "tasks/update", { taskId, inputResponses: responses });
    const ack = await answer({ [first]: { action: "decline" }, odd: { ignored: true } });
    assert.deepEqual(Object.keys(ack).sort(), ["_meta", "resultType"]);
    assert.equal(ack.resultType, "complete");
    const half = await ask(app, "tasks/get", { taskId });
    assert.equal(half.status, "input_required");
    assert.deepEqual(Object.keys(half.inputRequests as JsonObject), [second]);
    await answer({ [first]: { action: "accept", content: { name: "x" } } });
    await answer({ [second]: { action: "accept", content: { name: "y" } } });
    const { result } = (await reach(app, taskId, "completed")) as { result: JsonObject };
    assert.deepEqual(result.content, [{ type: "text", text: "decline accept" }]);
    assert.deepEqual((await answer({ [second]: { action: "decline" } })).resultType, "complete");
  });

  it("are acknowledged when they are to be cancelled, over or not [X-TASK-031] [X-TASK-019]", async () => {
    const { app, done, seen } = create();
    const taskId = await begin(app, "slow");
    await until(() => seen.ctx);
    const ack = await ask(app, "tasks/cancel", { taskId });
    assert.deepEqual(Object.keys(ack).sort(), ["_meta", "resultType"]);
    await until(() => seen.ctx?.signal.aborted);
    done.resolve("too late");
    await turn();
    assert.equal((await ask(app, "tasks/get", { taskId })).status, "cancelled");
    assert.equal((await ask(app, "tasks/cancel", { taskId })).resultType, "complete");
  });

  it("say nothing by themselves once the call is answered [X-TASK-041]", async () => {
    const diagnostics: string[] = [];
    const { app } = create({ onDiagnostic: ({ code }) => diagnostics.push(code) });
    const options = { ...declaring, envelope: { logLevel: "debug" as const } };
    const params = { name: "telling", _meta: { progressToken: 1 } };
    const response = await sendAlone(app, "tools/call", params, options);
    assert.ok("result" in response);
    await reach(app, String(response.result.taskId), "completed");
    await turn();
    assert.deepEqual(
      response.notified.map(({ params: sent }) => sent?.progress),
      [1],
    );
    assert.deepEqual(diagnostics, ["MCP_D_TASK_MESSAGE"]);
  });

  it("are told of on streams, in full and at each change, to those whose they are [X-TASK-038] [X-TASK-039]", async () => {
    const { app } = create();
    const ada = { ...declaring, auth: caller("ada") };
    const taskId = await begin(app, "asking", ada);
    const foreign = await begin(app, "slow", { ...declaring, auth: caller("bob") });
    const params = enveloped({ notifications: { taskIds: [taskId, foreign, "nope", taskId] } }, ada);
    const closing = new AbortController();
    const exchange = statelessExchange(params, { ...ada, signal: closing.signal });
    const ended = app.dispatch({ jsonrpc: "2.0", id: 9, method: "subscriptions/listen", params }, exchange);
    const told = (): JsonObject[] => exchange.notified.slice(1).map(({ params: state }) => state ?? {});
    await until(() => Object.keys((told().at(-1)?.inputRequests as JsonObject | undefined) ?? {}).length === 2);
    assert.deepEqual(exchange.notified[0]?.params?.notifications, { taskIds: [taskId] });

    const { _meta: meta, ...asked } = told().at(-1) ?? {};
    assert.deepEqual(meta, { "io.modelcontextprotocol/subscriptionId": 9 });
    const { _meta: _serverInfo, resultType: _type, ...got } = await ask(app, "tasks/get", { taskId }, ada);
    assert.deepEqual(asked, got);
    for (const key of Object.keys(got.inputRequests as JsonObject)) {
      await ask(app, "tasks/update", { taskId, inputResponses: { [key]: { action: "decline" } } }, ada);
    }
    await until(() => told().at(-1)?.status === "completed");
    assert.ok(exchange.notified.slice(1).every(({ method }) => method === "notifications/tasks"));
    closing.abort(new Error("closed"));
    await ended;
  });

  it("are not told of to clients that do not know them [X-TASK-040]", async () => {
    const { app } = create();
    const response = await sendAlone(app, "subscriptions/listen", { notifications: { taskIds: [] } }, plainly);
    const { code, data } = errorOf(response);
    assert.equal(code, -32_021);
    assert.deepEqual(data, { requiredCapabilities: { extensions: { [extension]: {} } } });
  });

  it("are cancelled without a fault being reported, where the handler heeds its signal", async () => {
    const faults: unknown[] = [];
    const { app } = create({
      onError: (fault) => faults.push(fault),
      tools: {
        heeding: tool(
          { description: "Waits", task: "required" },
          (_args, ctx) =>
            new Promise<string>((_resolve, reject) => {
              ctx.signal.addEventListener("abort", () => reject(ctx.signal.reason));
              reached.resolve();
            }),
        ),
      },
    });
    const reached = createDeferred();
    const taskId = await begin(app, "heeding");
    await reached.promise;
    await ask(app, "tasks/cancel", { taskId });
    await turn();
    await turn();
    assert.equal((await ask(app, "tasks/get", { taskId })).status, "cancelled");
    assert.deepEqual(faults, []);
  });

  it("are made of mounted tools too, where the server that mounts them has tasks", async () => {
    const outer = create({ tools: {}, tasks: {} }).app;
    const { app: inner, done } = create();
    outer.mount("inner", inner);
    const taskId = await begin(outer, "inner.slow");
    done.resolve("dug");
    const { result } = (await reach(outer, taskId, "completed")) as { result: JsonObject };
    assert.deepEqual(result.content, [{ type: "text", text: "dug" }]);
  });
});

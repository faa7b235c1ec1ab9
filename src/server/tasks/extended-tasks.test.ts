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
import { askedIn, enveloped, sendAlone, statelessExchange } from "../../../test/fixtures/stateless.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { until } from "../../../test/fixtures/until.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { checkResult } from "../../protocol/results.ts";
import { createFakeClock } from "../../test/clock.ts";
import { tool } from "../features/tool.ts";

describe("tasks of the extension", () => {
  it("are announced under its key, without settings, and nothing is of the older form [X-TASK-002] [X-TASK-007]", async () => {
    const { capabilities } = (await ask(create().app, "server/discover")) as { capabilities: JsonObject };
    assert.deepEqual(capabilities.extensions, { [extension]: {} });
    assert.equal(capabilities.tasks, undefined);
    const { app } = create();
    for (const method of ["tasks/result", "tasks/list"]) {
      assert.equal(errorOf(await sendAlone(app, method, { taskId: "x" }, declaring)).code, -32_601, method);
    }
    const none = create({ tools: { plain: tool({ description: "x" }, () => "") } }).app;
    const discovered = (await ask(none, "server/discover")) as { capabilities: JsonObject };
    assert.equal(discovered.capabilities.extensions, undefined);
    assert.equal(errorOf(await sendAlone(none, "tasks/get", { taskId: "x" }, declaring)).code, -32_601);
    const { tools } = (await ask(app, "tools/list")) as { tools: JsonObject[] };
    assert.ok(tools.every((listed) => !("execution" in listed)));
  });

  it("answer a call flatly, with nothing of the older form [X-TASK-013] [X-TASK-014] [X-TASK-017]", async () => {
    const result = await ask(create().app, "tools/call", { name: "slow" });
    assert.deepEqual(Object.keys(result).sort(), [
      "_meta",
      "createdAt",
      "lastUpdatedAt",
      "pollIntervalMs",
      "resultType",
      "status",
      "taskId",
      "ttlMs",
    ]);
    assert.equal(result.status, "working");
    assert.equal(checkResult("tools/call", result), undefined);
    assert.ok(Number.isInteger(result.ttlMs) && Number.isInteger(result.pollIntervalMs));
  });

  it("are for clients that declare them with the very request [X-TASK-003] [X-TASK-004] [X-TASK-006]", async () => {
    const { app, done } = create();
    await begin(app, "slow");
    done.resolve("dug");
    const plain = await ask(app, "tools/call", { name: "either", task: { ttl: 60_000 } }, plainly);
    assert.equal(plain.resultType, "complete");
    const older = { capabilities: { tasks: { requests: {} } } };
    for (const options of [plainly, {}, older]) {
      const { code, data } = errorOf(await sendAlone(app, "tools/call", { name: "slow", task: {} }, options));
      assert.equal(code, -32_021);
      assert.deepEqual(data, { requiredCapabilities: { extensions: { [extension]: {} } } });
    }
    const ignored = await ask(app, "tools/call", { name: "plain", task: { ttl: 60_000 } });
    assert.deepEqual(ignored.content, [{ type: "text", text: "plain" }]);
  });

  it("are not asked for by clients that do not declare them, known or not [X-TASK-005]", async () => {
    const { app } = create();
    const taskId = await begin(app, "slow");
    for (const id of [taskId, "nope"]) {
      for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
        const params = { taskId: id, inputResponses: {} };
        const { code, data } = errorOf(await sendAlone(app, method, params, plainly));
        assert.equal(code, -32_021, method);
        assert.deepEqual(data, { requiredCapabilities: { extensions: { [extension]: {} } } });
      }
    }
  });

  it("are made for what takes long, and only for that [X-TASK-010]", async () => {
    const clock = createFakeClock(Date.UTC(2026, 0, 1));
    const { app, done } = create({ clock, tasks: { afterMs: 500 } });
    const quick = await ask(app, "tools/call", { name: "quick" });
    assert.deepEqual([quick.resultType, quick.content], ["complete", [{ type: "text", text: "quick" }]]);
    const slow = ask(app, "tools/call", { name: "either" });
    await clock.advance(499);
    let isAnswered = false;
    void slow.then(() => {
      isAnswered = true;
    });
    await turn();
    assert.equal(isAnswered, false);
    await clock.advance(1);
    const task = await slow;
    assert.equal(task.resultType, "task");
    done.resolve("dug");
    const { result } = (await reach(app, String(task.taskId), "completed")) as { result: JsonObject };
    assert.deepEqual(result.content, [{ type: "text", text: "dug" }]);
    await clock.advance(600_000);
  });

  it("are unknown to everybody else, as tasks that never were [X-TASK-034] [X-TASK-035]", async () => {
    const { app } = create();
    const taskId = await begin(app, "slow", { ...declaring, auth: caller("ada") });
    const errors = new Set<string>();
    for (const [id, options] of [
      [taskId, declaring],
      [taskId, { ...declaring, auth: caller("bob") }],
      ["nope", { ...declaring, auth: caller("ada") }],
    ] as const) {
      for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
        errors.add(JSON.stringify(errorOf(await sendAlone(app, method, { taskId: id, inputResponses: {} }, options))));
      }
    }
    assert.deepEqual(
      [...errors],
      ['{"code":-32602,"message":"params.taskId: there is no such task, or it has expired"}'],
    );
    const mine = await ask(app, "tasks/get", { taskId }, { ...declaring, auth: caller("ada") });
    assert.equal(mine.status, "working");
  });

  it("come after what is asked before them, which is asked in the call itself [X-TASK-016]", async () => {
    const { app } = create();
    const first = await sendAlone(app, "tools/call", { name: "later" }, declaring);
    const { inputRequests, requestState } = askedIn(first);
    assert.deepEqual(Object.keys(inputRequests), ["name"]);
    assert.equal("taskId" in (first as unknown as { result: JsonObject }).result, false);
    const inputResponses = { name: { action: "accept", content: { name: "Ada" } } };
    const made = await ask(app, "tools/call", { name: "later", inputResponses, requestState });
    assert.equal(made.resultType, "task");
    assert.equal("requestState" in made || "inputRequests" in made, false);
    const taskId = String(made.taskId);
    const asking = await reach(app, taskId, "input_required");
    const [key = ""] = Object.keys(asking.inputRequests as JsonObject);
    await ask(app, "tasks/update", { taskId, inputResponses: { [key]: { action: "decline" } } });
    const { result } = (await reach(app, taskId, "completed")) as { result: JsonObject };
    assert.deepEqual(result.content, [{ type: "text", text: "same same accept decline true" }]);
  });

  it("are answered plainly where the client knows none, however the handler begins one", async () => {
    const { app } = create();
    const { inputRequests, requestState } = askedIn(await sendAlone(app, "tools/call", { name: "later" }, plainly));
    assert.deepEqual(Object.keys(inputRequests), ["name"]);
    const inputResponses = { name: { action: "accept", content: { name: "Ada" } } };
    const again = await sendAlone(app, "tools/call", { name: "later", inputResponses, requestState }, plainly);
    assert.equal(Object.keys(askedIn(again).inputRequests).length, 1);
  });

  it("go on when the request that made them is over, and hear of its end no more", async () => {
    const { app, done, seen } = create();
    const given = new AbortController();
    const params = enveloped({ name: "slow" }, declaring);
    const exchange = statelessExchange(params, { ...declaring, signal: given.signal });
    const response = await app.dispatch({ jsonrpc: "2.0", id: 1, method: "tools/call", params }, exchange);
    assert.ok(response !== undefined && "result" in response);
    await until(() => seen.ctx);
    given.abort(new Error("closed"));
    assert.equal(seen.ctx?.signal.aborted, false);
    done.resolve("dug");
    await reach(app, String(response.result.taskId), "completed");
  });
});

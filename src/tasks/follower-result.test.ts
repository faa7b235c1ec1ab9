import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { coreTask, followTask, inTurn } from "../../test/fixtures/task-holder.ts";
import { createDeferred } from "../base/deferred.ts";
import { ClosedError } from "../base/error.ts";
import { RpcError } from "../jsonrpc/error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";

const done = { content: [{ type: "text", text: "done" }] };

describe("Follower of the core form", () => {
  it("asks for the result once the task is over, and gives it as it is [TASK-030] [TASK-031]", async () => {
    const result = { ...done, isError: true, _meta: { "io.modelcontextprotocol/related-task": { taskId: "t1" } } };
    const { clock, run, methods, asked } = followTask("core", {
      task: coreTask("working"),
      answers: { "tasks/get": inTurn(coreTask("working"), coreTask("failed")), "tasks/result": () => result },
    });
    const waiting = run();
    await clock.advance(1_000);
    assert.deepEqual(await waiting, result);
    assert.deepEqual(methods(), ["tasks/get", "tasks/get", "tasks/result"]);
    assert.ok(asked.every(({ params }) => JSON.stringify(params) === '{"taskId":"t1"}'));
  });

  it("gives the error of a failed task as it was sent, whatever its code [TASK-030]", async () => {
    for (const code of [-32602, -32603, 7]) {
      const error = new RpcError(code, "as it was", { data: { code }, remote: true });
      const { run } = followTask("core", {
        answers: { "tasks/get": () => coreTask("failed"), "tasks/result": inTurn(error) },
      });
      await assert.rejects(run(), (thrown) => thrown === error);
    }
  });

  it("waits for the result as soon as something is asked, and goes on looking meanwhile [TASK-034] [TASK-026]", async () => {
    const end = createDeferred<JsonObject>();
    const { clock, run, methods, asked, statuses } = followTask("core", {
      task: coreTask("working"),
      answers: {
        "tasks/get": inTurn(coreTask("input_required"), coreTask("input_required"), coreTask("working")),
        "tasks/result": () => end.promise,
      },
    });
    const result = run();
    await clock.advance(1_500);
    assert.deepEqual(methods(), ["tasks/get", "tasks/result", "tasks/get", "tasks/get"]);
    assert.equal(asked[1]?.options?.idleTimeoutMs, Number.POSITIVE_INFINITY);
    assert.deepEqual(statuses, ["input_required", "working"]);
    end.resolve(done);
    assert.deepEqual(await result, done);
    assert.equal(clock.pendingTimers, 0);
  });

  it("waits anew where waiting broke off, and asks once more where it hangs though the task is over", async () => {
    const broken = createDeferred<JsonObject>();
    const waits = [broken.promise, new Promise<JsonObject>(() => {}), Promise.resolve(done)];
    const { clock, run, answers, timesOf } = followTask("core", {
      answers: { "tasks/get": () => coreTask("input_required"), "tasks/result": () => waits.shift() },
    });
    const result = run();
    await clock.advance(100);
    broken.reject(new ClosedError("cut"));
    await clock.advance(400);
    assert.deepEqual(timesOf("tasks/result"), [0, 500]);
    answers.set("tasks/get", () => coreTask("completed"));
    await clock.advance(999);
    assert.deepEqual(timesOf("tasks/result"), [0, 500]);
    await clock.advance(1);
    assert.deepEqual(timesOf("tasks/result"), [0, 500, 1_500]);
    assert.deepEqual(await result, done);
  });

  it("looks what has become of the task where waiting for its result fails", async () => {
    const error = new RpcError(-32055, "the work failed", { remote: true });
    const { clock, run, answers } = followTask("core", {
      answers: { "tasks/get": () => coreTask("input_required"), "tasks/result": inTurn(error) },
    });
    const failed = assert.rejects(run(), (thrown) => thrown === error);
    await clock.advance(100);
    answers.set("tasks/get", () => coreTask("failed"));
    await clock.advance(500);
    await failed;
    const cancelled = followTask("core", {
      answers: {
        "tasks/get": inTurn(coreTask("input_required"), coreTask("cancelled")),
        "tasks/result": inTurn(error),
      },
    });
    const rejected = assert.rejects(cancelled.run(), { reason: "cancelled" });
    await cancelled.clock.advance(500);
    await rejected;
  });

  it("is told by a notification that there is something to fetch [TASK-040]", async () => {
    const { clock, run, follower, methods } = followTask("core", {
      task: coreTask("working"),
      answers: { "tasks/result": () => done },
    });
    const result = run();
    await clock.advance(10);
    follower.receive(coreTask("completed", { lastUpdatedAt: new Date(5).toISOString() }));
    assert.deepEqual(await result, done);
    assert.deepEqual(methods(), ["tasks/result"]);
  });
});

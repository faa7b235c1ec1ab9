import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { coreTask, extensionTask, followTask, inTurn, unknownTask } from "../../test/fixtures/task-holder.ts";
import { createDeferred } from "../base/deferred.ts";
import { ClosedError } from "../base/error.ts";
import { RpcError } from "../jsonrpc/error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";

const done = { content: [{ type: "text", text: "done" }] };
const completed = extensionTask("completed", { result: done });
const working = extensionTask("working");

describe("Follower", () => {
  it("looks no sooner and no more often than its holder says, until the task is over [TASK-026] [X-TASK-023]", async () => {
    const { clock, run, timesOf, methods } = followTask("extension", {
      task: working,
      answers: { "tasks/get": inTurn(working, extensionTask("working", { pollIntervalMs: 5_000 }), completed) },
    });
    const result = run();
    await clock.advance(499);
    assert.deepEqual(methods(), []);
    await clock.advance(6_000);
    assert.deepEqual(await result, done);
    assert.deepEqual(timesOf("tasks/get"), [500, 1_000, 6_000]);
    await clock.advance(60_000);
    assert.deepEqual(timesOf("tasks/get"), [500, 1_000, 6_000]);
    assert.equal(clock.pendingTimers, 0);
  });

  it("looks once a second where its holder says nothing, and takes no interval for a reason to hurry [TASK-026]", async () => {
    for (const [pollIntervalMs, times] of [
      [undefined, [1_000, 2_000]],
      [0, [50, 100]],
    ] as const) {
      const task = extensionTask("working", { pollIntervalMs });
      const { clock, run, timesOf } = followTask("extension", {
        task,
        answers: { "tasks/get": inTurn(task, completed) },
      });
      const result = run();
      await clock.advance(2_000);
      await result;
      assert.deepEqual(timesOf("tasks/get"), times);
    }
  });

  it("begins with a look where it knows nothing but the id, as after a restart [X-TASK-023]", async () => {
    const { run, timesOf, follower } = followTask("extension", { answers: { "tasks/get": () => completed } });
    assert.equal(follower.task, undefined);
    assert.deepEqual(await run(), done);
    assert.deepEqual(timesOf("tasks/get"), [0]);
    assert.deepEqual(await run(), done, "what is known is given again");
    assert.equal(timesOf("tasks/get").length, 1);
  });

  it("looks at once where a task is handed out that is over or asks already, as what belongs to that is not in it", async () => {
    const { run, timesOf } = followTask("extension", {
      task: extensionTask("completed"),
      answers: { "tasks/get": () => completed },
    });
    assert.deepEqual(await run(), done);
    assert.deepEqual(timesOf("tasks/get"), [0]);
  });

  it("takes lifetimes without an end, and ones that change [X-TASK-017]", async () => {
    const { clock, run, follower } = followTask("extension", {
      task: extensionTask("working", { ttlMs: null }),
      answers: { "tasks/get": inTurn(extensionTask("working", { ttlMs: 5 }), completed) },
    });
    const result = run();
    await clock.advance(500);
    assert.equal(follower.task?.ttlMs, 5);
    await clock.advance(500);
    assert.deepEqual(await result, done);
  });

  it("needs no notifications, and takes those that come for a look [TASK-040] [X-TASK-039]", async () => {
    const { clock, run, statuses, follower, timesOf } = followTask("extension", {
      task: working,
      answers: { "tasks/get": () => working },
    });
    const result = run();
    await clock.advance(100);
    follower.receive(extensionTask("working", { statusMessage: "half", lastUpdatedAt: new Date(50).toISOString() }));
    follower.receive(
      extensionTask("failed", { error: { code: 1, message: "old" }, lastUpdatedAt: new Date(20).toISOString() }),
    );
    await clock.advance(0);
    assert.equal(follower.task?.statusMessage, "half", "what is older than what is known is ignored");
    follower.receive(extensionTask("completed", { result: done, lastUpdatedAt: new Date(100).toISOString() }));
    assert.deepEqual(await result, done);
    assert.deepEqual(timesOf("tasks/get"), []);
    assert.deepEqual(statuses, ["working", "completed"]);
  });

  it("gives the error of a failed task as it was sent [X-TASK-022]", async () => {
    const error = { code: -32055, message: "no luck", data: { retry: false } };
    const { run } = followTask("extension", { answers: { "tasks/get": () => extensionTask("failed", { error }) } });
    await assert.rejects(run(), (thrown: RpcError) => {
      assert.ok(thrown instanceof RpcError);
      assert.deepEqual(
        [thrown.rpcCode, thrown.message, thrown.data, thrown.remote],
        [-32055, "no luck", error.data, true],
      );
      return true;
    });
  });

  it("tells a cancelled task from a failed one, in either form [TASK-048]", async () => {
    for (const [form, task] of [
      ["core", coreTask("cancelled", { statusMessage: "by the boss" })],
      ["extension", extensionTask("cancelled", { statusMessage: "by the boss" })],
    ] as const) {
      const { run, methods } = followTask(form, { answers: { "tasks/get": () => task } });
      await assert.rejects(run(), { code: "MCP_TASK", reason: "cancelled", taskId: "t1", message: /by the boss/ });
      assert.deepEqual(methods(), ["tasks/get"]);
    }
  });

  it("says whether a task that is no more has expired or is unknown [X-TASK-025] [TASK-042] [TASK-049]", async () => {
    const { clock, run } = followTask("extension", {
      task: working,
      answers: { "tasks/get": inTurn(working, unknownTask()) },
    });
    const gone = assert.rejects(run(), { code: "MCP_TASK", reason: "gone" });
    await clock.advance(1_000);
    await gone;
    const late = followTask("extension", {
      task: extensionTask("working", { ttlMs: 800 }),
      answers: { "tasks/get": inTurn(extensionTask("working", { ttlMs: 800 }), unknownTask()) },
    });
    const expired = assert.rejects(late.run(), { code: "MCP_TASK", reason: "expired", message: /800 ms/ });
    await late.clock.advance(1_000);
    await expired;
  });

  it("refuses the words of the other form [X-TASK-008]", async () => {
    const { run } = followTask("extension", { answers: { "tasks/get": () => coreTask("working") } });
    await assert.rejects(run(), { code: "MCP_PEER", message: /ttlMs/ });
    const core = followTask("core", { answers: { "tasks/get": () => working } });
    await assert.rejects(core.run(), { code: "MCP_PEER" });
  });

  it("stops at once when it is given up, withdraws nothing, and may go on later [X-TASK-032] [X-TASK-033]", async () => {
    const look = createDeferred<JsonObject>();
    const { clock, run, controller, follower, asked, answers } = followTask("extension", {
      task: working,
      answers: { "tasks/get": () => look.promise },
    });
    const result = run();
    await clock.advance(500);
    const reason = new Error("enough");
    controller.abort(reason);
    await assert.rejects(result, (error) => error === reason);
    assert.equal(asked[0]?.options?.signal, undefined);
    look.resolve(working);
    await clock.advance(60_000);
    assert.equal(asked.length, 1);
    assert.equal(clock.pendingTimers, 0);
    answers.set("tasks/get", () => completed);
    assert.deepEqual(await follower.run(new AbortController().signal), done);
  });
});

describe("Follower.cancel", () => {
  it("asks for it, and knows from the answer of the core form that it was done [TASK-046]", async () => {
    const { clock, run, follower, methods } = followTask("core", {
      task: coreTask("working"),
      answers: { "tasks/cancel": () => coreTask("cancelled") },
    });
    const rejected = assert.rejects(run(), { reason: "cancelled" });
    await clock.advance(1);
    await follower.cancel();
    await rejected;
    assert.deepEqual(methods(), ["tasks/cancel"]);
    assert.ok(follower.isOver);
    await follower.cancel();
    assert.deepEqual(methods(), ["tasks/cancel"], "what is over needs no more");
  });

  it("takes an acknowledgement for no more than that, as the task may end otherwise [X-TASK-031]", async () => {
    const { clock, run, follower } = followTask("extension", {
      task: working,
      answers: { "tasks/cancel": () => ({}), "tasks/get": () => completed },
    });
    const result = run();
    await follower.cancel();
    await clock.advance(500);
    assert.deepEqual(await result, done);
  });

  it("is content with a task that is over or gone already, and with nothing else [TASK-045] [TASK-048]", async () => {
    const { follower, answers } = followTask("core", { answers: { "tasks/cancel": inTurn(unknownTask()) } });
    await follower.cancel();
    const fault = new ClosedError("cut");
    answers.set("tasks/cancel", inTurn(fault));
    await assert.rejects(follower.cancel(), (error) => error === fault);
  });
});

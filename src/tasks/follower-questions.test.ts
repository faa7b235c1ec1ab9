import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { extensionTask, followTask, inTurn } from "../../test/fixtures/task-holder.ts";
import { createDeferred, type Deferred } from "../base/deferred.ts";
import { ClosedError } from "../base/error.ts";
import { RpcError } from "../jsonrpc/error.ts";
import type { JsonObject } from "../jsonrpc/message.ts";

const question = { method: "roots/list" };
const asking = (...keys: string[]): JsonObject =>
  extensionTask("input_required", { inputRequests: Object.fromEntries(keys.map((key) => [key, question])) });
const done = { content: [] };
const completed = extensionTask("completed", { result: done });
const refusal = new RpcError(-32602, "all of them or none", { remote: true });

/** A task whose questions a test answers by hand. */
function ask(...states: unknown[]) {
  const open = new Map<string, Deferred<JsonObject>>();
  const put: string[] = [];
  const withdrawn: string[] = [];
  const followed = followTask("extension", {
    answers: { "tasks/get": inTurn(...states), "tasks/update": () => ({}) },
    answer: (key, _question, signal) => {
      put.push(key);
      const answer = createDeferred<JsonObject>();
      open.set(key, answer);
      signal.addEventListener("abort", () => {
        withdrawn.push(key);
        answer.reject(signal.reason);
      });
      return answer.promise;
    },
  });
  const updates = () =>
    followed.asked.filter(({ method }) => method === "tasks/update").map(({ params }) => params.inputResponses);
  return { ...followed, open, put, withdrawn, updates };
}

describe("questions of a task", () => {
  it("are put once and answered once, however often they are seen [X-TASK-026] [X-TASK-027]", async () => {
    const { clock, run, open, put, updates, asked } = ask(
      asking("a"),
      asking("a"),
      asking("a"),
      asking("a"),
      completed,
    );
    const result = run();
    await clock.advance(1_000);
    assert.deepEqual(put, ["a"]);
    open.get("a")?.resolve({ roots: [] });
    await clock.advance(1_000);
    assert.deepEqual(await result, done);
    assert.deepEqual(put, ["a"]);
    assert.deepEqual(updates(), [{ a: { roots: [] } }]);
    assert.equal(asked.find(({ method }) => method === "tasks/update")?.params.taskId, "t1");
  });

  it("are answered one by one, each as soon as its answer is there [X-TASK-030]", async () => {
    const { clock, run, open, put, updates } = ask(asking("a", "b"), asking("a", "b"), asking("b", "c"), completed);
    const result = run();
    await clock.advance(100);
    open.get("a")?.resolve({ is: "a" });
    await clock.advance(900);
    assert.deepEqual(put, ["a", "b", "c"]);
    open.get("c")?.resolve({ is: "c" });
    await clock.advance(0);
    open.get("b")?.resolve({ is: "b" });
    await clock.advance(500);
    await result;
    assert.deepEqual(updates(), [{ a: { is: "a" } }, { c: { is: "c" } }, { b: { is: "b" } }]);
  });

  it("are answered together where the holder takes some of them only so [X-TASK-030]", async () => {
    const { clock, run, open, updates, answers } = ask(asking("a", "b"), asking("a", "b"), completed);
    answers.set("tasks/update", ({ inputResponses }) => {
      if (Object.keys(inputResponses as JsonObject).length < 2) {
        throw refusal;
      }
    });
    const result = run();
    await clock.advance(100);
    open.get("a")?.resolve({ is: "a" });
    await clock.advance(100);
    open.get("b")?.resolve({ is: "b" });
    await clock.advance(1_000);
    await result;
    assert.deepEqual(updates(), [{ a: { is: "a" } }, { a: { is: "a" }, b: { is: "b" } }]);
  });

  it("are withdrawn when they are asked no longer", async () => {
    const { clock, run, put, withdrawn } = ask(asking("a", "b"), asking("b"), completed);
    const result = run();
    await clock.advance(500);
    assert.deepEqual(withdrawn, ["a"]);
    await clock.advance(500);
    await result;
    assert.deepEqual(withdrawn, ["a", "b"]);
    assert.deepEqual(put, ["a", "b"]);
  });

  it("end the following where they cannot be answered, and are put again to whoever goes on", async () => {
    const { clock, run, open, put, answers, updates } = ask(asking("a"));
    const fault = new Error("nobody at home");
    const failed = assert.rejects(run(), (error) => error === fault);
    await clock.advance(10);
    open.get("a")?.reject(fault);
    await failed;
    assert.deepEqual(updates(), []);
    const again = run();
    await clock.advance(500);
    assert.deepEqual(put, ["a", "a"]);
    open.get("a")?.resolve({});
    answers.set("tasks/get", () => completed);
    await clock.advance(500);
    assert.deepEqual(await again, done);
  });

  it("close when the following is given up, and are put again when it goes on", async () => {
    const { clock, run, controller, follower, put, withdrawn } = ask(asking("a"));
    const result = run();
    await clock.advance(10);
    controller.abort("later");
    await assert.rejects(result, (reason) => reason === "later");
    assert.deepEqual(withdrawn, ["a"]);
    const next = new AbortController();
    const again = follower.run(next.signal);
    await clock.advance(500);
    assert.deepEqual(put, ["a", "a"]);
    next.abort("no");
    await assert.rejects(again, (reason) => reason === "no");
    assert.equal(clock.pendingTimers, 0);
  });

  it("have their answers sent again where they did not get through, and fail where they are refused", async () => {
    const { clock, run, open, updates, answers } = ask(asking("a"));
    answers.set("tasks/update", inTurn(new ClosedError("cut"), {}));
    const result = run();
    await clock.advance(10);
    open.get("a")?.resolve({});
    await clock.advance(2_000);
    assert.deepEqual(updates(), [{ a: {} }, { a: {} }]);
    answers.set("tasks/get", () => completed);
    await clock.advance(500);
    await result;
    const refused = ask(asking("a"));
    refused.answers.set("tasks/update", inTurn(refusal));
    const failed = assert.rejects(refused.run(), (error) => error === refusal);
    await refused.clock.advance(10);
    refused.open.get("a")?.resolve({});
    await refused.clock.advance(10);
    await failed;
  });

  it("are none that a follower answers who was given nobody to ask", async () => {
    const { run } = followTask("extension", { answers: { "tasks/get": () => asking("a") } });
    await assert.rejects(run(), { rpcCode: -32601, message: /roots\/list/ });
  });
});

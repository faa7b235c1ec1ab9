import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findMismatch } from "../check.ts";
import { checkParams } from "../params.ts";
import { checkResult } from "../results.ts";
import { createdTask } from "./tasks.ts";

const moments = { createdAt: "2000-01-01T00:00:00Z", lastUpdatedAt: "2000-01-01T00:00:00Z" };
const core = { taskId: "1", status: "working", ttl: 60_000, ...moments };
const task = { taskId: "1", status: "working", ttlMs: null, ...moments };

describe("createdTask", () => {
  const check = (result: unknown): string | undefined => findMismatch(createdTask, result, "result");

  it("takes both forms of a task handed out", () => {
    assert.equal(check({ task: core }), undefined);
    assert.equal(check({ resultType: "task", ...task }), undefined);
  });

  it("refuses a plain result and a task without its lifetime [TASK-018]", () => {
    assert.equal(check({ content: [] }), "result.taskId: expected a string, got nothing");
    assert.equal(check({ task: { ...core, ttl: undefined } }), "result.task.ttl: expected an integer, got nothing");
    assert.equal(
      check({ task: { ...core, status: "paused" } }),
      'result.task.status: expected "working", "input_required", "completed", "failed" or "cancelled", got "paused"',
    );
  });
});

describe("checkResult of tasks/get", () => {
  it("takes both forms, flat [TASK-025]", () => {
    assert.equal(checkResult("tasks/get", core), undefined);
    assert.equal(checkResult("tasks/get", task), undefined);
    assert.match(checkResult("tasks/get", { task: core }) ?? "", /^result\.taskId: expected a string/);
  });

  it("wants the outcome that belongs to a status", () => {
    assert.match(
      checkResult("tasks/get", { ...task, status: "completed" }) ?? "",
      /^result\.result: expected an object/,
    );
    assert.match(checkResult("tasks/get", { ...task, status: "failed", error: {} }) ?? "", /^result\.error\.code: /);
    assert.match(checkResult("tasks/get", { ...task, status: "input_required" }) ?? "", /^result\.inputRequests: /);
    assert.equal(checkResult("tasks/get", { ...core, status: "completed" }), undefined);
  });

  it("takes an empty acknowledgement or the task for a cancellation", () => {
    assert.equal(checkResult("tasks/cancel", {}), undefined);
    assert.equal(checkResult("tasks/cancel", { ...core, status: "cancelled" }), undefined);
    assert.match(checkResult("tasks/cancel", { ttl: 5 }) ?? "", /^result\.taskId: expected a string/);
  });

  it("checks status notifications of both forms", () => {
    assert.equal(checkParams("notifications/tasks/status", core), undefined);
    assert.equal(checkParams("notifications/tasks", task), undefined);
    assert.match(checkParams("notifications/tasks/status", {}) ?? "", /^params\.taskId: /);
  });
});

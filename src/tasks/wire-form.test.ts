import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { checkParams } from "../protocol/params.ts";
import { checkResult } from "../protocol/results.ts";
import { ask, cancel, createRecord, finish, type TaskRecord } from "./record.ts";
import { toCoreTask, toDetailedTask, toTask } from "./wire-form.ts";

const seed = { owner: "ada", method: "tools/call", name: "dig", node: "here", isResumable: false, origin: undefined };
const working = createRecord({ ...seed, ttlMs: 60_000, pollIntervalMs: 500 }, 1_000);
const endless = createRecord({ ...seed, ttlMs: null, pollIntervalMs: undefined }, 1_000);
const asking = ask(
  working,
  "k",
  { method: "elicitation/create", params: { message: "?", requestedSchema: { type: "object", properties: {} } } },
  2_000,
);
const completed = finish(working, { result: { content: [] } }, 2_000);
const failed = finish(working, { error: { code: -32_603, message: "broken" } }, 2_000);
const cancelled = cancel(working, 2_000);
const withError = (content: unknown): TaskRecord | undefined =>
  finish(working, { result: { content, isError: true } }, 2_000);

const states = [working, endless, asking, completed, failed, cancelled].filter((record) => record !== undefined);

describe("forms of a task", () => {
  it("fit what is said of either [TASK-018] [X-TASK-017] [X-TASK-020]", () => {
    for (const record of states) {
      assert.equal(checkResult("tasks/get", toCoreTask(record)), undefined, record.status);
      assert.equal(checkParams("notifications/tasks/status", toCoreTask(record)), undefined, record.status);
      assert.equal(
        checkResult(
          "tasks/get",
          toDetailedTask(record, (result) => result),
        ),
        undefined,
        record.status,
      );
      assert.equal(
        checkParams(
          "notifications/tasks",
          toDetailedTask(record, (result) => result),
        ),
        undefined,
      );
    }
  });

  it("name lifetime and interval each in its own way, and say null for ever [TASK-041]", () => {
    assert.deepEqual(toCoreTask(working), {
      taskId: working.taskId,
      status: "working",
      createdAt: "1970-01-01T00:00:01.000Z",
      lastUpdatedAt: "1970-01-01T00:00:01.000Z",
      ttl: 60_000,
      pollInterval: 500,
    });
    const { ttl, ...fields } = toCoreTask(endless);
    assert.equal(ttl, null);
    assert.deepEqual(toTask(endless), { ...fields, ttlMs: null });
  });

  it("hold nothing of the record that is not for the requestor", () => {
    for (const record of states) {
      const sent = JSON.stringify([toCoreTask(record), toDetailedTask(record, (result) => result)]);
      assert.doesNotMatch(sent, /ada|here|epoch|askedBy|"runs"/);
    }
  });

  it("differ in what an error of a tool makes of them [TASK-023] [TASK-024] [X-TASK-022]", () => {
    const record = withError([{ type: "text", text: "the spade broke" }]);
    assert.ok(record);
    assert.deepEqual([toCoreTask(record).status, toCoreTask(record).statusMessage], ["failed", "the spade broke"]);
    assert.equal(toTask(record).status, "completed");
    const silent = withError([]);
    assert.ok(silent);
    assert.equal(toCoreTask(silent).statusMessage, "the tool reported an error");
  });
});

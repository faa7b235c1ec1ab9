import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { begin, createCoreServer as create, errorOf } from "../../../test/fixtures/core-tasks.ts";
import { officialSchema } from "../../../test/fixtures/official-schema.ts";
import { RawClient } from "../../../test/fixtures/raw-client.ts";
import { turn } from "../../../test/fixtures/turn.ts";
import { until } from "../../../test/fixtures/until.ts";
import { createDeferred } from "../../base/deferred.ts";
import { RpcError } from "../../jsonrpc/error.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";

const relatedTask = "io.modelcontextprotocol/related-task";
const accepted = { action: "accept", content: {} };

describe("the life of a task of the core form", () => {
  it("give a flat state, whatever else the request says, that names no task [TASK-025] [TASK-037] [TASK-038] [TASK-019]", async () => {
    const { app, done } = create();
    const client = await RawClient.connect(app);
    const first = await begin(client, "slow");
    const other = await begin(client, "either");
    const params = { taskId: first.taskId, _meta: { [relatedTask]: { taskId: other.taskId } } };
    const { result } = await client.request("tasks/get", params);
    assert.equal(result?.taskId, first.taskId);
    assert.equal(result?.status, "working");
    assert.equal(result?.ttl, 3_600_000);
    assert.equal(result?._meta, undefined);
    assert.equal("task" in (result ?? {}), false);
    done.resolve("dug");
    await client.request("tasks/result", { taskId: first.taskId });
    const { result: after } = await client.request("tasks/get", { taskId: first.taskId });
    assert.equal(after?.status, "completed");
    assert.equal(after?.createdAt, first.createdAt);
    assert.ok(String(after?.lastUpdatedAt) > String(first.lastUpdatedAt));
    assert.deepEqual(officialSchema("2025-11-25").faultsOfValue("GetTaskResult", after ?? {}), []);
    for (const method of ["tasks/cancel", "tasks/list"]) {
      const { result: more } = await client.request(method, { taskId: (await begin(client, "slow")).taskId });
      assert.equal(more?._meta, undefined, method);
    }
  });

  it("give the result of the plain call when they are over, not before, and name the task [TASK-029] [TASK-030] [TASK-031]", async () => {
    const { app, done } = create();
    const client = await RawClient.connect(app);
    const { taskId } = await begin(client, "slow");
    let isAnswered = false;
    const waiting = client.request("tasks/result", { taskId }).then((response) => {
      isAnswered = true;
      return response;
    });
    await turn();
    assert.equal(isAnswered, false);
    done.resolve("dug");
    assert.deepEqual((await waiting).result, {
      content: [{ type: "text", text: "dug" }],
      _meta: { [relatedTask]: { taskId } },
    });

    const { taskId: either } = await begin(client, "either");
    const { result } = await client.request("tasks/result", { taskId: either });
    const { result: plain } = await client.call("either");
    assert.deepEqual(result, { ...plain, _meta: { mine: true, [relatedTask]: { taskId: either } } });
  });

  it("fail where the result says so, with its words, and give that result all the same [TASK-023] [TASK-024] [TASK-030]", async () => {
    const client = await RawClient.connect(create().app);
    const { taskId } = await begin(client, "broken");
    const { result } = await client.request("tasks/result", { taskId });
    assert.equal(result?.isError, true);
    const { result: state } = await client.request("tasks/get", { taskId });
    assert.equal(state?.status, "failed");
    assert.equal(state?.statusMessage, "the spade broke");
  });

  it("fail with the error that the plain call would have been answered with [TASK-023] [TASK-030]", async () => {
    const app = create({
      filterOutput: () => {
        throw new RpcError(4_711, "filtered", { data: { why: "secret" } });
      },
    }).app;
    const client = await RawClient.connect(app);
    const { taskId } = await begin(client, "either");
    const failed = await client.request("tasks/result", { taskId });
    const plain = await client.call("either");
    assert.deepEqual(failed.error, { code: 4_711, message: "filtered", data: { why: "secret" } });
    assert.deepEqual(failed.error, plain.error);
    const { result } = await client.request("tasks/get", { taskId });
    assert.deepEqual([result?.status, result?.statusMessage], ["failed", "filtered"]);
  });

  it("are cancelled before that is answered, and stay so [TASK-045] [TASK-046] [TASK-047] [TASK-022]", async () => {
    const { app, done, seen } = create();
    const client = await RawClient.connect(app);
    const { taskId } = await begin(client, "slow");
    await until(() => seen.signal);
    const { result } = await client.request("tasks/cancel", { taskId });
    assert.deepEqual([result?.taskId, result?.status], [taskId, "cancelled"]);
    assert.deepEqual(officialSchema("2025-11-25").faultsOfValue("CancelTaskResult", result ?? {}), []);
    await until(() => seen.signal?.aborted);
    done.resolve("too late");
    await turn();
    assert.equal((await client.request("tasks/get", { taskId })).result?.status, "cancelled");
    assert.equal(errorOf(await client.request("tasks/result", { taskId })), -32_603);
    for (const name of ["either", "broken"]) {
      const { taskId: over } = await begin(client, name);
      await client.request("tasks/result", { taskId: over });
      assert.equal(errorOf(await client.request("tasks/cancel", { taskId: over })), -32_602, name);
    }
    assert.equal(errorOf(await client.request("tasks/cancel", { taskId })), -32_602);
  });

  it("ask by way of the request for the result, once, and go on with the answer [TASK-032] [TASK-033] [TASK-034]", async () => {
    const asked: JsonObject[] = [];
    const answered = createDeferred<unknown>();
    const client = await RawClient.connect(create().app, {
      capabilities: { elicitation: {} },
      answers: {
        "elicitation/create": (params) => {
          asked.push(params);
          return answered.promise;
        },
      },
    });
    const { taskId } = await begin(client, "asking");
    await until(async () => (await client.request("tasks/get", { taskId })).result?.status === "input_required");
    assert.equal(asked.length, 0);
    const waits = [client.request("tasks/result", { taskId }), client.request("tasks/result", { taskId })];
    await until(() => asked.length > 0);
    await turn();
    assert.equal(asked.length, 1);
    assert.deepEqual((asked[0]?._meta as JsonObject | undefined)?.[relatedTask], { taskId });
    answered.resolve({ ...accepted, _meta: { [relatedTask]: { taskId } } });
    for (const { result } of await Promise.all(waits)) {
      assert.deepEqual(result?.content, [{ type: "text", text: "accept" }]);
    }
  });

  it("name themselves in all that is said on their behalf, until they are over [TASK-036] [TASK-039] [PROG-006]", async () => {
    const client = await RawClient.connect(create().app);
    const { taskId } = await begin(client, "telling", {}, { progressToken: 7 });
    const { result } = await client.request("tasks/result", { taskId });
    assert.deepEqual(result?.content, [{ type: "text", text: `told by ${taskId}` }]);
    const said = client.received.filter((message) => "method" in message) as { method: string; params?: JsonObject }[];
    assert.deepEqual(
      said.map(({ method }) => method.replace("notifications/", "")),
      ["progress", "message", "tasks/status", "custom", "tasks/status"],
    );
    for (const { method, params } of said) {
      const named = (params?._meta as JsonObject | undefined)?.[relatedTask];
      if (method === "notifications/tasks/status") {
        assert.equal(named, undefined);
        assert.equal(params?.taskId, taskId);
        assert.deepEqual(officialSchema("2025-11-25").faultsOfValue("TaskStatusNotificationParams", params ?? {}), []);
      } else {
        assert.deepEqual(named, { taskId }, method);
      }
    }
    assert.deepEqual(
      said
        .filter(({ method }) => method.endsWith("status"))
        .map(({ params }) => [params?.status, params?.statusMessage]),
      [
        ["working", "half done"],
        ["completed", undefined],
      ],
    );
  });

  it("go on when the request for their result is given up [TASK-028]", async () => {
    const { app, done } = create();
    const client = await RawClient.connect(app);
    const { taskId } = await begin(client, "slow");
    void client.request("tasks/result", { taskId }, "dropped");
    await turn();
    client.notify("notifications/cancelled", { requestId: "dropped" });
    await turn();
    assert.equal((await client.request("tasks/get", { taskId })).result?.status, "working");
    done.resolve("dug");
    const { result } = await client.request("tasks/result", { taskId });
    assert.deepEqual(result?.content, [{ type: "text", text: "dug" }]);
  });
});
